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
#include "loop/event_loop.h"
#include "observe/access_log.h"
#include "observe/site_metrics.h"

#include <memory>
#include <string_view>

namespace saker::http {

class Exchange : public RefCounted {
public:
    const RequestHead& request() const { return head_; }
    virtual const loop::SocketAddress& peer() const = 0;
    virtual const loop::SocketAddress& local() const = 0;
    virtual bool isEncrypted() const = 0;
    /// Which rules for the client's certificate the handshake followed (net::Transport); 0: none.
    virtual std::uint64_t clientPolicy() const { return 0; }
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

    /// A ready answer; to HEAD its head only.
    virtual void respond(PreparedResponse& response) = 0;
    /// A head with a whole body; Content-Length is set from it unless the head has one.
    virtual void respond(ResponseHead head, BufferChain body) = 0;
    /// A head with a body that is made on the way; without Content-Length in the head its end is marked by
    /// the protocol.
    virtual void respond(ResponseHead head, std::unique_ptr<BodySource> source) = 0;
    /// An interim answer (103 Early Hints); none to HTTP/1.0 clients.
    virtual void respondInterim(const ResponseHead& head) = 0;

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
    } account;

protected:
    RequestHead head_;
    bool answered_ = false;
};

} // namespace saker::http
