#include "http/h2/h2_loop.h"

#include <chrono>

namespace saker::http {

H2Loop::H2Loop() : floodLog(std::chrono::seconds(10)) {}

H2Loop& H2Loop::of(LoopContext& context) {
    if (!context.http2) {
        context.http2 = makeRef<H2Loop>();
    }
    return static_cast<H2Loop&>(*context.http2);
}

Ref<H2Exchange> H2Loop::takeExchange() {
    if (spares_.empty()) {
        return makeRef<H2Exchange>();
    }
    Ref<H2Exchange> exchange = std::move(spares_.back());
    spares_.pop_back();
    return exchange;
}

void H2Loop::giveBack(Ref<H2Exchange> exchange) {
    if (!exchange->isShared() && spares_.size() < kMostSpares) {
        spares_.push_back(std::move(exchange));
    }
}

} // namespace saker::http
