// The trust store of a Linux distribution: a folder for the administrator's own authorities, and a program
// that makes of it what other programs read. For trust_stores.cpp.
#pragma once

#include "tls/trust_store.h"

namespace saker::tls {

/// Adds the one of this machine, or a note that there is none that is known.
void findSystemTrustStores(const TrustEnvironment& environment, TrustStores& found);

} // namespace saker::tls
