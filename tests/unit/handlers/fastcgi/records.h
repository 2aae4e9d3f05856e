// The application's side of FastCGI, for tests.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace saker {

using namespace std::string_literals;

namespace test {

inline std::string record(int type, std::string_view content, std::size_t padding = 0, int id = 1) {
    std::string out;
    out += '\1';
    out += static_cast<char>(type);
    out += static_cast<char>(id >> 8);
    out += static_cast<char>(id);
    out += static_cast<char>(content.size() >> 8U);
    out += static_cast<char>(content.size());
    out += static_cast<char>(padding);
    out += '\0';
    out += content;
    return out + std::string(padding, '#');
}
inline std::string out(std::string_view content, std::size_t padding = 0) {
    return record(6, content, padding);
}
inline std::string err(std::string_view content) {
    return record(7, content);
}
inline std::string endRequest(int protocolStatus = 0) {
    return record(3, std::string("\0\0\0\0", 4) + static_cast<char>(protocolStatus) + std::string(3, '\0'));
}

/// The pairs of a PARAMS stream.
inline std::map<std::string, std::string> pairsOf(std::string_view stream) {
    std::map<std::string, std::string> pairs;
    auto length = [&] {
        auto byte = [&](std::size_t i) { return static_cast<unsigned char>(stream.at(i)); };
        std::size_t value = byte(0);
        std::size_t size = 1;
        if (value >= 128) {
            value = (value & 127U) << 24U | byte(1) << 16U | byte(2) << 8U | byte(3);
            size = 4;
        }
        stream.remove_prefix(size);
        return value;
    };
    while (!stream.empty()) {
        const std::size_t name = length();
        const std::size_t value = length();
        pairs[std::string(stream.substr(0, name))] += std::string(stream.substr(name, value));
        stream.remove_prefix(name + value);
    }
    return pairs;
}

} // namespace test
} // namespace saker
