#include "base/buffer_chain.h"

#include <unistd.h>

namespace saker {

FileHandle::~FileHandle() {
    if (native_ >= 0) {
        ::close(static_cast<int>(native_));
    }
}

} // namespace saker
