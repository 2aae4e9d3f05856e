#include "http/h2/session_callbacks.h"

#include "http/h2/h2_connection.h"
#include "http/h2/h2_loop.h"

#include <limits>

namespace saker::http {

namespace {

using Flood = observe::Http2Flood;

/// How much larger than allowed a head may be, decompressed, before it counts as an attack: it has to be read
/// to its end for the sake of the compression's state.
constexpr std::size_t kBombFactor = 4;
/// PING and SETTINGS that wait to be acknowledged.
constexpr std::size_t kMostReplies = 256;
/// As many as a head of the size that is allowed by default takes, and some more.
constexpr std::size_t kMostContinuations = 8;

H2Connection& connectionOf(void* user) {
    return *static_cast<H2Connection*>(user);
}

std::string_view view(const std::uint8_t* bytes, std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

/// Once a client is cut off, nothing more of what it has sent is looked at.
int resultOf(const H2Connection& connection) {
    return connection.isCutOff() ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

int onBeginFrame(nghttp2_session*, const nghttp2_frame_hd* head, void* user) {
    if (head->type == NGHTTP2_PRIORITY) { // which nobody looks at: it is never reported as a frame
        connectionOf(user).onFlood(Flood::priorities);
        return resultOf(connectionOf(user));
    }
    return 0;
}

int onBeginHeaders(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
        H2Exchange& exchange = connectionOf(user).begin(frame->hd.stream_id);
        nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, &exchange);
    }
    return 0;
}

int onHeader(nghttp2_session* session, const nghttp2_frame* frame, const std::uint8_t* name,
             std::size_t nameSize, const std::uint8_t* value, std::size_t valueSize, std::uint8_t,
             void* user) {
    H2Connection& connection = connectionOf(user);
    H2Exchange* exchange = connection.arriving();
    if (exchange == nullptr || frame->hd.stream_id != exchange->stream()) {
        // Trailers are not looked at, but for what they must not hold (RFC 9113, section 8.1); nor do they
        // cost more than their frames, of which there may be few.
        exchange = SessionCallbacks::exchangeOf(session, frame->hd.stream_id);
        if (exchange != nullptr && nameSize > 0 && name[0] == ':') {
            exchange->breakOff();
        }
    } else {
        RequestText& text = exchange->text();
        text.addField(view(name, nameSize), view(value, valueSize));
        if (text.isTooLarge() && text.size() > kBombFactor * connection.context().limits().maxHead) {
            connection.onFlood(Flood::headerBombs);
            return resultOf(connection);
        }
    }
    return 0;
}

void onHeadersOrData(H2Connection& connection, H2Exchange& exchange, const nghttp2_frame& frame) {
    if (!exchange.isDispatched()) {
        connection.dispatch(exchange, (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0);
    } else if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
        connection.endBody(exchange);
    } else if (frame.hd.type == NGHTTP2_HEADERS) { // trailers that end nothing (RFC 9113, section 8.1)
        exchange.breakOff();
    } else if (frame.hd.type == NGHTTP2_DATA && frame.hd.length == frame.data.padlen) {
        connection.onFlood(Flood::emptyFrames);
    }
}

int onFrame(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    H2Connection& connection = connectionOf(user);
    switch (frame->hd.type) {
    case NGHTTP2_HEADERS:
        if (H2Exchange* exchange = connection.arriving();
            exchange != nullptr && exchange->stream() == frame->hd.stream_id) { // spares looking it up
            onHeadersOrData(connection, *exchange, *frame);
            break;
        }
        [[fallthrough]];
    case NGHTTP2_DATA:
        if (H2Exchange* exchange = SessionCallbacks::exchangeOf(session, frame->hd.stream_id)) {
            onHeadersOrData(connection, *exchange, *frame);
        }
        break;
    case NGHTTP2_RST_STREAM:
        connection.onFlood(Flood::resets);
        break;
    case NGHTTP2_SETTINGS:
        connection.onSettings();
        connection.onFlood(Flood::settings);
        break;
    case NGHTTP2_PING:
        if ((frame->hd.flags & NGHTTP2_FLAG_ACK) != 0) {
            connection.onPingReply();
        }
        connection.onFlood(Flood::pings);
        break;
    case NGHTTP2_PRIORITY_UPDATE:
        connection.onFlood(Flood::priorities);
        break;
    case NGHTTP2_WINDOW_UPDATE:
        connection.onFlood(Flood::windowUpdates);
        break;
    default:
        break;
    }
    return resultOf(connection);
}

int onInvalidFrame(nghttp2_session*, const nghttp2_frame*, int, void* user) {
    connectionOf(user).onFlood(Flood::badRequests);
    return resultOf(connectionOf(user));
}

int onDataChunk(nghttp2_session* session, std::uint8_t, std::int32_t stream, const std::uint8_t* data,
                std::size_t size, void*) {
    H2Exchange* exchange = SessionCallbacks::exchangeOf(session, stream);
    if (exchange != nullptr) {
        exchange->takeBody(view(data, size));
    }
    if (exchange != nullptr && exchange->holdsWindow(size)) { // the others' windows stay as they are
        nghttp2_session_consume_connection(session, size);
    } else {
        nghttp2_session_consume(session, stream, size);
    }
    return 0;
}

int onStreamClose(nghttp2_session* session, std::int32_t stream, std::uint32_t, void* user) {
    if (H2Exchange* exchange = SessionCallbacks::exchangeOf(session, stream)) {
        connectionOf(user).end(*exchange);
    }
    return 0;
}

int onFrameSent(nghttp2_session* session, const nghttp2_frame* frame, void* user) {
    if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 && connectionOf(user).hasUploads()) {
        H2Exchange* exchange = SessionCallbacks::exchangeOf(session, frame->hd.stream_id);
        if (exchange != nullptr && !exchange->isBodyDone() && !exchange->isRestWanted()) {
            exchange->cutBodyOff();
        }
    }
    return 0;
}

/// A head that is too large to be sent: the client must not wait for it.
int onFrameNotSent(nghttp2_session* session, const nghttp2_frame* frame, int, void*) {
    if (frame->hd.type == NGHTTP2_HEADERS) {
        nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_INTERNAL_ERROR);
    }
    return 0;
}

