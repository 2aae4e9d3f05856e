#include "routing/index_watch_table.h"

namespace saker::routing {

std::optional<int> IndexWatchTable::put(std::string_view path, int descriptor) {
    auto [entry, added] = byPath_.try_emplace(std::string(path), descriptor);
    std::optional<int> unused;
    if (!added) {
        if (entry->second == descriptor) {
            return std::nullopt;
        }
        unused = detach(entry);
        entry->second = descriptor;
    }
    descriptors_ += byDescriptor_.contains(descriptor) ? 0 : 1;
    byDescriptor_.emplace(descriptor, &entry->first);
    return unused;
}

std::optional<int> IndexWatchTable::putFile(std::string_view path, int descriptor) {
    linkedFiles_.emplace(path);
    return put(path, descriptor);
}

std::vector<int> IndexWatchTable::remove(std::string_view path) {
    std::vector<int> unused;
    auto removeOne = [&](const std::string& one) {
        if (auto entry = byPath_.find(one); entry != byPath_.end()) {
            if (std::optional<int> descriptor = detach(entry)) {
                unused.push_back(*descriptor);
            }
            byPath_.erase(entry);
        }
    };
    removeOne(std::string(path));
    if (linkedFiles_.empty()) {
        return unused;
    }
    if (auto self = linkedFiles_.find(path); self != linkedFiles_.end()) {
        linkedFiles_.erase(self);
    }
    const std::string below = path.empty() ? std::string() : std::string(path) + '/';
    for (auto file = linkedFiles_.lower_bound(below);
         file != linkedFiles_.end() && file->starts_with(below);) {
        removeOne(*file);
        file = linkedFiles_.erase(file);
    }
    return unused;
}

void IndexWatchTable::forget(int descriptor) {
    auto [first, last] = byDescriptor_.equal_range(descriptor);
    if (first == last) {
        return;
    }
    for (auto one = first; one != last; ++one) {
        if (auto file = linkedFiles_.find(*one->second); file != linkedFiles_.end()) {
            linkedFiles_.erase(file);
        }
        byPath_.erase(byPath_.find(*one->second));
    }
    byDescriptor_.erase(first, last);
    --descriptors_;
}

std::vector<std::string> IndexWatchTable::pathsOf(int descriptor) const {
    std::vector<std::string> paths;
    auto [first, last] = byDescriptor_.equal_range(descriptor);
    for (; first != last; ++first) {
        paths.push_back(*first->second);
    }
    return paths;
}

/// Separates a path from its descriptor; returns that one if it was its last.
std::optional<int> IndexWatchTable::detach(std::unordered_map<std::string, int>::iterator entry) {
    const int descriptor = entry->second;
    auto [first, last] = byDescriptor_.equal_range(descriptor);
    for (; first != last; ++first) {
        if (first->second == &entry->first) {
            byDescriptor_.erase(first);
            break;
        }
    }
    if (byDescriptor_.contains(descriptor)) {
        return std::nullopt;
    }
    --descriptors_;
    return descriptor;
}

} // namespace saker::routing
