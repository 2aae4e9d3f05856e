#include "os/proc_text.h"

#include "base/text.h"

#include <optional>

namespace saker::os {

namespace {

/// The words between spaces; any number of spaces separates.
std::vector<std::string_view> words(std::string_view line) {
    std::vector<std::string_view> result;
    for (std::string_view word : split(line, ' ')) {
        if (!word.empty()) {
            result.push_back(word);
        }
    }
    return result;
}

std::optional<std::uint64_t> parseHex(std::string_view text) {
    std::uint64_t value = 0;
    for (char c : text) {
        int digit = hexValue(c);
        if (digit < 0) {
            return std::nullopt;
        }
        value = value << 4 | static_cast<std::uint64_t>(digit);
    }
    return text.empty() ? std::nullopt : std::optional(value);
}

} // namespace

ProcessStat parseProcessStat(std::string_view text) {
    // The second field is the program's name in parentheses, which may hold spaces and parentheses itself.
    std::size_t end = text.rfind(')');
    if (end == std::string_view::npos) {
        return {};
    }
    std::vector<std::string_view> fields = words(trimLines(text.substr(end + 1)));
    auto number = [&](std::size_t field) { // numbered as in proc(5); the state, field 3, is the first here
        return field - 3 < fields.size() ? parseDecimal(fields[field - 3]).value_or(0) : 0;
    };
    return {static_cast<unsigned>(number(20)), number(22), number(24)};
}

std::vector<std::uint64_t> listeningInodes(std::string_view table, std::uint16_t port) {
    constexpr std::string_view kListening = "0A";
    std::vector<std::uint64_t> result;
    for (std::string_view line : split(table, '\n')) {
        // "sl: local remote state queues timer retransmits uid timeout inode …"
        std::vector<std::string_view> fields = words(line);
        if (fields.size() < 10 || fields[3] != kListening) {
            continue;
        }
        std::size_t colon = fields[1].rfind(':');
        if (colon == std::string_view::npos || parseHex(fields[1].substr(colon + 1)) != port) {
            continue;
        }
        if (auto inode = parseDecimal(fields[9])) {
            result.push_back(*inode);
        }
    }
    return result;
}

std::vector<std::uint64_t> localListenerInodes(std::string_view table, std::string_view folder) {
    constexpr unsigned kAccepts = 0x10000; // __SO_ACCEPTCON of the system's own header
    std::vector<std::uint64_t> result;
    for (std::string_view line : split(table, '\n')) {
        // "num: references protocol flags type state inode path"; a path may hold spaces, but is the rest of
        // it
        const std::vector<std::string_view> fields = words(line);
        const std::size_t path = line.find(" /");
        if (fields.size() < 8 || path == std::string_view::npos) {
            continue;
        }
        const std::string_view name = line.substr(path + 1);
        const bool isBelow =
            name.size() > folder.size() && name.starts_with(folder) && name[folder.size()] == '/';
        const auto inode = parseDecimal(fields[6]);
        if (isBelow && inode && (parseHex(fields[3]).value_or(0) & kAccepts) != 0) {
            result.push_back(*inode);
        }
    }
    return result;
}

} // namespace saker::os