ssize_t onPull(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t most, std::uint32_t* flags,
               nghttp2_data_source* source, void*) {
    return static_cast<H2Exchange*>(source->ptr)->pull(most, *flags);
}

int onSendData(nghttp2_session*, nghttp2_frame*, const std::uint8_t* frameHead, std::size_t size,
               nghttp2_data_source* source, void* user) {
    constexpr std::size_t kFrameHead = 9; // RFC 9113, section 4.1
    static_cast<H2Exchange*>(source->ptr)->put(view(frameHead, kFrameHead), size);
    return connectionOf(user).onDataSent(size) ? 0 : NGHTTP2_ERR_PAUSE;
}

/// Made once: they hold no state.
const nghttp2_session_callbacks* callbacks() {
    static nghttp2_session_callbacks* const kAll = [] {
        nghttp2_session_callbacks* made = nullptr;
        if (nghttp2_session_callbacks_new(&made) == 0) {
            nghttp2_session_callbacks_set_on_begin_frame_callback(made, onBeginFrame);
            nghttp2_session_callbacks_set_on_begin_headers_callback(made, onBeginHeaders);
            nghttp2_session_callbacks_set_on_header_callback(made, onHeader);
            nghttp2_session_callbacks_set_on_frame_recv_callback(made, onFrame);
            nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(made, onInvalidFrame);
            nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, onDataChunk);
            nghttp2_session_callbacks_set_on_stream_close_callback(made, onStreamClose);
            nghttp2_session_callbacks_set_on_frame_send_callback(made, onFrameSent);
            nghttp2_session_callbacks_set_on_frame_not_send_callback(made, onFrameNotSent);
            nghttp2_session_callbacks_set_send_data_callback(made, onSendData);
        }
        return made;
    }();
    return kAll;
}

const nghttp2_option* options() {
    static nghttp2_option* const kAll = [] {
        nghttp2_option* made = nullptr;
        if (nghttp2_option_new(&made) == 0) {
            nghttp2_option_set_no_closed_streams(made, 1);
            nghttp2_option_set_no_auto_window_update(made, 1); // readers of bodies may pause
            nghttp2_option_set_no_http_messaging(made, 1);     // RequestText and H2Exchange see to the rules
            nghttp2_option_set_builtin_recv_extension_type(made, NGHTTP2_PRIORITY_UPDATE);
            nghttp2_option_set_max_outbound_ack(made, kMostReplies);
            nghttp2_option_set_max_continuations(made, kMostContinuations);
            // FloodGuard judges resets, by what else the client does.
            constexpr auto kNoLimit = std::numeric_limits<std::uint32_t>::max();
            nghttp2_option_set_stream_reset_rate_limit(made, kNoLimit, kNoLimit);
        }
        return made;
    }();
    return kAll;
}

} // namespace

nghttp2_session* SessionCallbacks::makeSession(H2Connection& connection) {
    nghttp2_session* session = nullptr;
    if (nghttp2_session_server_new3(&session, callbacks(), &connection, options(),
                                    connection.shared().memory.functions()) != 0) {
        return nullptr;
    }
    return session;
}

nghttp2_data_provider SessionCallbacks::bodyOf(H2Exchange& exchange) {
    nghttp2_data_provider provider{};
    provider.source.ptr = &exchange;
    provider.read_callback = onPull;
    return provider;
}

} // namespace saker::http
