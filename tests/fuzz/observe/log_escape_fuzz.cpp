// Whatever bytes arrive, the escaped text is printable, of the stated size, one line, and (JSON) valid UTF-8
// without an unescaped quote.
#include "observe/log_escape.h"

#include "base/text.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace {

void require(bool condition) {
    if (!condition) {
        std::abort();
    }
}

/// No control character; every quote stands behind a backslash that is not itself escaped.
void requireSafe(std::string_view text) {
    bool escaped = false;
    for (char c : text) {
        require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
        require(c != '"' || escaped);
        escaped = c == '\\' && !escaped;
    }
    require(!escaped);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace saker::observe;
    std::string_view text(reinterpret_cast<const char*>(data), size);

    // Allocated to the byte, so that the address sanitizer sees a write past the stated size.
    auto line = std::make_unique<char[]>(size * kLineEscapeFactor);
    requireSafe({line.get(), static_cast<std::size_t>(escapeForLine(text, line.get()) - line.get())});

    auto json = std::make_unique<char[]>(size * kJsonEscapeFactor);
    std::string_view escaped(json.get(),
                             static_cast<std::size_t>(escapeForJson(text, json.get()) - json.get()));
    requireSafe(escaped);
    require(saker::isUtf8(escaped));

    std::string message = escapeMessage(text);
    require(saker::isUtf8(message));
    require(message.find('\n') == std::string::npos && message.find('\x1b') == std::string::npos);
    return 0;
}
