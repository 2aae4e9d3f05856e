#include "os/process.h"

namespace saker::os {

double cpuPercent(const ProcessUsage& before, const ProcessUsage& after) {
    if (after.takenMicros <= before.takenMicros || after.cpuMicros < before.cpuMicros) {
        return 0;
    }
    return 100.0 * static_cast<double>(after.cpuMicros - before.cpuMicros) /
           static_cast<double>(after.takenMicros - before.takenMicros);
}

} // namespace saker::os
