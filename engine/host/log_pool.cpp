#include "host/log_pool.h"

namespace saker::host {

Result<std::shared_ptr<observe::AccessLog>> LogPool::acquire(const observe::AccessLogOptions& options) {
    if (options.file.empty()) {
        return std::shared_ptr<observe::AccessLog>();
    }
    std::erase_if(logs_, [](const auto& entry) { return entry.second.expired(); });
    const auto [first, last] = logs_.equal_range(options.file);
    for (auto known = first; known != last; ++known) {
        if (auto log = known->second.lock(); log && log->options() == options) {
            return log;
        }
    }
    auto opened = observe::AccessLog::open(options);
    if (opened) {
        logs_.emplace(options.file, *opened);
    }
    return opened;
}

void LogPool::reopen() {
    for (auto& [file, known] : logs_) {
        if (auto log = known.lock()) {
            log->reopen();
        }
    }
}

void LogPool::drain() {
    for (auto& [file, known] : logs_) {
        if (auto log = known.lock()) {
            log->drain();
        }
    }
}

} // namespace saker::host
