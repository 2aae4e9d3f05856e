// The process's heap.
#pragma once

namespace saker::os {

/// Gives free memory of the heap back to the system, where that is possible.
void releaseFreeMemory();

} // namespace saker::os
