#include "loop/backend.h"

namespace saker::loop {

Result<std::unique_ptr<Backend>> makeBackend(const LoopOptions& options, const BackendContext& context) {
    switch (options.backend) {
    case BackendKind::automatic: {
        auto backend = makeIoUringBackend(context);
        return backend ? std::move(backend) : makeEpollBackend(context);
    }
    case BackendKind::epoll:
        return makeEpollBackend(context);
    case BackendKind::ioUring:
        return makeIoUringBackend(context);
    case BackendKind::fault:
        return makeFaultBackend(&makeEpollBackend, options.faultSeed, context);
    case BackendKind::iocp:
        break;
    }
    return Error{ErrorKind::configuration,
                 "the event backend \"iocp\" exists on Windows only; use \"auto\", \"epoll\" or \"io_uring\"",
                 {}};
}

} // namespace saker::loop
