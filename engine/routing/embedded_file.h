// A file that was compiled into the program (saker_embed of resources/cmake/SakerEmbed.cmake).
#pragma once

#include <string_view>

namespace saker::routing {

struct EmbeddedFile {
    std::string_view path;
    std::string_view text;
};

} // namespace saker::routing
