#include "observe/access_log.h"

#include "base/error.h"
#include "base/text.h"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace saker::observe {

namespace {

constexpr std::string_view kSource = "access log";
/// Buffers kept for use again; more than the loops of a usual machine hand over at once.
constexpr std::size_t kMaxSpare = 16;

std::uint64_t countLines(std::string_view bytes) {
    return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

std::string numbered(const std::string& file, std::uint32_t number) {
    return file + "." + std::to_string(number);
}

} // namespace

Result<std::shared_ptr<AccessLog>> AccessLog::open(AccessLogOptions options, Limits limits) {
    auto file = AppendFile::open(options.file);
    if (!file) {
        return Error{file.error().kind,
                     "the access log cannot be opened: " + file.error().message +
                         ". Name a file in a folder that this user may write to",
                     options.file};
    }
    // The constructor is private, which make_shared does not get past.
    struct Shared : AccessLog {
        Shared(AccessLogOptions options, Limits limits, AppendFile file)
            : AccessLog(std::move(options), limits, std::move(file)) {}
    };
    return std::shared_ptr<AccessLog>(std::make_shared<Shared>(std::move(options), limits, std::move(*file)));
}

AccessLog::AccessLog(AccessLogOptions options, Limits limits, AppendFile file)
    : options_(std::move(options)), limits_(limits), file_(std::move(file)), thread_([this] { run(); }) {}

AccessLog::~AccessLog() {
    {
        std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    work_.notify_one();
    thread_.join();
}

void AccessLog::reopen() {
    {
        std::lock_guard lock(mutex_);
        reopen_ = true;
    }
    work_.notify_one();
}

void AccessLog::drain() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return queue_.empty() && !busy_ && !reopen_; });
}

AccessLog::Buffer AccessLog::takeBuffer(std::size_t capacity) {
    if (capacity <= limits_.bufferBytes) {
        std::lock_guard lock(mutex_);
        if (!spare_.empty()) {
            Buffer buffer = std::move(spare_.back());
            spare_.pop_back();
            return buffer;
        }
        capacity = limits_.bufferBytes;
    }
    Buffer buffer;
    buffer.bytes = std::make_unique_for_overwrite<char[]>(capacity);
    buffer.capacity = capacity;
    return buffer;
}

void AccessLog::queue(Buffer buffer) {
    {
        std::lock_guard lock(mutex_);
        if (queuedBytes_ + buffer.capacity > limits_.queueBytes) {
            lost_.fetch_add(buffer.lines, std::memory_order_relaxed);
            dropped_ = true; // the writer says so: it is busy, and looks at this between two buffers
            return;
        }
        queuedBytes_ += buffer.capacity;
        queue_.push_back(std::move(buffer));
    }
    work_.notify_one();
}

bool AccessLog::isBacklogged() {
    std::lock_guard lock(mutex_);
    return queuedBytes_ > limits_.queueBytes / 2;
}

void AccessLog::run() {
    std::unique_lock lock(mutex_);
    for (;;) {
        work_.wait(lock, [this] { return !queue_.empty() || reopen_ || stopping_; });
        busy_ = true;
        while (!queue_.empty()) {
            Buffer buffer = std::move(queue_.front());
            queue_.pop_front();
            bool dropped = std::exchange(dropped_, false);
            lock.unlock();
            if (dropped) {
                lossLimit_.write(log::Level::warning, kSource,
                                 "{}: the disk is too slow for so many requests; {} lost so far",
                                 options_.file, counted(lostLines(), "line is", "lines are"));
            }
            write(buffer);
            lock.lock();
            queuedBytes_ -= buffer.capacity;
            if (buffer.capacity == limits_.bufferBytes && spare_.size() < kMaxSpare) {
                buffer.size = 0;
                buffer.lines = 0;
                spare_.push_back(std::move(buffer));
            }
        }
        if (reopen_) {
            lock.unlock();
            openAgain();
            lock.lock();
            reopen_ = false;
        }
        busy_ = false;
        idle_.notify_all();
        if (stopping_ && queue_.empty()) {
            return;
        }
    }
}

void AccessLog::write(const Buffer& buffer) {
    if (!cutLine_.empty()) {
        AppendFile::Written written = file_.write(cutLine_);
        cutLine_.erase(0, written.bytes);
        if (written.error != 0) {
            lose(buffer.lines, systemErrorText(written.error));
            return;
        }
    }
    std::string_view bytes(buffer.bytes.get(), buffer.size);
    AppendFile::Written written = file_.write(bytes);
    if (written.error != 0) {
        // What has been cut in the middle of a line is finished as soon as there is space: the file keeps
        // whole lines.
        std::string_view rest = bytes.substr(written.bytes);
        bool cut = written.bytes > 0 && bytes[written.bytes - 1] != '\n';
        if (cut) {
            std::size_t end = rest.find('\n') + 1;
            cutLine_ = rest.substr(0, end);
            rest.remove_prefix(end);
        }
        lose(countLines(rest), systemErrorText(written.error));
        return;
    }
    if (options_.rotateSize > 0 && file_.isRegular() && file_.size() >= options_.rotateSize) {
        rotate();
    }
}

void AccessLog::lose(std::uint64_t lines, const std::string& why) {
    std::uint64_t all = lost_.fetch_add(lines, std::memory_order_relaxed) + lines;
    lossLimit_.write(log::Level::error, kSource, "{}: {}; requests are served but not logged, {} lost so far",
                     options_.file, why, counted(all, "line is", "lines are"));
}

void AccessLog::rotate() {
    std::error_code error;
    if (options_.keep == 0) {
        std::filesystem::remove(options_.file, error);
    } else {
        for (std::uint32_t n = options_.keep; n > 1; --n) {
            std::error_code missing; // fewer than `keep` exist as yet
            std::filesystem::rename(numbered(options_.file, n - 1), numbered(options_.file, n), missing);
        }
        std::filesystem::rename(options_.file, numbered(options_.file, 1), error);
    }
    if (error) {
        rotateLimit_.write(log::Level::warning, kSource, "{}: cannot be rotated: {}; it goes on growing",
                           options_.file, error.message());
        return;
    }
    openAgain();
}

void AccessLog::openAgain() {
    auto file = AppendFile::open(options_.file);
    if (!file) {
        log::error(kSource, "{}; the file opened before stays in use", file.error().text());
        return;
    }
    file_ = std::move(*file);
    if (!cutLine_.empty()) {
        cutLine_.clear(); // its beginning is in the old file
        lost_.fetch_add(1, std::memory_order_relaxed);
    }
}

AccessLog::Channel::Channel(std::shared_ptr<AccessLog> log)
    : log_(std::move(log)), formatter_(log_->options().format) {}

AccessLog::Channel::~Channel() {
    handOver();
}

void AccessLog::Channel::record(const AccessRecord& record) {
    std::size_t room = AccessFormatter::maxSize(record);
    if (buffer_.capacity - buffer_.size < room) {
        handOver();
        buffer_ = log_->takeBuffer(room);
    }
    char* begin = buffer_.bytes.get() + buffer_.size;
    buffer_.size += static_cast<std::size_t>(formatter_.write(record, begin) - begin);
    ++buffer_.lines;
}

void AccessLog::Channel::flush() {
    if (buffer_.size > 0 && !log_->isBacklogged()) {
        handOver();
    }
}

void AccessLog::Channel::handOver() {
    if (buffer_.size > 0) {
        log_->queue(std::exchange(buffer_, {}));
    }
}

} // namespace saker::observe
