// How hard to compress, in the words (and numbers) of the configuration.
#pragma once

#include "schema/types.h"

#include <cstdint>
#include <span>

namespace saker::http {

enum class CompressionLevel : std::uint8_t {
    optimal = 0,       ///< a good ratio at a reasonable cost
    fastest = 1,       ///< the cheapest level
    noCompression = 2, ///< never compress on the fly
    smallestSize = 3,  ///< the best ratio, whatever it costs
};
std::span<const schema::Choice> schemaChoices(CompressionLevel);

} // namespace saker::http
