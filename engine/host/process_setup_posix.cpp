#include "host/process_setup.h"

#include <array>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace saker::host {

namespace {

constexpr std::array<int, 5> kCrashSignals = {SIGILL, SIGBUS, SIGSEGV, SIGSYS, SIGFPE};

} // namespace

void openStandardStreams() {
    for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) == -1) {
            // The lowest free number is taken, and all lower ones are open by now.
            [[maybe_unused]] int opened = ::open("/dev/null", O_RDWR);
        }
    }
}

struct CrashHandlingKept::State {
    std::array<struct sigaction, kCrashSignals.size()> actions;
};

CrashHandlingKept::CrashHandlingKept() : state_(std::make_unique<State>()) {
    for (std::size_t i = 0; i < kCrashSignals.size(); ++i) {
        ::sigaction(kCrashSignals[i], nullptr, &state_->actions[i]);
    }
}

CrashHandlingKept::~CrashHandlingKept() {
    for (std::size_t i = 0; i < kCrashSignals.size(); ++i) {
        ::sigaction(kCrashSignals[i], &state_->actions[i], nullptr);
    }
}

} // namespace saker::host
