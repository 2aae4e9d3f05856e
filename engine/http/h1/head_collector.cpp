#include "http/h1/head_collector.h"

#include "base/text.h"
#include "http/chars.h"
#include "http/h1/scan.h"

namespace saker::http {

namespace {

bool isBlank(char c) {
    return c == ' ' || c == '\t';
}

/// Adds a line that continues the last field's value (RFC 9112, section 5.2: a fold is a space).
void unfold(std::string_view line, std::string& value) {
    const std::string_view more = trim(line);
    if (!value.empty() && !more.empty()) {
        value += ' ';
    }
    value += more;
}

} // namespace

HeadCollector::Step HeadCollector::next(std::string_view input) {
    if (stale_) {
        reset();
    }
    std::size_t at = 0;
    bool complete = false;
    while (at < input.size() && !complete) {
        if (!lineStart_) {
            const std::size_t end = input.find('\n', at);
            lineStart_ = end != std::string_view::npos;
            at = lineStart_ ? end + 1 : input.size();
            continue;
        }
        if (input[at] == '\n') {
            complete = true;
            ++at;
        } else if (input[at] == '\r' && !crAtStart_) {
            crAtStart_ = true;
            ++at;
        } else {
            lineStart_ = false;
            crAtStart_ = false;
        }
    }
    if (at > maxBytes_ - size_) {
        return {State::tooLarge, at, {}};
    }
    size_ += static_cast<std::uint32_t>(at);
    if (!complete) {
        kept_.append(input);
        return {State::more, at, {}};
    }
    const std::size_t emptyLine = crAtStart_ ? 2 : 1;
    std::string_view head = input.substr(0, at);
    if (!kept_.empty()) {
        kept_.append(head);
        head = kept_;
    }
    stale_ = true;
    return {State::complete, at, head.substr(0, head.size() - emptyLine)};
}

void HeadCollector::reset() {
    *this = HeadCollector(maxBytes_);
}

std::string_view parseFieldLines(std::string_view lines, BadLines badLines, std::uint32_t maxFields,
                                 std::vector<ResponseHead::Field>& out) {
    const std::size_t before = out.size();
    bool isOpen = false; // the last line was a field, so that a folded line can belong to it
    while (!lines.empty()) {
        const std::size_t end = lines.find('\n');
        std::string_view line = lines.substr(0, end);
        lines = end == std::string_view::npos ? std::string_view() : lines.substr(end + 1);
        if (!line.empty() && line.back() == '\r') {
            line.remove_suffix(1);
        }
        std::string_view wrong;
        const char* const stop = line.data() + line.size();
        const bool isFold = !line.empty() && isBlank(line.front());
        const std::size_t colon = line.find(':');
        const std::string_view name =
            isFold || colon == std::string_view::npos ? std::string_view() : trim(line.substr(0, colon));
        if (scan::findValueEnd(line.data(), line.data(), stop) != stop) {
            wrong = "a field holds a control character";
        } else if (isFold && !isOpen) {
            wrong = "a folded line follows no field";
        } else if (!isFold && colon == std::string_view::npos) {
            wrong = "a line of the head has no colon";
        } else if (!isFold && !isToken(name)) {
            wrong = "a field's name holds characters that no name can have";
        }
        if (!wrong.empty()) {
            if (badLines == BadLines::refuse) {
                return wrong;
            }
            isOpen = false;
            continue;
        }
        if (isFold) {
            unfold(line, out.back().value);
            continue;
        }
        if (out.size() - before == maxFields) {
            return "there are too many fields";
        }
        out.push_back({std::string(name), std::string(trim(line.substr(colon + 1)))});
        isOpen = true;
    }
    return {};
}

} // namespace saker::http
