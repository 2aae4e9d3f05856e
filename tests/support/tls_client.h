// A TLS client without a socket: bytes from the server go in, bytes for it come out.
#pragma once

#include "tls/openssl_types.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <openssl/err.h>

namespace saker::test {

struct SessionFree {
    void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
};
using SessionPtr = std::unique_ptr<SSL_SESSION, SessionFree>;

class TlsClient {
public:
    struct Options {
        int version = TLS1_3_VERSION;
        std::string serverName = "example.com";
        std::string alpn = {};                         ///< wire form: "\x08http/1.1"
        SSL_SESSION* session = nullptr;                ///< to resume
        std::function<void(SSL_CTX&)> setUp = nullptr; ///< anything else
    };

    explicit TlsClient(const Options& options) : context_(SSL_CTX_new(TLS_client_method())) {
        SSL_CTX* context = context_.get();
        SSL_CTX_set_security_level(context, 0);
        SSL_CTX_set_min_proto_version(context, options.version);
        SSL_CTX_set_max_proto_version(context, options.version);
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT);
        SSL_CTX_sess_set_new_cb(context, [](SSL* ssl, SSL_SESSION* session) {
            static_cast<TlsClient*>(SSL_get_app_data(ssl))->session.reset(session);
            return 1;
        });
        if (options.setUp) {
            options.setUp(*context);
        }
        ssl_.reset(SSL_new(context));
        SSL_set_app_data(ssl_.get(), this);
        in_ = BIO_new(BIO_s_mem());
        out_ = BIO_new(BIO_s_mem());
        BIO_set_mem_eof_return(in_, -1);
        SSL_set_bio(ssl_.get(), in_, out_);
        SSL_set_connect_state(ssl_.get());
        if (!options.serverName.empty()) {
            SSL_set_tlsext_host_name(ssl_.get(), options.serverName.c_str());
        }
        if (!options.alpn.empty()) {
            SSL_set_alpn_protos(ssl_.get(), reinterpret_cast<const unsigned char*>(options.alpn.data()),
                                static_cast<unsigned>(options.alpn.size()));
        }
        if (options.session != nullptr) {
            SSL_set_session(ssl_.get(), options.session);
        }
    }

    SSL* ssl() const { return ssl_.get(); }
    bool isConnected() const { return SSL_is_init_finished(ssl_.get()) == 1; }

    /// Takes the server's bytes; goes on with the handshake, or reads into `received`.
    void take(std::string_view bytes) {
        if (!bytes.empty()) {
            BIO_write(in_, bytes.data(), static_cast<int>(bytes.size()));
        }
        ERR_clear_error();
        if (!isConnected() && !hasFailed) {
            const int outcome = SSL_do_handshake(ssl_.get());
            hasFailed = outcome != 1 && SSL_get_error(ssl_.get(), outcome) != SSL_ERROR_WANT_READ;
        }
        char buffer[16384];
        std::size_t size = 0;
        while (isConnected() && !hasFailed && !isEnded) {
            if (SSL_read_ex(ssl_.get(), buffer, sizeof buffer, &size) == 1) {
                received.append(buffer, size);
                ++records;
                continue;
            }
            const int error = SSL_get_error(ssl_.get(), 0);
            isEnded = error == SSL_ERROR_ZERO_RETURN;
            hasFailed = !isEnded && error != SSL_ERROR_WANT_READ;
            break;
        }
        if (hasFailed) {
            failure = ERR_peek_error() != 0 ? ERR_reason_error_string(ERR_peek_error()) : "";
        }
        ERR_clear_error();
    }
    /// Bytes for the server.
    std::string give() {
        char* data = nullptr;
        const long size = BIO_get_mem_data(out_, &data);
        std::string bytes(data, static_cast<std::size_t>(size));
        (void)BIO_reset(out_);
        return bytes;
    }
    void write(std::string_view text) {
        std::size_t size = 0;
        SSL_write_ex(ssl_.get(), text.data(), text.size(), &size);
    }
    void sayGoodbye() { SSL_shutdown(ssl_.get()); }

    std::string received;
    std::size_t records = 0;
    bool isEnded = false; ///< close_notify
    bool hasFailed = false;
    std::string failure;
    SessionPtr session; ///< the newest

private:
    tls::SslContextPtr context_;
    tls::SslPtr ssl_;
    BIO* in_ = nullptr;  // the SSL's
    BIO* out_ = nullptr; // the SSL's
};

} // namespace saker::test
