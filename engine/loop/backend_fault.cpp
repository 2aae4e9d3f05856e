// For tests: what the inner backend completes is cut into pieces, held back for some turns and delivered in
// an order of chance, as another system, a loaded machine or a slow network would. Within one stream the
// order stays. The same seed and the same input make the same choices.

#include "loop/backend.h"
#include "loop/release.h"

#include <algorithm>
#include <deque>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

namespace saker::loop {

namespace {

using Access = SocketAccess;

/// What stands for an outer socket towards the inner backend.
class InnerSocket final : public Socket, public ReceiveOp, public AcceptOp, public WriteOp, public ConnectOp {
public:
    explicit InnerSocket(Socket* outer) : outer(outer) {}

    struct Event {
        enum class Kind : std::uint8_t {
            bytes,
            receiveEnd,
            accepted,
            acceptError,
            acceptEnd,
            connected
        } kind;
        std::string bytes;
        int error = 0;
        NativeSocket client = kNoSocket;
        SocketAddress peer;
    };

    Socket* outer; ///< null: only there to be released
    std::deque<Event> stream;
    BufferChain part;           // the inner write's share of the outer chain
    std::uint64_t partSize = 0; // 0: no inner write
    std::uint64_t progress = 0; // of the part, to be told
    bool partDone = false;
    int writeError = 0;
    bool innerReleased = false;

    void onReceived(std::span<const char> bytes) override {
        push({Event::Kind::bytes, std::string(bytes.data(), bytes.size()), 0, kNoSocket, {}});
    }
    void onReceiveEnd(int error) override { push({Event::Kind::receiveEnd, {}, error, kNoSocket, {}}); }
    void onAccepted(NativeSocket client, const SocketAddress& peer) override {
        push({Event::Kind::accepted, {}, 0, client, peer});
    }
    void onAcceptError(int error) override { push({Event::Kind::acceptError, {}, error, kNoSocket, {}}); }
    void onAcceptEnd(int error) override { push({Event::Kind::acceptEnd, {}, error, kNoSocket, {}}); }
    void onConnected(int error) override { push({Event::Kind::connected, {}, error, kNoSocket, {}}); }
    void onWriteProgress(std::uint64_t bytes) override { progress += bytes; }
    void onWritten(int error) override {
        partDone = true;
        writeError = error;
    }

private:
    void push(Event event) {
        if (outer != nullptr) {
            stream.push_back(std::move(event));
        }
    }
    void onReleased() override { innerReleased = true; }
};

class FaultBackend final : public Backend {
public:
    FaultBackend(std::uint64_t seed, const BackendContext& context) : context_(context), random_(seed) {}
    Result<void> create(Result<std::unique_ptr<Backend>> (*makeInner)(const BackendContext&)) {
        auto inner = makeInner(BackendContext{context_.loop, innerCount_, context_.workers});
        if (!inner) {
            return inner.error();
        }
        inner_ = std::move(*inner);
        return {};
    }

    void enter() override { inner_->enter(); }
    void leave() override { inner_->leave(); }
    void adopt(Socket& socket) override;
    Submitted accept(Socket& listener, AcceptOp& op) override;
    bool receive(Socket& socket, ReceiveOp& op) override;
    void pauseReceive(Socket& socket) override;
    void resumeReceive(Socket& socket) override;
    Submitted write(Socket& socket, WriteOp& op, BufferChain& chain) override;
    Submitted connect(Socket& socket, ConnectOp& op, const SocketAddress& address) override;
    void shutdownWrite(Socket& socket) override { inner_->shutdownWrite(innerOf(socket)); }
    void release(Socket& socket, bool reset) override;
    void cancelAccept(Socket& listener) override { inner_->cancelAccept(innerOf(listener)); }
    void disown(Socket& socket) override;

    void wait(int timeoutMs) override { inner_->wait(timeoutMs); }
    void dispatch() override;
    bool hasWork() const override;
    void wake() override { inner_->wake(); }
    BackendKind kind() const override { return BackendKind::fault; }

private:
    InnerSocket& innerOf(Socket& socket) { return *sockets_.at(&socket); }
    bool chance(unsigned percent) { return random_() % 100 < percent; }
    void deliver(InnerSocket& inner);
    void deliverStream(InnerSocket& inner);
    void deliverWrite(InnerSocket& inner);
    Submitted writePart(InnerSocket& inner, BufferChain& from);
    void finish(InnerSocket& inner);
    void discard(NativeSocket client);

