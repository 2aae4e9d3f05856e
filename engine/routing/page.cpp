#include "routing/page.h"

#include "base/text.h"
#include "http/negotiate.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace saker::routing {

PageFormat choosePageFormat(std::string_view accept) {
    std::uint16_t html = http::acceptQuality(accept, "text/html");
    std::uint16_t json = std::max(http::acceptQuality(accept, "application/json"),
                                  http::acceptQuality(accept, "application/problem+json"));
    if (json > html) {
        return PageFormat::json;
    }
    if (html > 0) {
        return PageFormat::html;
    }
    return http::acceptQuality(accept, "text/plain") > 0 ? PageFormat::text : PageFormat::html;
}

void appendJson(std::string_view text, std::string& out) {
    constexpr std::string_view kReplacement = "\xef\xbf\xbd"; // U+FFFD
    out += '"';
    while (!text.empty()) {
        char c = text.front();
        std::size_t size = 1;
        if (static_cast<unsigned char>(c) >= 0x80) {
            while (size < 4 && size < text.size() && (text[size] & 0xc0) == 0x80 &&
                   !isUtf8(text.substr(0, size))) {
                ++size;
            }
            bool valid = isUtf8(text.substr(0, size));
            out += valid ? text.substr(0, size) : kReplacement;
            size = valid ? size : 1;
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
        text.remove_prefix(size);
    }
    out += '"';
}

} // namespace saker::routing
