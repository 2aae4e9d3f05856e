// One request to an upstream and its reply, in a protocol: FastCGI, HTTP/1.1. Bytes in, bytes out; knows no
// socket, so it can be fed byte by byte in tests. The exchange (upstream_exchange.h) makes one for each
// request and drives it: begin(), encode…, next() until `end` or `failed`.
//
// What a reply may make it keep is bounded by its protocol's limits, whatever the upstream sends.
#pragma once

#include "base/buffer_chain.h"
#include "http/response.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::upstream {

/// What is known of a request's body before it is sent.
struct RequestBody {
    enum class Kind : std::uint8_t { none, length, unknown };
    Kind kind = Kind::none;
    std::uint64_t length = 0;
};

/// The head of a reply.
struct ReplyHead {
    http::ResponseHead head;                 ///< without framing and hop-by-hop fields
    std::optional<std::uint64_t> bodyLength; ///< as promised; also of a reply to HEAD, or nothing
    bool hasBody = true;                     ///< false: `end` follows (HEAD, 204, 304)
    /// RFC 3875, section 6.2.2: the server is to answer as if the client had asked for this path; else "".
    std::string localRedirect;
};

struct ReplyEvent {
    enum class Kind : std::uint8_t {
        more,      ///< all input is used up: feed more
        interim,   ///< takeHead(): 103 and its kin; 100 is not told
        head,      ///< takeHead(): the final one
        upgraded,  ///< takeHead(): a 101 that was asked for; what follows belongs to the other protocol
        body,      ///< `data`
        errorText, ///< `data`: what the program wrote for the operator
        end,       ///< complete: trailers(), isReusable()
        failed,    ///< failure(): the reply can never be complete
    };
    Kind kind = Kind::more;
    std::size_t consumed = 0;   ///< input bytes used up by this step
    std::string_view data = {}; ///< inside the input
};

/// Why a reply failed.
struct ReplyFailure {
    int status = 502;    ///< for the client, when it has not seen a head yet
    std::string message; ///< for the log: what came, what was expected
};

class UpstreamProtocol {
public:
    virtual ~UpstreamProtocol() = default;

    // ---- the request ----

    /// The request can only be sent when its body's length is known: a body of unknown length has to be
    /// collected first.
    virtual bool needsLength() const = 0;
    /// The request's method may be sent twice without harm (RFC 9110, section 9.2.2).
    virtual bool isIdempotent() const = 0;
    /// Starts the request, and again for another try: nothing of an earlier reply remains. Appends the head;
    /// with a body of kind `none` the whole request.
    virtual void begin(const RequestBody& body, BufferChain& out) = 0;
    /// A part of the body; `data` is empty afterwards.
    virtual void encodeBody(BufferChain& data, BufferChain& out) = 0;
    /// The body is complete.
    virtual void encodeEnd(BufferChain& out) = 0;
    /// Tells the upstream that nobody waits for the reply any more; nothing where the protocol cannot. The
    /// connection is not to be used again either way.
    virtual void encodeAbort(BufferChain& out) = 0;

    // ---- the reply ----

    /// One step; call again with the rest of the input until `more`, `end`, `upgraded` or `failed`.
    virtual ReplyEvent next(std::string_view input) = 0;
    /// The upstream has closed its side: `end` when that is how the reply ends, else `failed`.
    virtual ReplyEvent finish() = 0;
    /// After `interim`, `head` and `upgraded`, once.
    virtual ReplyHead takeHead() = 0;
    /// After `end`: fields behind the body.
    virtual const std::vector<http::ResponseHead::Field>& trailers() const = 0;
    /// After `failed`.
    virtual const ReplyFailure& failure() const = 0;
    /// After `end`: another request may go over the connection, if nothing more has come and the request was
    /// sent completely.
    virtual bool isReusable() const = 0;
};

} // namespace saker::upstream
