// PHP by php-cgi processes that share one socket: each answers one request at a time and ends after a number
// of them. Works wherever a socket can be given to a program as its standard input. Threads as PhpPool.
#pragma once

#include "php/php_pool.h"

#include <string_view>
#include <utility>

namespace saker::php {

class PhpCgiPool final : public PhpPool {
public:
    PhpCgiPool(os::ChildThread& thread, os::LocalListener listener, PhpPoolSettings settings, PhpLog log)
        : PhpPool(thread, std::move(listener), std::move(settings), std::move(log)) {}

private:
    std::size_t slots() const override { return settings().children; }
    KeptProgram::Manner manner() const override;
    Result<os::ChildSetup> setup() override;
    bool onLine(std::string_view line) override;
};

} // namespace saker::php
