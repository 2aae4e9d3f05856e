// The site that a new installation shows until there is another one. Its files are part of the program; they
// come from resources/html/sample/ when Saker is built.
#pragma once

#include "routing/embedded_file.h"

#include <span>

namespace saker::static_files {

/// Paths relative to the site's folder, "index.html" among them. Text, UTF-8.
std::span<const routing::EmbeddedFile> sampleSite();

} // namespace saker::static_files
