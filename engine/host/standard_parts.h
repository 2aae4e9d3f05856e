// The application's parts as they are in the running program: the configuration file, the real engine, the
// standard streams, the service manager.
#pragma once

#include "host/engine_application.h"

namespace saker::host {

/// Takes the service manager's variables out of the environment: once, before other threads exist.
ApplicationParts standardParts();

} // namespace saker::host
