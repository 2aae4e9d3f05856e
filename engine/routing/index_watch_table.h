// Which watch of the system stands for which paths of an index. Several paths can lead to one directory
// (symbolic links), and the system gives one descriptor for all of them. Not thread-safe.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace saker::routing {

class IndexWatchTable {
public:
    /// Notes that `descriptor` watches the path, instead of what did before. Returns a descriptor that no
    /// path needs any more: to be given back to the system.
    std::optional<int> put(std::string_view path, int descriptor);
    /// The same for the target of a linked file, which goes with its directory.
    std::optional<int> putFile(std::string_view path, int descriptor);
    /// Takes out a path, and the linked files below it. Returns the descriptors that no path needs any more.
    std::vector<int> remove(std::string_view path);
    /// The system has removed the watch by itself.
    void forget(int descriptor);

    /// The paths that a descriptor watches.
    std::vector<std::string> pathsOf(int descriptor) const;
    bool contains(int descriptor) const { return byDescriptor_.contains(descriptor); }
    /// Number of descriptors.
    std::size_t size() const { return descriptors_; }

private:
    std::optional<int> detach(std::unordered_map<std::string, int>::iterator entry);

    std::unordered_map<std::string, int> byPath_;
    std::unordered_multimap<int, const std::string*> byDescriptor_; // the keys of byPath_
    std::set<std::string, std::less<>> linkedFiles_;
    std::size_t descriptors_ = 0;
};

} // namespace saker::routing
