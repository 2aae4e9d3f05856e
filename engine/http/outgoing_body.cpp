#include "http/outgoing_body.h"

namespace saker::http {

void OutgoingBody::start(std::unique_ptr<BodySource> source, std::optional<std::uint64_t> length,
                         std::function<void()> ready) {
    source_ = std::move(source);
    source_->ready = std::move(ready);
    left_ = length;
}

BodySource::Pull OutgoingBody::pull(BufferChain& chain, std::size_t want) {
    const std::uint64_t before = chain.size();
    BodySource::Pull pull = source_->pull(chain, want);
    if (left_) {
        const std::uint64_t size = chain.size() - before;
        if (size > *left_ || (pull == BodySource::Pull::end && size != *left_)) {
            pull = BodySource::Pull::failed;
        } else {
            *left_ -= size;
        }
    }
    if (pull == BodySource::Pull::end || pull == BodySource::Pull::failed) {
        source_.reset();
    }
    return pull;
}

} // namespace saker::http
