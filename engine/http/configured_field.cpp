#include "http/configured_field.h"

#include "base/text.h"
#include "schema/decoder.h"

#include <fmt/format.h>

#include <algorithm>

namespace saker::http {

namespace {

constexpr std::string_view kOwn[] = {"Content-Length", "Transfer-Encoding", "Connection",       "Keep-Alive",
                                     "Date",           "Content-Range",     "Content-Encoding", "Trailer",
                                     "Upgrade"};

bool isTokenCharacter(char c) {
    char folded = lowerAscii(c);
    return (folded >= 'a' && folded <= 'z') || isDigit(c) ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool isControl(char c) {
    auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

} // namespace

std::string fieldProblem(std::string_view name, std::string_view value) {
    if (name.empty() || !std::all_of(name.begin(), name.end(), isTokenCharacter)) {
        return fmt::format(
            "\"{}\" is not a header name; expected letters, digits and - such as Cache-Control",
            escapeControl(name));
    }
    for (std::string_view own : kOwn) {
        if (equalsIgnoreCase(name, own)) {
            return fmt::format("the server sets {} itself; it cannot be configured", own);
        }
    }
    if (std::any_of(value.begin(), value.end(), isControl)) {
        return fmt::format(
            "the value \"{}\" of {} holds a control character (a line break?), which a header cannot",
            escapeControl(value), name);
    }
    return {};
}

std::string fieldLineProblem(std::string_view line) {
    std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
        return fmt::format("expected \"Name: value\", found \"{}\" without a colon", escapeControl(line));
    }
    return fieldProblem(line.substr(0, colon), trim(line.substr(colon + 1)));
}

void checkDefaultHeaders(schema::Checker& checker, const schema::OrderedMap<std::string>& headers) {
    for (const auto& [name, value] : headers) {
        if (std::string problem = fieldProblem(name, value); !problem.empty()) {
            checker.error({"DefaultHeaders", name}, std::move(problem));
        }
    }
}

void checkExtTypes(schema::Checker& checker, const schema::OrderedMap<std::vector<std::string>>& types) {
    for (const auto& [extensions, lines] : types) {
        for (std::string_view extension : split(extensions, ',')) {
            if (extension = trim(extension);
                extension.empty() || extension.find('/') != std::string_view::npos) {
                checker.error(
                    {"ExtTypes", extensions},
                    fmt::format("expected file extensions separated by commas such as \"html,htm\" as key, "
                                "found \"{}\"",
                                escapeControl(extensions)));
                break;
            }
        }
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (std::string problem = fieldLineProblem(lines[i]); !problem.empty()) {
                checker.error({"ExtTypes", extensions, std::to_string(i)}, std::move(problem));
            }
        }
    }
}

} // namespace saker::http
