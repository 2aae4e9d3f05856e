// How files are answered: headers, types, compression, caching. Site settings of the same name come first.
#pragma once

#include "http/compression_level.h"
#include "schema/types.h"

#include <cstdint>
#include <string>
#include <vector>

namespace saker::static_files {

struct StaticOptions {
    std::vector<std::string> downloadIfExtension; ///< without dots
    /// "html,htm" -> {"Content-Type: text/html", …}: lines checked to be "Name: value".
    schema::OrderedMap<std::vector<std::string>> extTypes;
    schema::OrderedMap<std::string> defaultHeaders;
    http::CompressionLevel compressionLevel = http::CompressionLevel::optimal;
    bool precompressed = true; ///< serve index.html.br beside index.html
    std::uint64_t contentCacheSize =
        128ull * 1024 * 1024; ///< bytes in memory for small files and their variants
    std::uint64_t maxCachedFileSize = 1024 * 1024;
    bool directoryListing = false;

    /// Fills the three tables above with the seed's.
    StaticOptions();
    void check(schema::Checker& checker) const;
    bool operator==(const StaticOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::static_files
