// PHP by a php-fpm master of our own: it makes and ends children as there is work. Its configuration is a
// file of ours beside the socket; the socket is handed to it, so that it survives the master. Its children
// answer while a crashed master is replaced. Threads as PhpPool.
#pragma once

#include "php/php_pool.h"

#include <string>
#include <string_view>
#include <utility>

namespace saker::php {

class PhpFpmPool final : public PhpPool {
public:
    PhpFpmPool(os::ChildThread& thread, os::LocalListener listener, PhpPoolSettings settings, PhpLog log)
        : PhpPool(thread, std::move(listener), std::move(settings), std::move(log)) {}

private:
    std::size_t slots() const override { return 1; }
    KeptProgram::Manner manner() const override;
    Result<os::ChildSetup> setup() override;
    bool onLine(std::string_view line) override;
};

/// The text of php-fpm's configuration. `listen` is the name under which the socket is handed over; it is the
/// name of no file, because a master that ends removes the file.
std::string fpmConfiguration(const PhpPoolSettings& settings, std::string_view listen);

/// A line of php-fpm's log, "[01-Dec-2026 12:00:00] WARNING: text", or one of a child's, which is a warning.
struct FpmLine {
    log::Level level = log::Level::warning;
    std::string_view text;
};
FpmLine parseFpmLine(std::string_view line);

} // namespace saker::php
