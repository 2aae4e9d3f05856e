// Certificates of a folder, read once.
#pragma once

#include "tls/credential.h"

#include <memory>
#include <string>

namespace saker::tls {

/// The certificates of the folder's folders (fullchain.pem, privkey.pem) by the names in them; one that is
/// signed by itself where there are none.
std::shared_ptr<CredentialSource> makeFolderSource(const std::string& path);

} // namespace saker::tls
