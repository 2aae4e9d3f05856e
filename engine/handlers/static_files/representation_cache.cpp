#include "handlers/static_files/representation_cache.h"

namespace saker::static_files {

Representation* RepresentationCache::find(const routing::Site& site, std::string_view path, const FileStamp& stamp) {
    auto found = entries_.find(path);
    if (found == entries_.end()) {
        return nullptr;
    }
    Representation& representation = *found->second;
    // Two sites may share a root and folder (an alias with settings of its own): then they take turns here.
    if (!(representation.variant(http::Coding::identity).stamp == stamp) || &representation.site() != &site) {
        entries_.erase(found);
        return nullptr;
    }
    representation.isRecentlyUsed = true;
    return &representation;
}

void RepresentationCache::insert(Ref<Representation> representation) {
    std::string path = representation->path();
    order_.push_back(path);
    entries_.insert_or_assign(std::move(path), std::move(representation));
    trim();
}

void RepresentationCache::drop(const Representation& representation) {
    auto found = entries_.find(representation.path());
    if (found != entries_.end() && found->second.get() == &representation) {
        entries_.erase(found);
    }
}

void RepresentationCache::trim() {
    std::uint64_t bytes = 0;
    for (const auto& [path, representation] : entries_) {
        bytes += representation->memoryUse();
    }
    while (order_.size() > 1 && (bytes > maxBytes_ || entries_.size() > maxEntries_)) {
        std::string path = std::move(order_.front());
        order_.pop_front();
        auto found = entries_.find(path);
        if (found == entries_.end()) {
            continue;
        }
        if (found->second->isRecentlyUsed) {
            found->second->isRecentlyUsed = false;
            order_.push_back(std::move(path));
            continue;
        }
        bytes -= found->second->memoryUse();
        entries_.erase(found);
    }
}

void RepresentationCache::clear() {
    entries_.clear();
    order_.clear();
}

} // namespace saker::static_files
