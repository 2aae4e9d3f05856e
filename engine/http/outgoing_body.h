// A BodySource on its way out, held to the length that its answer's head promised.
#pragma once

#include "http/body_source.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace saker::http {

class OutgoingBody {
public:
    /// `length`: of the head's Content-Length. `ready`: the source has something again.
    void start(std::unique_ptr<BodySource> source, std::optional<std::uint64_t> length,
               std::function<void()> ready);
    /// Cancels it.
    void reset() { source_.reset(); }
    explicit operator bool() const { return source_ != nullptr; }

    /// As BodySource::pull(). `failed` also when more or fewer bytes came than promised: the client must
    /// notice. With `end` and `failed` the source is gone.
    BodySource::Pull pull(BufferChain& chain, std::size_t want);

private:
    std::unique_ptr<BodySource> source_;
    std::optional<std::uint64_t> left_;
};

} // namespace saker::http