    BackendContext context_;
    std::size_t innerCount_ = 0;
    std::unique_ptr<Backend> inner_;
    std::mt19937_64 random_;
    std::int32_t lastNumber_ = 0;
    SpareChains spares_;
    std::unordered_map<Socket*, std::unique_ptr<InnerSocket>> sockets_;
    std::vector<std::unique_ptr<InnerSocket>> discarded_; // clients of a released listener
};

void FaultBackend::adopt(Socket& socket) {
    auto inner = std::make_unique<InnerSocket>(&socket);
    Access::native(*inner) = socket.native();
    Access::slot(*inner) = ++lastNumber_; // the order of deliveries must not depend on addresses
    inner_->adopt(*inner);
    ++innerCount_;
    sockets_[&socket] = std::move(inner);
}

Submitted FaultBackend::accept(Socket& listener, AcceptOp& op) {
    Access::stream(listener) = &op;
    Access::set(listener, kAccepting);
    InnerSocket& inner = innerOf(listener);
    return inner_->accept(inner, inner);
}

bool FaultBackend::receive(Socket& socket, ReceiveOp& op) {
    Access::stream(socket) = &op;
    Access::unset(socket, kPaused);
    InnerSocket& inner = innerOf(socket);
    return inner_->receive(inner, inner);
}

void FaultBackend::pauseReceive(Socket& socket) {
    Access::set(socket, kPaused);
    inner_->pauseReceive(innerOf(socket));
}

void FaultBackend::resumeReceive(Socket& socket) {
    Access::unset(socket, kPaused);
    inner_->resumeReceive(innerOf(socket));
}

Submitted FaultBackend::connect(Socket& socket, ConnectOp& op, const SocketAddress& address) {
    InnerSocket& inner = innerOf(socket);
    const Submitted submitted = inner_->connect(inner, inner, address);
    if (submitted == Submitted::failed || (submitted == Submitted::done && chance(50))) {
        return submitted;
    }
    Access::stream(socket) = &op;
    Access::set(socket, kConnecting);
    if (submitted == Submitted::done) {
        inner.onConnected(0);
    }
    return Submitted::pending;
}

// ---- writing ----

Submitted FaultBackend::write(Socket& socket, WriteOp& op, BufferChain& chain) {
    InnerSocket& inner = innerOf(socket);
    BufferChain whole;
    whole.append(std::move(chain));
    const Submitted submitted = writePart(inner, whole);
    if (submitted == Submitted::failed) {
        return submitted;
    }
    if (submitted == Submitted::done) {
        if (whole.empty() && chance(30)) {
            inner.partSize = 0;
            return Submitted::done;
        }
        inner.partDone = true;
        inner.progress = inner.partSize;
    }
    Access::write(socket) = &op;
    Access::chain(op).append(std::move(whole));
    return Submitted::pending;
}

/// Hands the inner backend the front of the chain, of a length of chance.
Submitted FaultBackend::writePart(InnerSocket& inner, BufferChain& from) {
    std::uint64_t left = from.size();
    if (chance(60)) {
        left = std::min<std::uint64_t>(left, 1 + random_() % (chance(50) ? 16 : 20'000));
    }
    inner.partSize = left;
    inner.part.clear();
    for (std::size_t i = 0; left > 0; ++i) {
        const Piece& piece = from.piece(i);
        const std::uint64_t size = std::min(piece.size, left);
        if (piece.isFile()) {
            inner.part.appendFile(piece.file, piece.offset, size);
        } else {
            inner.part.append({piece.data, size}, piece.keeper);
        }
        left -= size;
    }
    from.consume(inner.partSize);
    inner.partDone = false;
    inner.writeError = 0;
    inner.progress = 0;
    return inner_->write(inner, inner, inner.part);
}

void FaultBackend::deliverWrite(InnerSocket& inner) {
    Socket& outer = *inner.outer;
    WriteOp& op = *Access::write(outer);
    if (inner.progress > 0) {
        op.onWriteProgress(std::exchange(inner.progress, 0));
        if (Access::has(outer, kReleasing)) {
            return;
        }
    }
    if (!inner.partDone || chance(30)) {
        return;
    }
    inner.partDone = false;
    inner.partSize = 0;
    int error = inner.writeError;
    if (error == 0 && !Access::chain(op).empty()) {
        switch (writePart(inner, Access::chain(op))) {
        case Submitted::pending:
            return;
        case Submitted::done:
            inner.partDone = true;
            inner.progress = inner.partSize;
            return;
        case Submitted::failed:
            error = EPIPE;
        }
    }
    Access::write(outer) = nullptr;
    spares_.giveBack(Access::chain(op));
    op.onWritten(error);
}

// ---- delivering ----

void FaultBackend::dispatch() {
    inner_->dispatch();
    std::vector<Socket*> order;
    for (const auto& [outer, inner] : sockets_) {
        order.push_back(outer);
    }
    std::sort(order.begin(), order.end(), [this](Socket* a, Socket* b) {
        return Access::slot(*sockets_[a]) < Access::slot(*sockets_[b]);
    });
    std::shuffle(order.begin(), order.end(), random_);
    for (Socket* outer : order) {
        if (const auto found = sockets_.find(outer); found != sockets_.end()) { // not disowned meanwhile
            deliver(*found->second);
        }
    }
    for (Socket* outer : order) {
        const auto found = sockets_.find(outer);
        if (found != sockets_.end() && found->second->innerReleased && chance(60)) {
            finish(*found->second);
        }
    }
    discarded_.erase(std::remove_if(discarded_.begin(), discarded_.end(),
                                    [](const auto& inner) { return inner->innerReleased; }),
                     discarded_.end());
}

void FaultBackend::deliver(InnerSocket& inner) {
    Socket& outer = *inner.outer;
    const bool writeFirst = chance(50);
    for (const bool write : {writeFirst, !writeFirst}) {
        if (Access::has(outer, kReleasing)) {
            return;
        }
        if (write && Access::write(outer) != nullptr && chance(70)) {
            deliverWrite(inner);
        }
        if (!write) {
            while (!inner.stream.empty() && !Access::has(outer, kReleasing | kPaused) && chance(70)) {
                deliverStream(inner);
            }
        }
    }
}

void FaultBackend::deliverStream(InnerSocket& inner) {
    Socket& outer = *inner.outer;
    using Kind = InnerSocket::Event::Kind;
    InnerSocket::Event event = std::move(inner.stream.front());
    inner.stream.pop_front();
    void* stream = Access::stream(outer);
    switch (event.kind) {
    case Kind::bytes:
        if (event.bytes.size() > 1 && chance(60)) {
            const std::size_t size = 1 + random_() % (event.bytes.size() - 1);
            inner.stream.push_front({Kind::bytes, event.bytes.substr(size), 0, kNoSocket, {}});
            event.bytes.resize(size);
        }
        static_cast<ReceiveOp*>(stream)->onReceived({event.bytes.data(), event.bytes.size()});
        break;
    case Kind::receiveEnd:
        Access::stream(outer) = nullptr;
        static_cast<ReceiveOp*>(stream)->onReceiveEnd(event.error);
        break;
    case Kind::accepted:
        static_cast<AcceptOp*>(stream)->onAccepted(event.client, event.peer);
        break;
    case Kind::acceptError:
        static_cast<AcceptOp*>(stream)->onAcceptError(event.error);
        break;
    case Kind::acceptEnd:
        Access::stream(outer) = nullptr;
        static_cast<AcceptOp*>(stream)->onAcceptEnd(event.error);
        break;
    case Kind::connected:
        Access::stream(outer) = nullptr;
        Access::unset(outer, kConnecting);
        static_cast<ConnectOp*>(stream)->onConnected(event.error);
        break;
    }
}

bool FaultBackend::hasWork() const {
    return inner_->hasWork() || std::any_of(sockets_.begin(), sockets_.end(), [](const auto& entry) {
               const InnerSocket& inner = *entry.second;
               return inner.innerReleased || inner.partDone || inner.progress > 0 ||
                      (!inner.stream.empty() && !Access::has(*entry.first, kPaused | kReleasing));
           });
}

// ---- releasing ----

void FaultBackend::release(Socket& socket, bool reset) {
    if (Access::has(socket, kReleasing)) {
        return;
    }
    Access::set(socket, kReleasing);
    InnerSocket& inner = innerOf(socket);
    for (const InnerSocket::Event& event : inner.stream) {
        if (event.client != kNoSocket) {
            discard(event.client);
        }
    }
    inner.stream.clear();
    inner_->release(inner, reset);
}

void FaultBackend::discard(NativeSocket client) {
    auto inner = std::make_unique<InnerSocket>(nullptr);
    Access::native(*inner) = client;
    inner_->adopt(*inner);
    ++innerCount_;
    inner_->release(*inner, false);
    discarded_.push_back(std::move(inner));
}

void FaultBackend::finish(InnerSocket& inner) {
    Socket& outer = *inner.outer;
    sockets_.erase(&outer);
    endOperations(outer, spares_);
    --context_.socketCount;
    Access::released(outer);
}

void FaultBackend::disown(Socket& socket) {
    inner_->disown(innerOf(socket));
    sockets_.erase(&socket);
    --context_.socketCount;
}

} // namespace

Result<std::unique_ptr<Backend>>
makeFaultBackend(Result<std::unique_ptr<Backend>> (*makeInner)(const BackendContext&), std::uint64_t seed,
                 const BackendContext& context) {
    auto backend = std::make_unique<FaultBackend>(seed, context);
    if (auto created = backend->create(makeInner); !created) {
        return created.error();
    }
    return std::unique_ptr<Backend>(std::move(backend));
}

} // namespace saker::loop
