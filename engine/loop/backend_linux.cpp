#include "loop/backend.h"

#include <csignal>

namespace saker::loop {

namespace {

/// sendfile(2) has no MSG_NOSIGNAL: to a peer that is gone it would end the process.
void ignoreBrokenPipes() {
    struct sigaction action {};
    if (::sigaction(SIGPIPE, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
        action.sa_handler = SIG_IGN;
        ::sigaction(SIGPIPE, &action, nullptr);
    }
}

} // namespace

Result<std::unique_ptr<Backend>> makeBackend(const LoopOptions& options, const BackendContext& context) {
    ignoreBrokenPipes();
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
