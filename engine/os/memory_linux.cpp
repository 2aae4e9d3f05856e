#include "os/memory.h"

#include <malloc.h>

namespace saker::os {

void releaseFreeMemory() {
    ::malloc_trim(0);
}

} // namespace saker::os
