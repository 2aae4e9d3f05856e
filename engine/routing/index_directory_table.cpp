#include "routing/index_directory_table.h"

#include "base/text.h"

#include <utility>

namespace saker::routing {

namespace {

/// What malloc adds to a block, roughly.
constexpr std::uint64_t kAllocationOverhead = 16;
constexpr std::size_t kFirstSlots = 64;

/// Marks a slot whose directory is gone: probing goes on behind it. Never dereferenced as a directory.
const IndexDirectory* erasedMark() {
    alignas(IndexDirectory) static const char mark[sizeof(IndexDirectory)] = {};
    return reinterpret_cast<const IndexDirectory*>(mark);
}

} // namespace

struct IndexDirectoryTable::Slots {
    using Slot = std::atomic<const IndexDirectory*>;

    explicit Slots(std::size_t count) : mask(count - 1), slots(std::make_unique<Slot[]>(count)) {}

    /// Calls for every directory with the hash until `visit` returns true.
    template <class Visit>
    void probe(std::uint64_t hash, Visit visit) {
        for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
            const IndexDirectory* directory = slots[i].load(std::memory_order_acquire);
            if (directory == nullptr) {
                return;
            }
            if (directory != erasedMark() && directory->hash() == hash && visit(*directory, slots[i])) {
                return;
            }
        }
    }
    /// Into the first empty slot. REQUIRES: there is one.
    void insert(const IndexDirectory* directory) {
        std::size_t i = directory->hash() & mask;
        while (slots[i].load(std::memory_order_relaxed) != nullptr) {
            i = (i + 1) & mask;
        }
        slots[i].store(directory, std::memory_order_release);
    }
    std::uint64_t bytes() const { return (mask + 1) * sizeof(Slot) + kAllocationOverhead; }

    std::size_t mask;
    std::unique_ptr<Slot[]> slots;
};

IndexDirectoryTable::IndexDirectoryTable(Quiescence& quiescence)
    : quiescence_(quiescence), slots_(std::make_unique<Slots>(kFirstSlots).release()) {
    bytes_ = slots_.load()->bytes();
}

IndexDirectoryTable::~IndexDirectoryTable() {
    std::unique_ptr<Slots> slots(slots_.load());
    for (std::size_t i = 0; i <= slots->mask; ++i) {
        const IndexDirectory* directory = slots->slots[i].load(std::memory_order_relaxed);
        if (directory != nullptr && directory != erasedMark()) {
            IndexDirectory::Pointer(directory).reset();
        }
    }
}

const IndexDirectory* IndexDirectoryTable::first(std::string_view path, CaseMode mode) const {
    const IndexDirectory* best = nullptr;
    slots_.load(std::memory_order_acquire)
        ->probe(IndexDirectory::hashOf(path), [&](const IndexDirectory& d, auto&) {
            if (d.path() == path) {
                best = &d;
                return true;
            }
            if (mode == CaseMode::fold && equalsIgnoreCase(d.path(), path) &&
                (best == nullptr || d.path() < best->path())) {
                best = &d;
            }
            return false;
        });
    return best;
}

const IndexDirectory* IndexDirectoryTable::next(std::string_view path, const IndexDirectory& previous) const {
    const bool afterExact = previous.path() == path;
    const IndexDirectory* best = nullptr;
    slots_.load(std::memory_order_acquire)->probe(previous.hash(), [&](const IndexDirectory& d, auto&) {
        if (d.path() != path && (afterExact || d.path() > previous.path()) &&
            equalsIgnoreCase(d.path(), path) && (best == nullptr || d.path() < best->path())) {
            best = &d;
        }
        return false;
    });
    return best;
}

std::atomic<const IndexDirectory*>* IndexDirectoryTable::slotOf(std::string_view path) {
    std::atomic<const IndexDirectory*>* found = nullptr;
    slots_.load(std::memory_order_relaxed)
        ->probe(IndexDirectory::hashOf(path),
                [&](const IndexDirectory& d, std::atomic<const IndexDirectory*>& slot) {
                    if (d.path() == path) {
                        found = &slot;
                    }
                    return found != nullptr;
                });
    return found;
}

void IndexDirectoryTable::forget(const IndexDirectory* directory) {
    bytes_.fetch_sub(directory->bytes() + kAllocationOverhead, std::memory_order_relaxed);
    replaced_.emplace_back(directory);
}

void IndexDirectoryTable::put(IndexDirectory::Pointer directory) {
    bytes_.fetch_add(directory->bytes() + kAllocationOverhead, std::memory_order_relaxed);
    if (auto* slot = slotOf(directory->path())) {
        forget(slot->exchange(directory.release(), std::memory_order_acq_rel));
        return;
    }
    if ((used_ + 1) * 5 > (slots_.load(std::memory_order_relaxed)->mask + 1) * 3) {
        grow();
    }
    slots_.load(std::memory_order_relaxed)->insert(directory.release());
    ++used_;
    ++live_;
}

void IndexDirectoryTable::erase(std::string_view path) {
    if (auto* slot = slotOf(path)) {
        forget(slot->exchange(erasedMark(), std::memory_order_acq_rel));
        --live_;
    }
}

/// Into a table that is a quarter full at most: larger, or as large without the marks of erased ones.
void IndexDirectoryTable::grow() {
    Slots* old = slots_.load(std::memory_order_relaxed);
    std::size_t count = kFirstSlots;
    while (count < (live_ + 1) * 3) {
        count *= 2;
    }
    auto made = std::make_unique<Slots>(count);
    for (std::size_t i = 0; i <= old->mask; ++i) {
        const IndexDirectory* directory = old->slots[i].load(std::memory_order_relaxed);
        if (directory != nullptr && directory != erasedMark()) {
            made->insert(directory);
        }
    }
    used_ = live_;
    bytes_.fetch_add(made->bytes(), std::memory_order_relaxed);
    bytes_.fetch_sub(old->bytes(), std::memory_order_relaxed);
    slots_.store(made.release(), std::memory_order_release);
    quiescence_.retire([old] { std::unique_ptr<Slots>(old).reset(); });
}

void IndexDirectoryTable::retireReplaced() {
    if (replaced_.empty()) {
        return;
    }
    auto garbage = std::make_shared<std::vector<IndexDirectory::Pointer>>(std::move(replaced_));
    replaced_.clear();
    quiescence_.retire([garbage] { garbage->clear(); });
}

} // namespace saker::routing
