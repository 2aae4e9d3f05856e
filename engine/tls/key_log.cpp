#include "tls/key_log.h"

namespace saker::tls {

Result<std::shared_ptr<KeyLog>> KeyLog::open(const std::string& path) {
    auto file = observe::AppendFile::open(path, 0600);
    if (!file) {
        return file.error();
    }
    return std::shared_ptr<KeyLog>(new KeyLog(std::move(*file)));
}

void KeyLog::write(std::string_view line) {
    const std::string whole = std::string(line) + '\n';
    std::lock_guard lock(mutex_);
    file_.write(whole);
}

} // namespace saker::tls
