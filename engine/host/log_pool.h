// The access logs in use, one writer per file and settings however many configurations and sites share it.
// One thread at a time.
#pragma once

#include "observe/access_log.h"

#include <map>
#include <memory>
#include <string>

namespace saker::host {

class LogPool {
public:
    /// The log of that file: the living one if its settings are the same, else a new one. Null for no file.
    Result<std::shared_ptr<observe::AccessLog>> acquire(const observe::AccessLogOptions& options);
    /// Opens all files by their names again.
    void reopen();
    /// Waits until everything queued is written or lost.
    void drain();

private:
    /// By file: sites may write one file with different settings.
    std::multimap<std::string, std::weak_ptr<observe::AccessLog>> logs_;
};

} // namespace saker::host
