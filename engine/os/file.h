// Files as the operating system has them: open safely, read whole, replace whole. Used by the static handler
// (on a loop or a worker), by the configuration and by tests; any thread, no shared state.
//
// Every open is close-on-exec and non-blocking: a fifo or device in a served folder never hangs the caller,
// and anything that is not a regular file is refused after the open, so there is no gap between check and
// use.
#pragma once

#include "base/buffer_chain.h"
#include "base/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saker::os {

/// What the system says about an open file.
struct FileStatus {
    std::uint64_t size = 0;
    std::int64_t modified = 0; ///< nanoseconds since 1970
    std::uint64_t inode = 0;   ///< with `device`: which file it is, whatever its name
    std::uint64_t device = 0;
    bool othersMayRead = false; ///< neither its owner nor the owner's group: anybody on the machine
};

/// A regular file open for reading. Closes it when it goes, unless it was shared.
class File {
public:
    File() = default;
    /// Takes a native handle over (a descriptor, or a HANDLE).
    explicit File(std::intptr_t native) : native_(native) {}
    File(File&& other) noexcept : native_(std::exchange(other.native_, kNone)) {}
    File& operator=(File&& other) noexcept {
        std::swap(native_, other.native_);
        return *this;
    }
    ~File();

    bool isOpen() const { return native_ != kNone; }
    std::intptr_t native() const { return native_; }
    Result<FileStatus> status() const;
    /// Reads up to `size` bytes at `offset`; fewer only at the end of the file.
    Result<std::size_t> readAt(std::uint64_t offset, char* to, std::size_t size) const;
    /// Everything from the start, or an error of kind `limit` when there is more than that.
    Result<std::string> readAll(std::uint64_t limit) const;
    /// Hands the open file to pieces of a BufferChain; this object holds nothing afterwards.
    Ref<FileHandle> share() &&;

private:
    static constexpr std::intptr_t kNone = -1;
    std::intptr_t native_ = kNone;
};

/// Opens a regular file, symbolic links followed.
Result<File> openForRead(const std::string& path);
/// openForRead and readAll.
Result<std::string> readFile(const std::string& path, std::uint64_t limit);

/// Where symbolic links below a folder may lead.
enum class LinkPolicy : std::uint8_t {
    follow, ///< anywhere
    inside, ///< to what is below the folder itself, or below a folder that is allowed by name
    never,  ///< nowhere: a link in any part of the path is refused
};

/// An open folder below which files are opened by relative paths. It stays with the folder it opened: when
/// that one is moved away and another takes its place, open anew.
class Folder {
public:
    /// `alsoAllowed`: with LinkPolicy::inside, other folders that links may lead into.
    static Result<Folder> open(const std::string& path, LinkPolicy policy,
                               std::span<const std::string> alsoAllowed = {});
    Folder(Folder&& other) noexcept = default;
    Folder& operator=(Folder&& other) noexcept = default;

    /// Opens the regular file at a path relative to the folder ('/' between names, none in front, no "..").
    /// Whatever happens to the folders on the way meanwhile, what is opened obeys the link policy. Errors:
    /// notFound; permission (also for a link that leads outside, and for what is not a regular file).
    Result<File> openBeneath(std::string_view relative) const;

private:
    Folder(File handle, LinkPolicy policy, std::vector<std::string> allowed)
        : handle_(std::move(handle)), policy_(policy), allowed_(std::move(allowed)) {}

    File handle_;
    LinkPolicy policy_;
    std::vector<std::string> allowed_; // with `inside`: folders that links may lead into, this one first
};

/// Replaces a file's content as a whole: a reader sees the old or the new bytes, and so does the disk after a
/// power failure (temporary file beside it, fsync, rename, fsync of the folder). A new file gets `mode`; a
/// symbolic link is kept and its target replaced.
Result<void> writeAtomically(const std::string& path, std::string_view bytes, std::uint32_t mode = 0644);

/// Makes a folder and those above it as needed; it is no error when it exists.
Result<void> createDirectories(const std::string& path, std::uint32_t mode = 0755);

} // namespace saker::os
