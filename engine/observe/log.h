// The error log: what the operator should know. Any thread; a line is one call, escaped to stay one line. Not
// for the path of an ordinary request. Where lines go is settled by log_setup.h; before that they go to
// stderr.
//
//     log::error("certificates", "{}: {}", domain, error.message);
//
// `source` names the part that speaks, in a word or two: "listener", "reload", a site's name.
#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace saker::log {

/// In order of weight; a level includes all before it.
enum class Level : std::uint8_t { error, warning, info, debug };
const char* levelName(Level level);
/// "error", "warning", "info", "debug"; case ignored.
std::optional<Level> parseLevel(std::string_view name);

namespace detail {
extern std::atomic<Level> currentLevel;
}

inline bool isOn(Level level) {
    return level <= detail::currentLevel.load(std::memory_order_relaxed);
}

/// Writes a line whose text is ready. Never throws: a log that cannot be written is no reason to stop
/// serving.
void write(Level level, std::string_view source, std::string_view text) noexcept;

template <class... Args>
void error(std::string_view source, fmt::format_string<Args...> format, Args&&... args) {
    write(Level::error, source, fmt::format(format, std::forward<Args>(args)...));
}
template <class... Args>
void warning(std::string_view source, fmt::format_string<Args...> format, Args&&... args) {
    if (isOn(Level::warning)) {
        write(Level::warning, source, fmt::format(format, std::forward<Args>(args)...));
    }
}
template <class... Args>
void info(std::string_view source, fmt::format_string<Args...> format, Args&&... args) {
    if (isOn(Level::info)) {
        write(Level::info, source, fmt::format(format, std::forward<Args>(args)...));
    }
}
template <class... Args>
void debug(std::string_view source, fmt::format_string<Args...> format, Args&&... args) {
    if (isOn(Level::debug)) {
        write(Level::debug, source, fmt::format(format, std::forward<Args>(args)...));
    }
}

} // namespace saker::log
