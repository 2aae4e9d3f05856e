// Small pages that the server makes itself: errors, directory listings. What form they take, and the pieces
// of HTML and JSON they share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace saker::routing {

enum class PageFormat : std::uint8_t { html, json, text };

/// From the Accept field: HTML unless the client prefers application/json (or application/problem+json) to
/// it; plain text when it takes neither. An absent or empty field, and "*/*", mean HTML.
PageFormat choosePageFormat(std::string_view accept);

struct Page {
    std::string_view contentType; ///< static storage
    std::string body;
};

/// Appends a quoted JSON string; bytes that are not UTF-8 become U+FFFD.
void appendJson(std::string_view text, std::string& out);

/// Replaces every ${name} of a template by value(name, out), which appends what belongs there and returns
/// whether it knows the name; unknown ones stay as they are. One pass: values are not searched again.
template <class Value>
void fillTemplate(std::string_view text, std::string& out, Value&& value) {
    for (;;) {
        std::size_t start = text.find("${");
        std::size_t end = start == text.npos ? start : text.find('}', start);
        if (end == text.npos) {
            out += text;
            return;
        }
        out += text.substr(0, start);
        if (!value(text.substr(start + 2, end - start - 2), out)) {
            out += text.substr(start, 2); // the rest may hold a name: "${ ${0}"
            end = start + 1;
        }
        text.remove_prefix(end + 1);
    }
}

} // namespace saker::routing
