#include "host/log_pool.h"

namespace saker::host {

Result<std::shared_ptr<observe::AccessLog>> LogPool::acquire(const observe::AccessLogOptions& options) {
    if (options.file.empty()) {
        return std::shared_ptr<observe::AccessLog>();
    }
    std::weak_ptr<observe::AccessLog>& known = logs_[options.file];
    if (auto log = known.lock(); log && log->options() == options) {
        return log;
    }
    auto opened = observe::AccessLog::open(options);
    if (opened) {
        known = *opened;
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
