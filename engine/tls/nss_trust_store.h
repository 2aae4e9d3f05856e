// The certificate databases of Chromium and Firefox (NSS), one for each user and profile; changed by NSS's
// own tool, certutil. For trust_stores.cpp.
#pragma once

#include "tls/trust_store.h"

namespace saker::tls {

/// Adds those of the user, or notes why there are none.
void findNssTrustStores(const TrustEnvironment& environment, TrustStores& found);

} // namespace saker::tls
