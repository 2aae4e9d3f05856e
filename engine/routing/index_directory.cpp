#include "routing/index_directory.h"

#include "base/hash.h"
#include "base/text.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace saker::routing {

namespace {

std::uint64_t foldedHash(std::string_view text) {
    static const std::uint64_t key = processHashKey();
    return hashFolded(text.empty() ? std::string_view("") : text, key); // an empty view may point nowhere
}

constexpr std::uint64_t kOffsetMask = 0xffffffff;

/// At most three quarters full, so that every probe sequence ends.
std::size_t slotsFor(std::size_t names) {
    return std::bit_ceil(names + names / 3 + 1);
}

} // namespace

std::uint64_t IndexDirectory::hashOf(std::string_view path) {
    return foldedHash(path);
}

void IndexDirectory::Free::operator()(const IndexDirectory* directory) const {
    const std::size_t words = directory->size_;
    auto* memory = reinterpret_cast<std::uint64_t*>(const_cast<IndexDirectory*>(directory));
    std::destroy_at(directory);
    std::allocator<std::uint64_t>().deallocate(memory, words);
}

IndexDirectory::Pointer IndexDirectory::make(std::string_view path, std::span<Name> names) {
    std::sort(names.begin(), names.end(), [](const Name& a, const Name& b) {
        return a.directory != b.directory ? b.directory : a.text < b.text;
    });
    const std::size_t slotCount = slotsFor(names.size());
    const std::size_t pathAt = sizeof(IndexDirectory) / 8 + slotCount;
    const std::size_t recordsAt = pathAt + (path.size() + 7) / 8;
    std::size_t size = recordsAt;
    for (const Name& name : names) {
        assert(name.text.size() <= kLongestName);
        size += wordsOf(name.text.size());
    }
    assert(size <= kOffsetMask);

    std::uint64_t* memory = std::allocator<std::uint64_t>().allocate(size);
    std::memset(memory, 0, size * 8); // padding too: sameAs() compares all of it
    IndexDirectory* made = std::construct_at(reinterpret_cast<IndexDirectory*>(memory), Key{});
    made->hash_ = hashOf(path);
    made->size_ = static_cast<std::uint32_t>(size);
    made->slotMask_ = static_cast<std::uint32_t>(slotCount - 1);
    made->pathAt_ = static_cast<std::uint32_t>(pathAt);
    made->pathLength_ = static_cast<std::uint32_t>(path.size());
    made->recordsAt_ = static_cast<std::uint32_t>(recordsAt);
    if (!path.empty()) {
        std::memcpy(memory + pathAt, path.data(), path.size());
    }

    std::uint64_t* slots = memory + sizeof(IndexDirectory) / 8;
    std::size_t at = recordsAt;
    for (const Name& name : names) {
        Record record;
        record.size_ = name.size;
        record.modified_ = name.modified;
        record.extension_ = name.extension;
        record.lengthAndKind_ =
            static_cast<std::uint16_t>(name.text.size() | (name.directory ? Record::kDirectory : 0));
        char* to = reinterpret_cast<char*>(memory + at);
        std::memcpy(to, &record, Record::kNameOffset);
        std::memcpy(to + Record::kNameOffset, name.text.data(), name.text.size());

        const std::uint64_t hash = foldedHash(name.text);
        std::size_t slot = hash & made->slotMask_;
        while (slots[slot] != 0) {
            slot = (slot + 1) & made->slotMask_;
        }
        slots[slot] = (hash & ~kOffsetMask) | at;
        ++(name.directory ? made->subs_ : made->files_);
        at += wordsOf(name.text.size());
    }
    return Pointer(made);
}

bool IndexDirectory::sameAs(const IndexDirectory& other) const {
    return size_ == other.size_ && files_ == other.files_ && subs_ == other.subs_ &&
           std::memcmp(slots(), other.slots(), bytes() - sizeof(IndexDirectory)) == 0;
}

const IndexDirectory::Record* IndexDirectory::find(std::string_view name, CaseMode mode, Want want) const {
    const std::uint64_t hash = foldedHash(name);
    const Record* folded = nullptr;
    for (std::size_t i = hash & slotMask_;; i = (i + 1) & slotMask_) {
        const std::uint64_t slot = slots()[i];
        if (slot == 0) {
            return folded;
        }
        if ((slot ^ hash) > kOffsetMask) { // the upper halves differ
            continue;
        }
        const Record& record = recordAt(slot & kOffsetMask);
        const std::string_view stored = record.name();
        if (stored.size() != name.size() ||
            (want != Want::either && record.isDirectory() != (want == Want::directory))) {
            continue;
        }
        if (stored == name) {
            return &record;
        }
        if (mode == CaseMode::fold && folded == nullptr && equalsIgnoreCase(stored, name)) {
            folded = &record;
        }
    }
}

} // namespace saker::routing
