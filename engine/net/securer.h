// Puts encryption on connections that were opened to one server. A seam: those who open connections know no
// TLS. On the loop's thread.
#pragma once

#include "net/transport.h"

#include <cstdint>
#include <string>

namespace saker::net {

class SecureUser {
public:
    /// Not started yet: the user calls transport.start().
    virtual void onSecured(Transport& transport) = 0;
    /// The connection is gone.
    virtual void onNotSecured(const std::string& reason, bool isTimeout) = 0;

protected:
    ~SecureUser() = default;
};

class Securer {
public:
    virtual ~Securer() = default;

    /// `lower` has not been started yet; it belongs to what comes of it. Callbacks come from the loop.
    virtual void secure(Transport& lower, std::uint64_t timeoutMs, SecureUser& user) = 0;
    /// The user is not called any more; the connection is closed.
    virtual void cancel(SecureUser& user) = 0;
};

} // namespace saker::net
