#include "tls/tls_loop.h"

#include "tls/tls_transport.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include <openssl/bio.h>

namespace saker::tls {

namespace {

/// Full blocks that are kept for later: what a loop with many slow connections needs again and again.
constexpr std::size_t kMaxSpares = 16;

struct BioMethodFree {
    void operator()(BIO_METHOD* method) const { BIO_meth_free(method); }
};

} // namespace

TlsLoop::TlsLoop(loop::EventLoop& loop, observe::LoopCounters& counters, loop::WorkerPool* workers)
    : loop_(loop), counters_(counters), workers_(workers), bio_(BIO_new(bioMethod())) {
    BIO_set_data(bio_.get(), this);
    BIO_set_init(bio_.get(), 1);
}

TlsLoop::~TlsLoop() {
    assert(handshakes_.empty() && "a handshake outlives its loop");
}

void TlsLoop::setContext(std::shared_ptr<const TlsContext> context) {
    context_ = std::move(context);
    limiter_.setRate(context_ ? context_->options().handshakesPerAddress : 0);
}

std::uint64_t TlsLoop::handshakeTimeout() const {
    const auto most = static_cast<std::uint64_t>(context_->options().handshakeTimeout.count());
    return isDraining_ ? std::min(most, kDrainPatienceMs) : most;
}

void TlsLoop::drain() {
    isDraining_ = true;
    for (TlsTransport* transport : handshakes_) { // closing takes them out of the list in later turns only
        if (transport->phase_ == TlsTransport::Phase::silent) {
            transport->close(false);
        }
    }
}

void TlsLoop::abortAll() {
    for (TlsTransport* transport : handshakes_) {
        transport->close(true);
    }
}

// ---- the BIO ----

BIO_METHOD* TlsLoop::bioMethod() {
    static const std::unique_ptr<BIO_METHOD, BioMethodFree> kMethod = [] {
        std::unique_ptr<BIO_METHOD, BioMethodFree> method(
            BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "saker loop"));
        BIO_meth_set_read(method.get(), readBio);
        BIO_meth_set_write(method.get(), writeBio);
        BIO_meth_set_ctrl(method.get(), controlBio);
        return method;
    }();
    return kMethod.get();
}

int TlsLoop::readBio(BIO* bio, char* to, int size) {
    auto& self = *static_cast<TlsLoop*>(BIO_get_data(bio));
    const std::size_t n = std::min(self.input_.size(), static_cast<std::size_t>(std::max(size, 0)));
    if (n == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    BIO_clear_retry_flags(bio);
    std::memcpy(to, self.input_.data(), n);
    self.input_ = self.input_.subspan(n);
    return static_cast<int>(n);
}

int TlsLoop::writeBio(BIO* bio, const char* from, int size) {
    auto& self = *static_cast<TlsLoop*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    self.collect({from, static_cast<std::size_t>(std::max(size, 0))});
    return size;
}

long TlsLoop::controlBio(BIO*, int command, long, void*) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// ---- what it wrote ----

void TlsLoop::collect(std::string_view bytes) {
    while (!bytes.empty()) {
        if (!block_ || used_ == Block::kSize) {
            nextBlock();
        }
        const std::size_t n = std::min(bytes.size(), Block::kSize - used_);
        std::memcpy(block_->bytes.data() + used_, bytes.data(), n);
        used_ += n;
        bytes.remove_prefix(n);
    }
}

void TlsLoop::closeRun() {
    if (used_ > runStart_) {
        out_.append({block_->bytes.data() + runStart_, used_ - runStart_}, block_);
        runStart_ = used_;
    }
}

void TlsLoop::nextBlock() {
    closeRun();
    if (block_ && spares_.size() < kMaxSpares) {
        spares_.push_back(std::move(block_));
    }
    runStart_ = 0;
    used_ = 0;
    for (Ref<Block>& spare : spares_) {
        if (!spare->isShared()) {
            block_ = std::move(spare);
            spare = std::move(spares_.back());
            spares_.pop_back();
            return;
        }
    }
    block_ = makeRef<Block>();
}

BufferChain& TlsLoop::takeOutput() {
    closeRun();
    return out_;
}

void TlsLoop::giveBackOutput() {
    out_.clear();
    if (block_ && !block_->isShared()) {
        runStart_ = 0;
        used_ = 0;
    }
}

} // namespace saker::tls
