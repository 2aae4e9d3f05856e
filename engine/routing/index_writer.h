// The writing half of a FileIndex: reads the disk and publishes what it finds, directory by directory. Used
// with the index's writer lock held.
//
// Order of publication: a new directory is in the table before its parent names it, and a vanished one stays
// there until its parent no longer does. So a reader that gets a name can follow it.
#pragma once

#include "routing/extension_table.h"
#include "routing/file_index.h"
#include "routing/index_directory_reader.h"
#include "routing/index_directory_table.h"
#include "routing/index_observer.h"

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace saker::routing {

class IndexWriter {
public:
    using Progress = FileIndex::Progress;
    using OnProgress = std::function<void(const Progress&)>;

    /// All must outlive the writer.
    IndexWriter(const IndexOptions& options, IndexDirectoryTable& table, ExtensionTable& extensions,
                std::atomic<std::uint64_t>& files);

    void observe(IndexObserver* observer) { observer_ = observer; }

    // As the functions of FileIndex.
    Result<Progress> scan(std::string_view sub, const OnProgress& progress);
    Result<Progress> scanOneLevel(std::string_view sub);
    void refresh(std::span<const std::string> paths);

    /// Whether anything was published since the last call; hands what was replaced to the Quiescence.
    bool finish();

private:
    struct Listing;
    struct Ancestor {
        DirectoryIdentity identity;
        bool link;
    };

    Result<void> begin();
    Result<void> scanRoot();
    void clearRoot();
    void refreshAll(std::span<const std::string> paths);
    bool scanTree(const std::string& path, bool link, bool newSubsOnly = false);
    bool permitsEntering(const DirectoryIdentity& identity, bool link) const;
    /// Learns the directories above a path, for permitsEntering().
    void findAncestors(std::string_view path);
    void refreshIn(const std::string& parent, std::span<const std::string_view> names);
    /// Makes sure that a directory is in the index if it is on disk.
    bool ensure(const std::string& directory);
    bool wasScanned(std::string_view path) const;
    void publish(const std::string& path, const Listing& listing);
    IndexDirectory::Name nameFor(const DiskEntry& entry);
    void removeTree(const std::string& path);
    void note(std::string_view directory, const DiskEntry& entry);

    const IndexOptions& options_;
    IndexDirectoryTable& table_;
    ExtensionTable& extensions_;
    std::atomic<std::uint64_t>& files_;
    IndexDirectoryReader reader_;
    IndexObserver* observer_ = nullptr;

    bool changed_ = false;
    Progress progress_;
    OnProgress onProgress_;
    std::vector<Ancestor> ancestors_;                 // of the directory being scanned, the root first
    std::set<std::string, std::less<>> scannedTrees_; // by the refresh() that is going on
};

} // namespace saker::routing
