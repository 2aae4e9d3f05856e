#include "http/negotiate.h"

#include "base/text.h"
#include "http/chars.h"

namespace saker::http {

namespace {

constexpr std::size_t kMaxMembers = 32;

/// "0.75" as 750; nothing unless it is a qvalue (RFC 9110, section 12.4.2).
std::optional<std::uint16_t> parseQuality(std::string_view text) {
    if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1') ||
        (text.size() > 1 && text[1] != '.')) {
        return std::nullopt;
    }
    unsigned value = text[0] == '1' ? 1000 : 0;
    unsigned weight = 100;
    for (std::size_t i = 2; i < text.size(); ++i, weight /= 10) {
        if (!isDigit(text[i])) {
            return std::nullopt;
        }
        value += static_cast<unsigned>(text[i] - '0') * weight;
    }
    return value <= 1000 ? std::optional(static_cast<std::uint16_t>(value)) : std::nullopt;
}

/// Takes "name;q=0.5" off the front of a list; false for a malformed member, which is taken off too.
/// Parameters other than q are passed over. Quoted strings are not looked into: no coding and no media type
/// here needs one.
bool takeMember(std::string_view& list, std::string_view& name, std::uint16_t& quality) {
    std::size_t comma = list.find(',');
    std::string_view member = list.substr(0, comma);
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    std::size_t semicolon = member.find(';');
    name = trim(member.substr(0, semicolon));
    quality = 1000;
    while (semicolon != std::string_view::npos) {
        member = member.substr(semicolon + 1);
        semicolon = member.find(';');
        std::string_view parameter = trim(member.substr(0, semicolon));
        if (startsWithIgnoreCase(parameter, "q=")) {
            auto parsed = parseQuality(parameter.substr(2));
            if (!parsed) {
                return false;
            }
            quality = *parsed;
        }
    }
    return !name.empty();
}

} // namespace

std::string_view codingName(Coding coding) {
    static constexpr std::array<std::string_view, 4> kNames = {"identity", "gzip", "zstd", "br"};
    return kNames[static_cast<std::size_t>(coding)];
}

std::string_view codingSuffix(Coding coding) {
    static constexpr std::array<std::string_view, 4> kSuffixes = {"", ".gz", ".zst", ".br"};
    return kSuffixes[static_cast<std::size_t>(coding)];
}

AcceptEncoding::AcceptEncoding(const RequestHead& head) {
    if (!head.has(FieldName::acceptEncoding)) {
        return;
    }
    for (std::size_t i = 0; i < head.fieldCount(); ++i) {
        RequestHead::Field field = head.field(i);
        if (field.id == FieldName::acceptEncoding) {
            add(field.value);
        }
    }
}

void AcceptEncoding::add(std::string_view value) {
    for (std::size_t members = 0; !value.empty() && members < kMaxMembers; ++members) {
        std::string_view name;
        std::uint16_t quality = 0;
        if (!takeMember(value, name, quality)) {
            continue;
        }
        if (name == "*") {
            any_ = quality;
            continue;
        }
        if (equalsIgnoreCase(name, "x-gzip")) { // RFC 9110, section 8.4.1.3
            name = codingName(Coding::gzip);
        }
        for (std::size_t i = 0; i < quality_.size(); ++i) {
            if (equalsIgnoreCase(name, codingName(static_cast<Coding>(i)))) {
                quality_[i] = quality;
            }
        }
    }
}

std::uint16_t AcceptEncoding::quality(Coding coding) const {
    std::uint16_t named = quality_[static_cast<std::size_t>(coding)];
    if (named != kUnset) {
        return named;
    }
    if (coding == Coding::identity) {
        return any_ == 0 ? 0 : 1;
    }
    return any_ == kUnset ? 0 : any_;
}

std::optional<Coding> AcceptEncoding::choose(CodingSet available) const {
    std::optional<Coding> best;
    std::uint16_t bestQuality = 0;
    for (std::size_t i = quality_.size(); i-- > 0;) { // preferred ones first: equal ones do not replace them
        auto coding = static_cast<Coding>(i);
        std::uint16_t offered = available.has(coding) ? quality(coding) : 0;
        if (offered > bestQuality) {
            best = coding;
            bestQuality = offered;
        }
    }
    return best;
}

std::uint16_t acceptQuality(std::string_view accept, std::string_view mediaType) {
    if (trim(accept).empty()) {
        return 1000;
    }
    std::string_view type = mediaType.substr(0, mediaType.find('/'));
    std::uint16_t result = 0;
    int specific = 0; // of the range that gave the result: 1 for "*/*", 2 for "text/*", 3 for "text/html"
    for (std::size_t members = 0; !accept.empty() && members < kMaxMembers; ++members) {
        std::string_view range;
        std::uint16_t quality = 0;
        if (!takeMember(accept, range, quality)) {
            continue;
        }
        int rank = 0;
        if (range == "*/*") {
            rank = 1;
        } else if (equalsIgnoreCase(range, mediaType)) {
            rank = 3;
        } else if (range.size() == type.size() + 2 && startsWithIgnoreCase(range, type) &&
                   range.substr(type.size()) == "/*") {
            rank = 2;
        }
        if (rank > specific) {
            specific = rank;
            result = quality;
        }
    }
    return result;
}

} // namespace saker::http
