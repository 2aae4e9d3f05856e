// Between nghttp2, which calls plain functions, and H2Connection and its exchanges, which they belong to.
// Nothing here has a state of its own.
#pragma once

#include <cstdint>

#include <nghttp2/nghttp2.h>

namespace saker::http {

class H2Connection;
class H2Exchange;

struct SessionCallbacks {
    /// A server's session whose calls go to the connection; null when there is no memory.
    static nghttp2_session* makeSession(H2Connection& connection);
    /// Where nghttp2 gets the body of an exchange's answer.
    static nghttp2_data_provider bodyOf(H2Exchange& exchange);
    /// Of an open stream; null for others.
    static H2Exchange* exchangeOf(nghttp2_session* session, std::int32_t stream) {
        return static_cast<H2Exchange*>(nghttp2_session_get_stream_user_data(session, stream));
    }
};

} // namespace saker::http
