#include "host/console_device.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace saker::host {

namespace {

/// How often a background process looks whether it has become the terminal's foreground.
constexpr int kForegroundCheckMs = 1000;
constexpr int kReaderPatienceMs = 1000;

/// Writes some of the bytes to a descriptor that poll() calls writable. What it calls so takes PIPE_BUF bytes
/// without blocking; more might wait for the reader. False: it takes no more.
bool writeSome(int descriptor, std::string_view& bytes) {
    ssize_t sent = ::write(descriptor, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
        return true;
    }
    return sent < 0 && (errno == EINTR || errno == EAGAIN);
}

class PosixConsoleDevice final : public ConsoleDevice {
public:
    PosixConsoleDevice(int input, int output) : input_(input), output_(output) {
        if (::pipe2(wake_, O_CLOEXEC | O_NONBLOCK) != 0) {
            wake_[0] = wake_[1] = -1;
        }
    }
    ~PosixConsoleDevice() override {
        ::close(wake_[0]);
        ::close(wake_[1]);
    }

    std::size_t read(std::span<char> buffer) override {
        blockTerminalStop();
        while (waitFor(input_, POLLIN)) {
            ssize_t got = ::read(input_, buffer.data(), buffer.size());
            if (got >= 0) {
                return static_cast<std::size_t>(got);
            }
            // EIO: in the background of its terminal after all; waitFor waits for the foreground then.
            if (errno != EINTR && errno != EAGAIN && !(errno == EIO && isBackground())) {
                return 0;
            }
        }
        return 0;
    }

    bool write(std::string_view bytes) override {
        while (!bytes.empty()) {
            if (!waitFor(output_, POLLOUT) || !writeSome(output_, bytes)) {
                return false;
            }
        }
        return true;
    }

    void interrupt() override {
        char byte = 0;
        // The byte is never read: the pipe stays readable and ends every later wait too.
        [[maybe_unused]] ssize_t ignored = ::write(wake_[1], &byte, 1);
    }

    bool isInteractive() const override { return ::isatty(input_) == 1 && ::isatty(output_) == 1; }

private:
    /// Reading a terminal from its background would stop the whole process (SIGTTIN); blocked, read() fails
    /// instead.
    static void blockTerminalStop() {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGTTIN);
        pthread_sigmask(SIG_BLOCK, &set, nullptr);
    }

    bool isBackground() const {
        pid_t foreground = ::tcgetpgrp(input_);
        return foreground != -1 && foreground != ::getpgrp();
    }

    /// False: interrupted, or the descriptor is not usable.
    bool waitFor(int descriptor, short events) const {
        while (wake_[0] >= 0) { // a console that could not be interrupted would be worse than none
            bool background = events == POLLIN && isBackground();
            pollfd waits[2] = {{wake_[0], POLLIN, 0}, {descriptor, events, 0}};
            int ready = ::poll(waits, background ? 1 : 2, background ? kForegroundCheckMs : -1);
            if (ready < 0 && errno != EINTR) {
                return false;
            }
            if (ready <= 0) {
                continue;
            }
            if (waits[0].revents != 0 || (waits[1].revents & POLLNVAL) != 0) {
                return false;
            }
            if (waits[1].revents != 0) {
                return true; // POLLHUP and POLLERR too: read() and write() tell what it is
            }
        }
        return false;
    }

    int input_;
    int output_;
    int wake_[2];
};

} // namespace

std::unique_ptr<ConsoleDevice> makeConsoleDevice(int input, int output) {
    return std::make_unique<PosixConsoleDevice>(input, output);
}

std::unique_ptr<ConsoleDevice> makeStandardConsoleDevice() {
    return makeConsoleDevice(STDIN_FILENO, STDOUT_FILENO);
}

void writeStandardOutput(std::string_view text) {
    pollfd wait{STDOUT_FILENO, POLLOUT, 0};
    while (!text.empty() && ::poll(&wait, 1, kReaderPatienceMs) == 1 && writeSome(STDOUT_FILENO, text)) {
    }
}

} // namespace saker::host
