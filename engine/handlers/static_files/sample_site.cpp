#include "handlers/static_files/sample_site.h"

#include "handlers/static_files/embedded_sample.h"

namespace saker::static_files {

std::span<const routing::EmbeddedFile> sampleSite() {
    return kEmbeddedSample;
}

} // namespace saker::static_files
