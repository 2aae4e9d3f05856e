#include "observe/log.h"

#include "base/text.h"

#include <array>

namespace saker::log {

namespace detail {
std::atomic<Level> currentLevel{Level::info};
}

namespace {
constexpr std::array<const char*, 4> kNames{"error", "warning", "info", "debug"};
}

const char* levelName(Level level) {
    return kNames[static_cast<std::size_t>(level)];
}

std::optional<Level> parseLevel(std::string_view name) {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (equalsIgnoreCase(name, kNames[i])) {
            return static_cast<Level>(i);
        }
    }
    return std::nullopt;
}

} // namespace saker::log
