// One request and its answer, whatever the protocol version. Lives on its loop.
//
// During Handler::handle the request's bytes are borrowed from the receive buffer: a handler that answers
// later calls retain() first and must take no view from before. An exchange is answered exactly once; answers
// to a client that has gone away are dropped.
#pragma once

#include "base/buffer_chain.h"
#include "base/ref.h"
#include "http/body_source.h"
#include "http/prepared_response.h"
#include "http/request.h"
#include "http/response.h"
#include "http/trusted_proxies.h"
#include "loop/event_loop.h"
#include "observe/access_log.h"
#include "observe/site_metrics.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace saker::http {

/// Whoever works on an answer and wants to know when there is no point in it any more.
class ExchangeWatcher {
public:
    /// The server is about to stop: what has no end of its own should come to one. Perhaps more than once.
    virtual void onDraining() {}
    /// The client is gone, or was answered by the protocol layer (a time-out). Called at most once, on the
    /// loop; the exchange is about to forget everything about the client.
    virtual void onAbandoned() = 0;

protected:
    ~ExchangeWatcher() = default;
};

class Exchange : public RefCounted {
public:
    const RequestHead& request() const { return head_; }
    virtual const loop::SocketAddress& peer() const = 0;
    virtual const loop::SocketAddress& local() const = 0;
    virtual bool isEncrypted() const = 0;
    /// Which rules for the client's certificate the handshake followed (net::Transport); 0: none.
    virtual std::uint64_t clientPolicy() const { return 0; }
    /// Who asks: the peer, or whom a trusted proxy speaks for.
    const loop::SocketAddress& client() const {
        return account.forwarded.client.family != loop::SocketAddress::Family::none ? account.forwarded.client
                                                                                    : peer();
    }
    /// The client speaks HTTPS, to us or to a trusted proxy.
    bool isClientEncrypted() const { return isEncrypted() || account.forwarded.isEncrypted; }
    std::string_view scheme() const { return isEncrypted() ? "https" : "http"; }
    virtual loop::EventLoop& loop() const = 0;

    /// Gives the exchange a life of its own: the request's bytes are copied, the connection waits for the
    /// answer.
    virtual Ref<Exchange> retain() = 0;
    /// False once the client is gone: there is no point in working on an answer.
    virtual bool isConnected() const = 0;
    bool isAnswered() const { return answered_; }

    /// The request's body goes to the reader (100-continue is sent if the client waits for it). Without a
    /// reader it is read and dropped. REQUIRES: retained, not answered.
    virtual void readBody(BodyReader& reader) = 0;
    /// Nothing more of the body is read until resumeBody(): the client is slowed down, and its rate is not
    /// judged meanwhile. Before readBody(), too: a body without a reader would be dropped. REQUIRES:
    /// retained, not answered.
    virtual void pauseBody() = 0;
    virtual void resumeBody() = 0;
    /// The reader is not called any more; what is left of the body is read and dropped.
    virtual void discardBody() = 0;
    /// Until the answer is complete, or watch(nullptr). REQUIRES: retained.
    void watch(ExchangeWatcher* watcher) { watcher_ = watcher; }

    /// A ready answer; to HEAD its head only.
    virtual void respond(PreparedResponse& response) = 0;
    /// A head with a whole body; Content-Length is set from it unless the head has one.
    virtual void respond(ResponseHead head, BufferChain body) = 0;
    /// A head with a body that is made on the way; without Content-Length in the head its end is marked by
    /// the protocol.
    virtual void respond(ResponseHead head, std::unique_ptr<BodySource> source) = 0;
    /// An interim answer (103 Early Hints); none to HTTP/1.0 clients.
    virtual void respondInterim(const ResponseHead& head) = 0;
    /// The exchange becomes a tunnel for the protocol that the client has asked for (RFC 9110, section 7.8;
    /// RFC 8441): its bytes go to the reader, what the source makes goes to it, each until it ends or fails;
    /// back-pressure as for any body. What the client has sent early has waited. The tunnel is over when both
    /// ways have ended, or the source has and the reader was given up (discardBody()); a source that fails
    /// breaks it off. It lets go of the configuration; a watcher stays until it is over.
    /// `head`: a 101 with Upgrade, in the form of HTTP/1.1.
    /// REQUIRES: retained, request().wantsUpgrade, and no body in the request.
    virtual void upgrade(ResponseHead head, BodyReader& reader, std::unique_ptr<BodySource> source) = 0;

    /// The value of Strict-Transport-Security that goes with the answer, whatever that is; null: none. Apart
    /// from the answer, as that may be shared with exchanges that are not encrypted. REQUIRES: isEncrypted().
    Ref<StringBlock> strictTransport;

    /// What the access log and the site's counters say of this exchange; filled by whoever knows it.
    struct Account {
        std::string_view site = "-";             ///< outlives the exchange: the name in the site table
        observe::SiteMetrics* metrics = nullptr; ///< the site's
        observe::HandlerKind handler = observe::HandlerKind::builtIn;
        /// The site's own access log, of this loop; null with hasOwnLog: this site keeps none.
        observe::AccessLog::Channel* log = nullptr;
        bool hasOwnLog = false;
        ForwardedClient forwarded; ///< what a trusted proxy says of the client
    } account;

protected:
    /// The rest of a body, once it is answered, is read and dropped up to this size, for the sake of the
    /// connection; a longer one is cut off.
    static constexpr std::uint64_t kMaxDiscard = 256 * 1024;

    void tellAbandoned() {
        if (ExchangeWatcher* watcher = std::exchange(watcher_, nullptr)) {
            watcher->onAbandoned();
        }
    }

    void tellDraining() {
        if (watcher_ != nullptr) {
            watcher_->onDraining();
        }
    }
    /// The account for a tunnel, which may outlive the site table and its logs.
    void keepAccount() {
        kept_ = std::make_unique<KeptAccount>();
        kept_->site = account.site;
        account.site = kept_->site;
        if (account.log != nullptr) {
            kept_->log = std::make_unique<observe::AccessLog::Channel>(account.log->log());
            account.log = kept_->log.get();
        }
    }
    void forgetAccount() {
        account = {};
        kept_.reset();
    }

    RequestHead head_;
    ExchangeWatcher* watcher_ = nullptr;
    bool answered_ = false;

private:
    struct KeptAccount {
        std::string site;
        std::unique_ptr<observe::AccessLog::Channel> log; // the site's own, if there is one
    };
    std::unique_ptr<KeptAccount> kept_;
};

} // namespace saker::http
