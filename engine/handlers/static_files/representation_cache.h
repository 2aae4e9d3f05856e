// The representations a loop has at hand, by file; bounded in bytes and in number (each may hold an open
// file).
#pragma once

#include "base/hash.h"
#include "handlers/static_files/representation.h"

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace saker::static_files {

class RepresentationCache {
public:
    RepresentationCache(std::uint64_t maxBytes, std::size_t maxEntries)
        : maxBytes_(maxBytes), maxEntries_(maxEntries) {}
    ~RepresentationCache() { clear(); }
    RepresentationCache(const RepresentationCache&) = delete;
    RepresentationCache& operator=(const RepresentationCache&) = delete;

    /// The representation of exactly that version of the file under that site, or null.
    Representation* find(const routing::Site& site, std::string_view path, const FileStamp& stamp);
    void insert(Ref<Representation> representation);
    /// It holds no longer (the file is another by now).
    void drop(const Representation& representation);
    /// A variant of it was filled: counts its bytes anew and evicts what is too much.
    void grew(Representation& representation);
    void clear();

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return hashBytes(text, processHashKey()); }
    };
    using Entries = std::unordered_map<std::string, Ref<Representation>, Hash, std::equal_to<>>; // by path

    static void forget(Representation& representation);
    void erase(Entries::iterator entry);
    void trim();

    const std::uint64_t maxBytes_;
    const std::size_t maxEntries_;
    Entries entries_;
    std::uint64_t bytes_ = 0;
    std::deque<std::string> order_; // of insertion, for the second chance; may name what is gone
};

} // namespace saker::static_files
