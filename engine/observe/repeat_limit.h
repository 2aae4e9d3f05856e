// Lets a message that may repeat thousands of times a second through once per interval, with the count of
// those held back. Any thread.
#pragma once

#include "observe/log.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>

namespace saker::observe {

class RepeatLimit {
public:
    explicit RepeatLimit(std::chrono::milliseconds interval) : interval_(interval) {}

    /// Nothing: hold this one back. A number: say it, and that so many were held back since the last one.
    std::optional<std::uint64_t>
    admit(std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now());

    /// Writes the message when it is due, with "(N more like it since the last one)" behind it when N > 0.
    template <class... Args>
    void write(log::Level level, std::string_view source, fmt::format_string<Args...> format,
               Args&&... args) {
        if (!log::isOn(level)) {
            return;
        }
        if (auto held = admit()) {
            std::string text = fmt::format(format, std::forward<Args>(args)...);
            if (*held > 0) {
                text += fmt::format(" ({} more like it since the last one)", *held);
            }
            log::write(level, source, text);
        }
    }

private:
    std::chrono::milliseconds interval_;
    std::atomic<std::int64_t> next_{
        INT64_MIN}; // steady-clock milliseconds from which the next one is let through
    std::atomic<std::uint64_t> held_{0};
};

} // namespace saker::observe
