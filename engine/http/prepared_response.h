// An answer that is given many times: status, fields and body are fixed, only Date changes. A protocol's wire
// form of the head is made on first use and kept, so a hit costs one piece in a chain. Belongs to one loop.
#pragma once

#include "base/buffer_chain.h"
#include "http/date_cache.h"
#include "http/response.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace saker::http {

/// What HTTP/1 says about the connection: nothing (the version's default holds), close, or keep-alive (to
/// a 1.0 client).
enum class ConnectionField : std::uint8_t { none, close, keepAlive };

class PreparedResponse final : public RefCounted {
public:
    /// The body: bytes (kept alive by `keeper`) or a range of a file; both empty for none.
    struct Body {
        std::string_view bytes;
        std::shared_ptr<const void> keeper;
        Ref<FileHandle> file;
        std::uint64_t offset = 0;
        std::uint64_t size = 0; ///< of the file range
    };

    /// Bodies up to this size are copied behind the head, so that both leave in one piece.
    static constexpr std::size_t kInlineBody = 65536;
    /// The same for the rarer forms that say something about the connection.
    static constexpr std::size_t kInlineBodyOfRareForm = 4096;

    /// Adds Content-Length unless the status forbids it (1xx, 204, 304: RFC 9110, section 8.6). Date is added
    /// at rendering and must not be in the head.
    PreparedResponse(ResponseHead head, Body body);

    int status() const { return head_.status; }
    const ResponseHead& head() const { return head_; }
    std::uint64_t bodySize() const { return body_.file ? body_.size : body_.bytes.size(); }
    const Body& body() const { return body_; }
    /// Bytes of memory that this keeps for itself: the rendered blocks.
    std::uint64_t memoryUse() const;

    /// Appends the HTTP/1.1 form. Returns the bytes appended. `strictTransport`: Exchange::strictTransport.
    std::uint64_t appendHttp1(BufferChain& chain, const DateCache& date, ConnectionField connection,
                              bool withBody, const Ref<StringBlock>& strictTransport = {});

    /// What another version of HTTP keeps with it, such as its own form of the head. Belongs to that version.
    Ref<RefCounted> otherForm;

private:
    struct Block : RefCounted {
        std::string bytes; // head, empty line, body if it is small
    };
    /// The HTTP/1 form with one of the Connection fields, in one piece.
    struct Form {
        Ref<Block> block;
        std::int64_t second = -1;
        std::uint32_t dateOffset = 0; // of the 29 bytes that change
        std::uint32_t headSize = 0;   // with the empty line
    };
    const Form& refresh(ConnectionField connection, const DateCache& date);

    ResponseHead head_;
    Body body_;
    std::array<Form, 3> forms_; // by ConnectionField, made when they are wanted first
};

} // namespace saker::http
