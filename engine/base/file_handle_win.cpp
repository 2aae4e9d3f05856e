#include "base/buffer_chain.h"

#include <windows.h>

namespace saker {

FileHandle::~FileHandle() {
    if (native_ != -1) {
        ::CloseHandle(reinterpret_cast<HANDLE>(native_));
    }
}

} // namespace saker
