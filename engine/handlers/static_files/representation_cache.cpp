#include "handlers/static_files/representation_cache.h"

namespace saker::static_files {

Representation* RepresentationCache::find(const routing::Site& site, std::string_view path,
                                          const FileStamp& stamp) {
    auto found = entries_.find(path);
    if (found == entries_.end()) {
        return nullptr;
    }
    Representation& representation = *found->second;
    // Two sites may share a root and folder (an alias with settings of its own): then they take turns here.
    if (!(representation.variant(http::Coding::identity).stamp == stamp) || &representation.site() != &site) {
        erase(found);
        return nullptr;
    }
    representation.isRecentlyUsed = true;
    return &representation;
}

void RepresentationCache::insert(Ref<Representation> representation) {
    Representation& added = *representation;
    if (auto old = entries_.find(added.path()); old != entries_.end()) {
        erase(old);
    }
    order_.push_back(added.path());
    entries_.emplace(added.path(), std::move(representation));
    added.handle = makeRef<Representation::Handle>();
    added.handle->target = &added;
    grew(added);
}

void RepresentationCache::drop(const Representation& representation) {
    auto found = entries_.find(representation.path());
    if (found != entries_.end() && found->second.get() == &representation) {
        erase(found);
    }
}

void RepresentationCache::grew(Representation& representation) {
    auto found = entries_.find(representation.path());
    if (found == entries_.end() || found->second.get() != &representation) {
        return; // evicted meanwhile; whoever still answers with it keeps it alive
    }
    bytes_ -= representation.countedBytes;
    representation.countedBytes = representation.memoryUse();
    bytes_ += representation.countedBytes;
    trim();
}

void RepresentationCache::forget(Representation& representation) {
    representation.handle->target = nullptr;
    representation.handle = {};
}

void RepresentationCache::erase(Entries::iterator entry) {
    bytes_ -= entry->second->countedBytes;
    forget(*entry->second);
    entries_.erase(entry);
}

void RepresentationCache::trim() {
    // The queue may hold names that are gone, or twice; it must not outgrow the table for long.
    while (order_.size() > 1 &&
           (bytes_ > maxBytes_ || entries_.size() > maxEntries_ || order_.size() > 2 * maxEntries_)) {
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
        erase(found);
    }
}

void RepresentationCache::clear() {
    for (auto& [path, representation] : entries_) {
        forget(*representation);
    }
    entries_.clear();
    order_.clear();
    bytes_ = 0;
}

} // namespace saker::static_files
