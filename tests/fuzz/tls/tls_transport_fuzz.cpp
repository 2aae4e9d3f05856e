// Bytes of a stranger to the server's side of TLS: it may refuse them, but nothing else.
#include "support/fake_transport.h"
#include "tls/tls_transport.h"

#include <cstddef>
#include <cstdlib>

#include <openssl/err.h>
#include <openssl/x509.h>

namespace {

using namespace saker;

/// One self-signed certificate for every name.
class Source final : public tls::CredentialSource {
public:
    Source() {
        auto made = std::make_shared<tls::Credential>();
        made->key.reset(EVP_EC_gen("P-256"));
        made->leaf.reset(X509_new());
        X509_gmtime_adj(X509_getm_notBefore(made->leaf.get()), 0);
        X509_gmtime_adj(X509_getm_notAfter(made->leaf.get()), 86400);
        X509_set_pubkey(made->leaf.get(), made->key.get());
        X509_sign(made->leaf.get(), made->key.get(), EVP_sha256());
        made->id = 1;
        choice_.ecdsa = std::move(made);
    }
    tls::CredentialChoice find(std::string_view, const loop::SocketAddress&) override { return choice_; }

private:
    tls::CredentialChoice choice_;
};

class Acceptor final : public tls::TlsAcceptor {
public:
    void onSecured(tls::TlsTransport&) override { std::abort(); } // takes a client that can calculate
    void onUnsecured(tls::TlsTransport&) override { isGone = true; }
    bool isGone = false;
};

struct Server {
    Server() : loop(std::move(*loop::EventLoop::create({loop::BackendKind::epoll, 1, nullptr}))) {
        tls::TlsContext::Parts parts;
        parts.credentials = std::make_shared<Source>();
        parts.tickets = std::make_shared<tls::SessionTickets>(std::chrono::hours(1));
        parts.protocols = {"h2", "http/1.1"};
        shared.setContext(*tls::TlsContext::make(tls::TlsOptions(), std::move(parts)));
    }
    std::unique_ptr<loop::EventLoop> loop;
    observe::LoopCounters counters{0};
    tls::TlsLoop shared{*loop, counters, nullptr};
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    static Server server;
    if (size < 2) {
        return 0;
    }
    test::FakeTransport lower(*server.loop);
    Acceptor acceptor;
    tls::TlsTransport::accept(server.shared, lower, acceptor);
    const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    const std::size_t piece = data[0] + std::size_t{1}; // cut into pieces of that size
    for (std::size_t at = 0; at < bytes.size() && !lower.isClosed; at += piece) {
        lower.receive(bytes.substr(at, piece));
    }
    if (!lower.isClosed) {
        lower.peerCloses();
    }
    lower.finishClose();
    if (!acceptor.isGone || server.shared.handshakeCount() != 0 || ERR_peek_error() != 0) {
        std::abort();
    }
    return 0;
}
