#include "routing/extension_table.h"

#include "base/text.h"

namespace saker::routing {

ExtensionTable::ExtensionTable() = default;
ExtensionTable::~ExtensionTable() = default;

std::string_view ExtensionTable::text(ExtensionId id) const {
    const Chunk* chunk = chunks_[id / kPerChunk].load(std::memory_order_acquire);
    const std::string* text = chunk ? chunk->texts[id % kPerChunk].load(std::memory_order_acquire) : nullptr;
    return text ? std::string_view(*text) : std::string_view();
}

ExtensionId ExtensionTable::id(std::string_view extension) {
    return intern(extension, 65535);
}

ExtensionId ExtensionTable::idOfFile(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    return dot == std::string_view::npos ? ExtensionId{0} : intern(name.substr(dot + 1), kForFiles);
}

ExtensionId ExtensionTable::intern(std::string_view extension, std::size_t most) {
    if (extension.empty()) {
        return 0;
    }
    const std::string folded = toLowerAscii(extension);
    std::lock_guard lock(mutex_);
    if (auto known = ids_.find(folded); known != ids_.end()) {
        return known->second;
    }
    if (texts_.size() >= most) {
        return 0;
    }
    const std::string& text = texts_.emplace_back(folded);
    const std::size_t id = texts_.size();
    if (chunks_[id / kPerChunk].load(std::memory_order_relaxed) == nullptr) {
        chunks_[id / kPerChunk].store(&storage_.emplace_back(), std::memory_order_release);
    }
    Chunk& chunk = *chunks_[id / kPerChunk].load(std::memory_order_relaxed);
    chunk.texts[id % kPerChunk].store(&text, std::memory_order_release);
    ids_.emplace(text, static_cast<ExtensionId>(id));
    return static_cast<ExtensionId>(id);
}

std::uint64_t ExtensionTable::memoryUse() const {
    constexpr std::uint64_t kPerText = sizeof(std::string) + 48; // with its node of the map
    std::lock_guard lock(mutex_);
    return texts_.size() * kPerText + storage_.size() * sizeof(Chunk);
}

} // namespace saker::routing
