#include "os/wakeup.h"

#include <sys/eventfd.h>
#include <unistd.h>

namespace saker::os {

Wakeup::Wakeup() : handle_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

Wakeup::~Wakeup() {
    ::close(handle_);
}

void Wakeup::signal() const {
    (void)!::eventfd_write(handle_, 1); // fails only when it is signalled already
}

void Wakeup::clear() const {
    eventfd_t count = 0;
    (void)!::eventfd_read(handle_, &count);
}

} // namespace saker::os
