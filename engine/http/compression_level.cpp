#include "http/compression_level.h"

namespace saker::http {

std::span<const schema::Choice> schemaChoices(CompressionLevel) {
    static constexpr schema::Choice kChoices[] = {
        {"Optimal", 0, "A good ratio at a reasonable cost."},
        {"Fastest", 1, "The cheapest level."},
        {"NoCompression", 2, "Nothing is compressed on the fly; precompressed files are still used."},
        {"SmallestSize", 3, "The best ratio, whatever it costs."},
    };
    return kChoices;
}

} // namespace saker::http
