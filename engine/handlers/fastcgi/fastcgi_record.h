// Records of FastCGI 1.0 (specification, section 3.3) on the wire: headers, name-value pairs, and a decoder
// for what an application sends. Knows no socket.
#pragma once

#include "base/buffer_chain.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace saker::fastcgi {

enum class RecordType : std::uint8_t {
    beginRequest = 1,
    abortRequest = 2,
    endRequest = 3,
    params = 4,
    stdinput = 5,
    stdoutput = 6,
    stderror = 7,
    data = 8,
};

inline constexpr std::uint8_t kVersion = 1;
inline constexpr std::size_t kHeaderSize = 8;
/// The only request id that is used: one request at a time on a connection.
inline constexpr std::uint16_t kRequestId = 1;
/// The longest content we put into one record; a multiple of eight, so that full ones need no padding.
inline constexpr std::size_t kMaxContent = 65528;

/// A record's header, without padding. REQUIRES: contentLength <= kMaxContent.
void appendHeader(RecordType type, std::size_t contentLength, std::string& out);
/// BEGIN_REQUEST for the role "responder", with FCGI_KEEP_CONN.
void appendBeginRequest(std::string& out);
void appendAbortRequest(std::string& out);
/// `content` as records of one type; nothing for an empty one (an empty record is the stream's end).
void appendStream(RecordType type, std::string_view content, std::string& out);
/// The empty record that ends a stream.
void appendStreamEnd(RecordType type, std::string& out);
/// The same for a chain, files included; `content` is empty afterwards.
void appendStream(RecordType type, BufferChain& content, BufferChain& out);
/// One pair as it stands in PARAMS.
void appendPair(std::string_view name, std::string_view value, std::string& out);

/// Takes apart what an application sends to a responder's client: STDOUT, STDERR, END_REQUEST. Everything
/// else, another version or another request id is refused: it would be somebody else's answer. Resumable at
/// every byte; keeps a header at most.
class RecordDecoder {
public:
    enum class State : std::uint8_t {
        more,
        content,   ///< some bytes of a record of `type`; never empty
        recordEnd, ///< the record of `type` is over, padding included; `length`: of its content
        failed,    ///< error()
    };
    struct Step {
        State state;
        std::size_t consumed;
        RecordType type = RecordType::data;
        std::string_view content = {};
        std::uint16_t length = 0;
    };

    Step next(std::string_view input);
    /// The last `bytes` of the content that was given out just now come again with the next input.
    void unread(std::size_t bytes);
    /// Between two records.
    bool isAtBoundary() const { return phase_ == Phase::header && filled_ == 0; }
    const std::string& error() const { return error_; }

private:
    enum class Phase : std::uint8_t { header, content, padding, failed };

    Step fail(std::size_t consumed, std::string message);
    bool readHeader();

    std::array<std::uint8_t, kHeaderSize> header_{};
    std::uint8_t filled_ = 0;
    Phase phase_ = Phase::header;
    RecordType type_ = RecordType::data;
    std::uint16_t length_ = 0;
    std::uint16_t left_ = 0; // of the content, then of the padding
    std::uint8_t padding_ = 0;
    std::string error_;
};

} // namespace saker::fastcgi
