#include "os/inotify.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <sys/inotify.h>
#include <unistd.h>

namespace saker::os {

Inotify::Inotify() : handle_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (handle_ < 0) {
        error_ = errno;
    }
}

Inotify::~Inotify() {
    if (handle_ >= 0) {
        ::close(handle_);
    }
}

int Inotify::add(const std::string& path, std::uint32_t mask) {
    if (handle_ < 0) {
        return -error_;
    }
    const int descriptor = ::inotify_add_watch(handle_, path.c_str(), mask);
    return descriptor >= 0 ? descriptor : -errno;
}

void Inotify::remove(int descriptor) {
    if (handle_ >= 0) {
        ::inotify_rm_watch(handle_, descriptor); // fails when the system was faster, which is as well
    }
}

/// Ends after some megabytes of events even when more keep coming: what was handed over wants to be applied.
bool Inotify::drain(const std::function<void(const Event&)>& visit) {
    alignas(inotify_event) std::array<char, 64 * 1024> buffer;
    constexpr int kMostReads = 256;
    bool any = false;
    for (int reads = 0; handle_ >= 0 && reads < kMostReads; ++reads) {
        const ssize_t size = ::read(handle_, buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size <= 0) {
            return any;
        }
        any = true;
        for (ssize_t at = 0; at < size;) {
            inotify_event event;
            std::memcpy(&event, buffer.data() + at, sizeof event);
            const char* name = buffer.data() + at + sizeof event;
            visit(Event{event.wd, event.mask, event.len > 0 ? std::string_view(name) : std::string_view()});
            at += static_cast<ssize_t>(sizeof event + event.len);
        }
    }
    return any;
}

} // namespace saker::os
