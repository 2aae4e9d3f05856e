// The access log: each loop formats lines into a buffer of its own (AccessLog::Channel), full buffers go to
// one writer thread. A loop never waits for the disk: when the queue is full, the buffer is dropped and its
// lines are counted as lost. A full disk is survived the same way; both are said on the error log, at most
// once a minute.
#pragma once

#include "base/result.h"
#include "observe/access_format.h"
#include "observe/append_file.h"
#include "observe/repeat_limit.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace saker::observe {

class AccessLog {
public:
    class Channel;

    struct Limits {
        std::size_t bufferBytes = 64 * 1024;      ///< of each loop
        std::size_t queueBytes = 8 * 1024 * 1024; ///< waiting for the disk, at most
    };

    /// Opens the file for appending, makes its parent folders, and starts the writer thread. Rotated files
    /// are named file.1 (the youngest), file.2 …; a device, a pipe or a link is never rotated.
    static Result<std::shared_ptr<AccessLog>> open(AccessLogOptions options, Limits limits);
    static Result<std::shared_ptr<AccessLog>> open(AccessLogOptions options) {
        return open(std::move(options), Limits());
    }
    /// Writes what is queued, then ends. May wait for the disk: the host lets go last, after the channels.
    ~AccessLog();
    AccessLog(const AccessLog&) = delete;
    AccessLog& operator=(const AccessLog&) = delete;

    /// Opens the file by its name again (USR1, after logrotate has moved it); the writer does it, behind what
    /// is queued. When it cannot be opened, the old file stays in use and the error log says why. Any thread.
    void reopen();
    /// Blocks until everything queued so far has been written or lost; for shutdown and tests. Not on a loop.
    void drain();
    /// Lines that never reached the disk. Any thread.
    std::uint64_t lostLines() const { return lost_.load(std::memory_order_relaxed); }
    const AccessLogOptions& options() const { return options_; }

private:
    /// Whole lines.
    struct Buffer {
        std::unique_ptr<char[]> bytes;
        std::size_t capacity = 0;
        std::size_t size = 0;
        std::uint64_t lines = 0;
    };

    AccessLog(AccessLogOptions options, Limits limits, AppendFile file);

    // For channels, on their threads: constant time, no system call but a wake-up.
    Buffer takeBuffer(std::size_t capacity);
    void queue(Buffer buffer);
    /// Half of the queue is in use: buffers that are not full had better wait where they are.
    bool isBacklogged();

    // The writer thread.
    void run();
    void write(const Buffer& buffer);
    void lose(std::uint64_t lines, const std::string& why);
    void rotate();
    void openAgain();

    const AccessLogOptions options_;
    const Limits limits_;
    std::atomic<std::uint64_t> lost_{0};

    std::mutex mutex_; // never held during a system call on the file
    std::condition_variable work_;
    std::condition_variable idle_;
    std::deque<Buffer> queue_;
    std::size_t queuedBytes_ = 0; // memory held, not only what is filled
    std::vector<Buffer> spare_;   // buffers to use again
    bool dropped_ = false;        // since it was last said
    bool busy_ = false;
    bool reopen_ = false;
    bool stopping_ = false;

    // The writer thread's own.
    AppendFile file_;
    std::string cutLine_; // the rest of a line that a full disk cut; written first when space is back
    RepeatLimit lossLimit_{std::chrono::seconds(60)};
    RepeatLimit rotateLimit_{std::chrono::seconds(60)};
    std::thread thread_; // last: runs on all of the above
};

/// One loop's side of an access log. All calls on that loop's thread.
class AccessLog::Channel {
public:
    explicit Channel(std::shared_ptr<AccessLog> log);
    ~Channel(); // flushes
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// Formats the line into the buffer; hands the buffer over when it is full.
    void record(const AccessRecord& record);
    /// Hands over what there is; the loop calls it once a second. Nothing happens when there is nothing, or
    /// when the disk is behind.
    void flush();
    const std::shared_ptr<AccessLog>& log() const { return log_; }

private:
    void handOver();

    std::shared_ptr<AccessLog> log_;
    AccessFormatter formatter_;
    Buffer buffer_;
};

} // namespace saker::observe
