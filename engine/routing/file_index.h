// Every file below a root (BackendDir or WWWdir), by path: answers in O(1), read without locks, updated in
// batches. Paths are relative to the root, with '/' between names and none in front or behind:
// "example.com/dir/file.ext". The index holds facts only; what they mean (handler, headers, site) is the
// Runtime's, so a reload re-indexes nothing.
#pragma once

#include "base/result.h"
#include "routing/quiescence.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace saker::routing {

/// Interned file name extensions: the text after the last '.', ASCII-lowercased; id 0 is "no extension".
using ExtensionId = std::uint16_t;

/// Facts of one file, read when it was indexed. Views are valid until the reader's next quiescent point.
struct FileFacts {
    std::string_view name;
    std::uint64_t size = 0;
    std::int64_t modified = 0; ///< nanoseconds since 1970
    ExtensionId extension = 0;
};

class IndexObserver;  // what keeps watch over the directories
class IndexDirectory; // one immutable block: the directory's path, files and sub-directories

/// Whether names that differ only in ASCII case are the same. `fold`: an exact match first, then the first
/// folded one in byte order of the stored names.
enum class CaseMode : std::uint8_t { exact, fold };

struct Found {
    enum class Kind : std::uint8_t { none, file, directory };
    Kind kind = Kind::none;
    bool folded = false;                       ///< found under another spelling than asked
    const IndexDirectory* directory = nullptr; ///< the directory itself, or the one the file is in
    FileFacts file;                            ///< kind file
    /// What was left of the path: "" or "/more/names" behind a *file* (PATH_INFO of RFC 3875). For `none`:
    /// undefined.
    std::string_view rest;
};

struct IndexOptions {
    std::string root{}; ///< absolute path of the folder
    /// follow: symbolic links anywhere; inside: only those whose target is below the root; never: none.
    enum class Links : std::uint8_t { follow, inside, never } links = Links::inside;
    std::vector<std::string> extraRoots{}; ///< with `inside`: other folders that links may lead into
    std::uint32_t maxDepth = 64;
};

class FileIndex {
public:
    explicit FileIndex(IndexOptions options);
    FileIndex(const FileIndex&) = delete;
    FileIndex& operator=(const FileIndex&) = delete;
    /// REQUIRES: no reader is left.
    ~FileIndex();

    // ---- readers: any thread that has a Quiescence::Reader online on quiescence() ----

    /// Looks a path up: the file or directory itself, else the nearest ancestor that is a *file* with the
    /// rest behind. Empty path: the root directory.
    Found find(std::string_view path, CaseMode mode) const;
    /// A file by name in a directory (index documents, precompressed siblings).
    bool findIn(const IndexDirectory& directory, std::string_view name, CaseMode mode,
                FileFacts& facts) const;
    bool hasDirectory(const IndexDirectory& directory, std::string_view name, CaseMode mode) const;
    /// All files, then all sub-directories of a directory in byte order.
    void list(const IndexDirectory& directory, const std::function<void(const FileFacts&)>& file,
              const std::function<void(std::string_view name)>& sub) const;
    /// "example.com/dir": the directory's path as stored on disk.
    std::string_view pathOf(const IndexDirectory& directory) const;
    std::string_view extensionText(ExtensionId id) const;
    /// The id of an extension (lower case), made if new; never changes afterwards. Any thread.
    ExtensionId extensionId(std::string_view text);
    /// Grows with every published change: two equal values mean that nothing has changed in between.
    std::uint64_t generation() const { return generation_.load(std::memory_order_acquire); }
    std::uint64_t fileCount() const;
    const std::string& root() const;
    Quiescence& quiescence() { return quiescence_; }
    /// Calls for every file below `prefix` ("" for all) in an undefined order: full path on disk.
    void forEach(std::string_view prefix, const std::function<void(std::string_view fullPath)>& visit) const;

    // ---- writers: any thread; they take turns by a mutex ----

    struct Progress {
        std::uint64_t files = 0, directories = 0;
        /// Left out: unreadable files, links that lead nowhere, outside or in circles, directories too deep.
        /// A directory that cannot be read counts too, and is in the index without its content.
        std::uint64_t skipped = 0;
    };
    /// Scans everything below `sub` ("" for all) and publishes it. Files that cannot be read are left out and
    /// counted. `progress` is called after each directory. An error when `sub` is no directory on disk: the
    /// index lost it too.
    Result<Progress> scan(std::string_view sub = {},
                          const std::function<void(const Progress&)>& progress = {});
    /// One level only: the files of `sub` and which sub-directories exist (new ones are scanned).
    Result<Progress> scanOneLevel(std::string_view sub);
    /// Re-reads one name: file or directory (with everything below it) appeared, changed or vanished.
    void refresh(std::string_view path);
    /// Many names at once: each directory concerned is replaced only once.
    void refresh(std::span<const std::string> paths);
    /// Tells an observer from now on which directories are being read; null for nobody. REQUIRES: it outlives
    /// the index or is taken out again.
    void observe(IndexObserver* observer);
    /// Estimated bytes of memory the index holds.
    std::uint64_t memoryUse() const;

private:
    struct Tables;
    void published(bool changed);

    std::atomic<std::uint64_t> generation_{0};
    Quiescence quiescence_;
    std::unique_ptr<Tables> tables_;
};

} // namespace saker::routing
