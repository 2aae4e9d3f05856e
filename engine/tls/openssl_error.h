// OpenSSL keeps errors in a queue for each thread; what is left there is taken for the outcome of the next
// TLS call. So whoever calls OpenSSL and does not pass its error on empties the queue.
#pragma once

#include <string>

namespace saker::tls {

/// The most telling of the thread's queued errors, "unknown error" where there is none. Empties the queue.
std::string takeOpensslError();

/// Empties the queue when the scope is left.
class ClearsOpensslErrors {
public:
    ClearsOpensslErrors() = default;
    ClearsOpensslErrors(const ClearsOpensslErrors&) = delete;
    ClearsOpensslErrors& operator=(const ClearsOpensslErrors&) = delete;
    ~ClearsOpensslErrors();
};

} // namespace saker::tls
