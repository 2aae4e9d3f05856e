#include "http/outlet.h"

namespace saker::http {

loop::Submitted Outlet::send(BufferChain& chain) {
    const loop::Submitted submitted = transport_.write(chain);
    if (submitted == loop::Submitted::failed) {
        chain.clear();
    } else if (submitted == loop::Submitted::pending && !isWaiting_) {
        isWaiting_ = true;
        watch_ = RateWatch::start(context_.loop().now(), transport_.bytesDelivered());
    }
    return submitted;
}

bool Outlet::isTooSlow(const ConnectionSettings& settings) {
    return watch_.isTooSlow(context_.loop().now(), transport_.bytesDelivered(), settings);
}

} // namespace saker::http
