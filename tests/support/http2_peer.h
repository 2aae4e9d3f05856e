// The client's side of an HTTP/2 connection over a FakeTransport.
#pragma once

#include "support/fake_transport.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nghttp2/nghttp2.h>

namespace saker::test {

class Http2Peer {
public:
    struct Answer {
        std::vector<std::pair<std::string, std::string>> fields;
        std::vector<std::string> interim; ///< statuses
        std::string body;
        bool isEnded = false;
        bool isClosed = false;
        std::uint32_t error = 0; ///< of the stream's end

        std::string get(std::string_view name) const {
            for (const auto& [key, value] : fields) {
                if (key == name) {
                    return value;
                }
            }
            return {};
        }
        std::string status() const { return get(":status"); }
    };
    using Fields = std::vector<std::pair<std::string, std::string>>;

    explicit Http2Peer(FakeTransport& transport, std::uint32_t window = 65535) : transport_(transport) {
        nghttp2_session_callbacks* callbacks = nullptr;
        nghttp2_session_callbacks_new(&callbacks);
        nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onData);
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame);
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onClose);
        nghttp2_option* options = nullptr;
        nghttp2_option_new(&options);
        nghttp2_option_set_no_auto_window_update(options, 1);
        nghttp2_session_client_new2(&session_, callbacks, this, options);
        nghttp2_option_del(options);
        nghttp2_session_callbacks_del(callbacks);
        const nghttp2_settings_entry entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window};
        nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, &entry, 1);
    }
    ~Http2Peer() { nghttp2_session_del(session_); }
    Http2Peer(const Http2Peer&) = delete;
    Http2Peer& operator=(const Http2Peer&) = delete;

    /// A request; a body is sent with it. Returns the stream.
    std::int32_t request(std::string_view method, std::string_view path, const Fields& more = {},
                         std::string body = {}, bool ends = true) {
        Fields all{{":method", std::string(method)},
                   {":scheme", "http"},
                   {":authority", "x"},
                   {":path", std::string(path)}};
        all.insert(all.end(), more.begin(), more.end());
        return submit(all, std::move(body), ends);
    }
    std::int32_t submit(const Fields& fields, std::string body = {}, bool ends = true) {
        std::vector<nghttp2_nv> list;
        for (const auto& [name, value] : fields) {
            list.push_back({reinterpret_cast<std::uint8_t*>(const_cast<char*>(name.data())),
                            reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), name.size(),
                            value.size(), NGHTTP2_NV_FLAG_NONE});
        }
        std::int32_t stream = 0;
        if (body.empty() && ends) {
            stream = nghttp2_submit_request(session_, nullptr, list.data(), list.size(), nullptr, nullptr);
        } else {
            auto* upload =
                uploads_.emplace_back(std::make_unique<Upload>(Upload{std::move(body), 0, ends})).get();
            nghttp2_data_provider provider{};
            provider.source.ptr = upload;
            provider.read_callback = onRead;
            stream = nghttp2_submit_request(session_, nullptr, list.data(), list.size(), &provider, nullptr);
            open_[stream] = upload;
        }
        exchange();
        return stream;
    }
    /// More of a body that did not end.
    void send(std::int32_t stream, std::string_view text, bool ends = false) {
        open_[stream]->text += text;
        open_[stream]->ends = ends;
        nghttp2_session_resume_data(session_, stream);
        exchange();
    }
    void reset(std::int32_t stream, std::uint32_t error = NGHTTP2_CANCEL) {
        nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream, error);
        exchange();
    }
    /// Opens windows again, of a stream and of the connection.
    void take(std::int32_t stream, std::size_t size) {
        nghttp2_session_consume(session_, stream, size);
        exchange();
    }
    void ping() {
        nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
        exchange();
    }

    /// Bytes go both ways until nobody has more to say.
    void exchange() {
        while (true) {
            const std::uint8_t* bytes = nullptr;
            const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
            if (size > 0) {
                transport_.receive({reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)});
            }
            const bool took = takeSent();
            if (size <= 0 && !took) {
                return;
            }
        }
    }
    bool takeSent() {
        const std::string sent = std::exchange(transport_.sent, {});
        nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(sent.data()), sent.size());
        return !sent.empty();
    }

    Answer& operator[](std::int32_t stream) { return answers_[stream]; }
    bool wasSentAway() const { return goneAway_; }
    std::uint32_t goAwayError() const { return goAwayError_; }

private:
    struct Upload {
        std::string text;
        std::size_t done;
        bool ends;
    };

    static Http2Peer& self(void* user) { return *static_cast<Http2Peer*>(user); }
    static int onHeader(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                        std::size_t nameSize, const std::uint8_t* value, std::size_t valueSize, std::uint8_t,
                        void* user) {
        Answer& answer = self(user).answers_[frame->hd.stream_id];
        const std::string key(reinterpret_cast<const char*>(name), nameSize);
        const std::string text(reinterpret_cast<const char*>(value), valueSize);
        if (key == ":status" && text.starts_with("1")) {
            answer.interim.push_back(text);
        } else {
            answer.fields.emplace_back(key, text);
        }
        return 0;
    }
    static int onData(nghttp2_session*, std::uint8_t, std::int32_t stream, const std::uint8_t* data,
                      std::size_t size, void* user) {
        self(user).answers_[stream].body.append(reinterpret_cast<const char*>(data), size);
        return 0;
    }
    static int onFrame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
        if ((frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
            (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0) {
            self(user).answers_[frame->hd.stream_id].isEnded = true;
        }
        if (frame->hd.type == NGHTTP2_GOAWAY) {
            self(user).goneAway_ = true;
            self(user).goAwayError_ = frame->goaway.error_code;
        }
        return 0;
    }
    static int onClose(nghttp2_session*, std::int32_t stream, std::uint32_t error, void* user) {
        Answer& answer = self(user).answers_[stream];
        answer.isClosed = true;
        answer.error = error;
        return 0;
    }
    static ssize_t onRead(nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t size,
                          std::uint32_t* flags, nghttp2_data_source* source, void*) {
        auto& upload = *static_cast<Upload*>(source->ptr);
        const std::size_t n = std::min(size, upload.text.size() - upload.done);
        std::memcpy(into, upload.text.data() + upload.done, n);
        upload.done += n;
        if (upload.done == upload.text.size()) {
            if (!upload.ends && n == 0) {
                return NGHTTP2_ERR_DEFERRED;
            }
            if (upload.ends) {
                *flags |= NGHTTP2_DATA_FLAG_EOF;
            }
        }
        return static_cast<ssize_t>(n);
    }

    FakeTransport& transport_;
    nghttp2_session* session_ = nullptr;
    std::map<std::int32_t, Answer> answers_;
    std::vector<std::unique_ptr<Upload>> uploads_;
    std::map<std::int32_t, Upload*> open_;
    bool goneAway_ = false;
    std::uint32_t goAwayError_ = 0;
};

} // namespace saker::test
