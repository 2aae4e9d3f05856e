// The first start of a new installation: the default folder of sites is made where it does not exist yet,
// with the sample site in it, so that there is something to see and a place to put files.
#pragma once

#include "base/result.h"

#include <string>

namespace saker::host {

/// Makes `backendDir` with the sample site as localhost/. Nothing happens when the folder exists, whatever it
/// holds. True when it was made.
Result<bool> makeFirstSite(const std::string& backendDir);

} // namespace saker::host
