// Fields of HTTP/2 as text of HTTP/1: whatever is let through reads back as the same fields, so that nothing
// in one of them can pass for another.
#include "http/h1/request_parser.h"
#include "http/h2/request_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace saker::http;

namespace {

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

/// Parts with a byte in front that says how long they are.
std::string_view take(std::string_view& input) {
    if (input.empty()) {
        return {};
    }
    const std::size_t size = std::min<std::size_t>(static_cast<unsigned char>(input[0]), input.size() - 1);
    const std::string_view part = input.substr(1, size);
    input.remove_prefix(1 + size);
    return part;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    static constexpr std::string_view kNames[] = {":method",   ":path", ":scheme", ":authority",
                                                  ":protocol", "host",  "cookie"};
    std::vector<std::pair<std::string, std::string>> fields;
    while (!input.empty()) {
        const std::size_t kind = static_cast<unsigned char>(input[0]) % 12;
        input.remove_prefix(1);
        std::string name(kind < std::size(kNames) ? kNames[kind] : take(input));
        fields.emplace_back(std::move(name), std::string(take(input)));
    }
    RequestText text;
    text.begin(4096, true);
    std::vector<std::pair<std::string, std::string>> plain;
    for (const auto& [name, value] : fields) {
        text.addField(name, value);
        if (!name.starts_with(':') && name != "cookie" && name != "host") {
            plain.emplace_back(name, value);
        }
    }
    if (!text.complete()) {
        require(text.isMalformed() || text.isTooLarge());
        return 0;
    }
    static const RequestLimits kLimits{1 << 20, 1 << 21, 100};
    RequestParser parser(kLimits);
    RequestHead head;
    if (parser.parse(text.text(), head) != RequestParser::State::complete) {
        return 0;
    }
    require(head.size() == text.text().size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < head.fieldCount(); ++i) {
        const auto [name, value, id] = head.field(i);
        if (name == "host" || name == "cookie" || name == "connection" || name == "upgrade") {
            continue; // the last two are of an extended CONNECT
        }
        require(next < plain.size() && plain[next].first == name && plain[next].second == value);
        ++next;
    }
    require(next == plain.size());
    return 0;
}
