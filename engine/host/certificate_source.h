// Where the running engine takes its certificates from.
#pragma once

#include "host/engine_options.h"
#include "tls/credential.h"

#include <memory>

namespace saker::host {

/// The certificates of CertDir's folders by the names in them, and one signed by itself where there are none.
Result<std::shared_ptr<tls::CredentialSource>> makeCertificateSource(const EngineOptions& options);

} // namespace saker::host
