#include "http/loop_context.h"

#include "http/h1/h1_exchange.h"

#include <chrono>

namespace saker::http {

LoopContext::LoopContext(loop::EventLoop& loop, observe::LoopCounters& counters, SlowClients& slowClients,
                         std::atomic<std::uint64_t>& connections)
    : loop_(loop), counters_(counters), slowClients_(slowClients), connections_(connections) {}

LoopContext::~LoopContext() = default;

const DateCache& LoopContext::date() {
    // One look at the clock a turn at most: now() moves in milliseconds, and so does this text's freshness.
    if (dateTurn_ != loop_.now()) {
        dateTurn_ = loop_.now();
        date_.refresh(std::chrono::duration_cast<std::chrono::seconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count());
    }
    return date_;
}

void LoopContext::onSlowClient(const loop::SocketAddress& client) {
    counters_.onSlowClient();
    if (settings_->slowClientBlock != 0) {
        slowClients_.block(client, loop_.now(), settings_->slowClientBlock);
    }
}

H1Exchange& LoopContext::spare() {
    if (!spare_) {
        spare_ = makeRef<H1Exchange>();
    }
    return *spare_;
}

Ref<H1Exchange> LoopContext::takeSpare() {
    spare();
    return std::move(spare_);
}

void LoopContext::add(ConnectionNode& connection) {
    connection.next_ = first_;
    connection.previous_ = nullptr;
    if (first_) {
        first_->previous_ = &connection;
    }
    first_ = &connection;
    ++count_;
    connections_.fetch_add(1, std::memory_order_relaxed);
    counters_.onConnectionOpened();
}

void LoopContext::replace(ConnectionNode& connection, ConnectionNode& successor) {
    successor.next_ = connection.next_;
    successor.previous_ = connection.previous_;
    (successor.previous_ ? successor.previous_->next_ : first_) = &successor;
    if (successor.next_) {
        successor.next_->previous_ = &successor;
    }
    connection.next_ = connection.previous_ = nullptr;
}

void LoopContext::remove(ConnectionNode& connection) {
    if (connection.previous_) {
        connection.previous_->next_ = connection.next_;
    } else {
        first_ = connection.next_;
    }
    if (connection.next_) {
        connection.next_->previous_ = connection.previous_;
    }
    --count_;
    connections_.fetch_sub(1, std::memory_order_relaxed);
    counters_.onConnectionClosed();
}

void LoopContext::drain() {
    draining_ = true;
    for (ConnectionNode* node = first_; node;) {
        ConnectionNode* next =
            node->next_; // drain() only starts closing: nodes leave the list in later turns
        node->drain();
        node = next;
    }
}

void LoopContext::abortAll() {
    for (ConnectionNode* node = first_; node;) {
        ConnectionNode* next = node->next_;
        node->abort();
        node = next;
    }
}

} // namespace saker::http
