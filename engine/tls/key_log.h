// The secrets of connections in a file, for tools that read recorded traffic (the format of NSS). Only on
// explicit request: whoever has the file can read everything. Any thread.
#pragma once

#include "base/result.h"
#include "observe/append_file.h"

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace saker::tls {

class KeyLog {
public:
    /// Appends to the file; a new one can be read by its owner only.
    static Result<std::shared_ptr<KeyLog>> open(const std::string& path);
    void write(std::string_view line);

private:
    explicit KeyLog(observe::AppendFile file) : file_(std::move(file)) {}

    std::mutex mutex_;
    observe::AppendFile file_;
};

} // namespace saker::tls
