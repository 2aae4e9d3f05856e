#include "schema/type.h"

#include "base/edit_distance.h"
#include "base/text.h"

#include <fmt/format.h>

#include <cmath>

namespace saker::schema {

namespace {

constexpr double kLargestExact = 9007199254740992.0; // 2^53

template <class T>
const T& as(const void* value) {
    return *static_cast<const T*>(value);
}

std::string plain(double number) {
    return fmt::format("{}", number);
}

} // namespace

void Type::visit(void*, const Visitor&) const {}

void Type::mismatch(Decoder& decoder, const Node& node, const Limits& limits, std::string_view hint) const {
    decoder.error(node, fmt::format("expected {}, found {}{}{}", expectation(limits), node.describe(),
                                    hint.empty() ? "" : "; ", hint));
}

std::optional<WholeNumber> wholeNumber(const Node& node, Unit unit) {
    if (node.isString() && unit == Unit::bytes) {
        auto size = parseSize(node.text);
        return size ? std::optional(WholeNumber{false, *size}) : std::nullopt;
    }
    if (node.kind != Node::Kind::number) {
        return std::nullopt;
    }
    std::string_view digits = node.text;
    bool negative = !digits.empty() && digits.front() == '-';
    digits.remove_prefix(negative ? 1 : 0);
    if (auto exact = parseDecimal(digits)) {
        return WholeNumber{negative && *exact != 0, *exact};
    }
    auto number = parseNumber(digits);
    if (!number || *number > kLargestExact || std::trunc(*number) != *number) {
        return std::nullopt;
    }
    return WholeNumber{negative && *number != 0, static_cast<std::uint64_t>(*number)};
}

std::string rangeText(const Limits& limits) {
    if (limits.min && limits.max) {
        return fmt::format(" from {} to {}", plain(*limits.min), plain(*limits.max));
    }
    if (limits.min && *limits.min != 0) {
        return fmt::format(" of at least {}", plain(*limits.min));
    }
    return limits.max ? fmt::format(" up to {}", plain(*limits.max)) : std::string();
}

bool withinLimits(Decoder& decoder, const Node& node, double number, const Limits& limits) {
    if (limits.min && number < *limits.min) {
        decoder.error(node,
                      fmt::format("expected at least {}, found {}", plain(*limits.min), node.describe()));
        return false;
    }
    if (limits.max && number > *limits.max) {
        decoder.error(node,
                      fmt::format("expected at most {}, found {}", plain(*limits.max), node.describe()));
        return false;
    }
    return true;
}

std::string choiceExpectation(std::span<const Choice> choices, bool numbers) {
    std::string out = "one of ";
    for (const Choice& choice : choices) {
        out += &choice == &choices.front() ? "" : &choice == &choices.back() ? " and " : ", ";
        out += jsonString(choice.name);
        out += numbers ? fmt::format(" ({})", choice.value) : "";
    }
    return out;
}

std::optional<std::int64_t> decodeChoice(Decoder& decoder, const Node& node, std::span<const Choice> choices,
                                         bool numbers) {
    std::vector<std::string_view> names;
    auto number = numbers ? wholeNumber(node, Unit::none) : std::nullopt;
    for (const Choice& choice : choices) {
        if (node.isString() && equalsIgnoreCase(node.text, choice.name)) {
            return choice.value;
        }
        if (number && !number->negative && number->magnitude == static_cast<std::uint64_t>(choice.value)) {
            return choice.value;
        }
        names.push_back(choice.name);
    }
    decoder.error(
        node, fmt::format("expected {}, found {}.{}", choiceExpectation(choices, numbers), node.describe(),
                          node.isString() && node.text.size() < 64 ? didYouMean(node.text, names) : ""));
    return std::nullopt;
}

Node encodeChoice(std::int64_t value, std::span<const Choice> choices) {
    for (const Choice& choice : choices) {
        if (choice.value == value) {
            return Node::of(choice.name);
        }
    }
    return Node::of(value);
}

void BooleanType::decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const {
    if (node.kind != Node::Kind::boolean) {
        bool word =
            node.isString() && (equalsIgnoreCase(node.text, "true") || equalsIgnoreCase(node.text, "false"));
        mismatch(decoder, node, limits, word ? "write it without quotes" : "");
        return;
    }
    *static_cast<bool*>(value) = node.boolean;
}
Node BooleanType::encode(const void* value, const Limits&) const {
    return Node::of(as<bool>(value));
}
bool BooleanType::equal(const void* a, const void* b) const {
    return as<bool>(a) == as<bool>(b);
}

std::string NumberType::expectation(const Limits& limits) const {
    return "a number" + rangeText(limits);
}
void NumberType::decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const {
    auto number = node.kind == Node::Kind::number ? parseNumber(node.text) : std::nullopt;
    if (!number) {
        mismatch(decoder, node, limits);
    } else if (withinLimits(decoder, node, *number, limits)) {
        *static_cast<double*>(value) = *number;
    }
}
Node NumberType::encode(const void* value, const Limits&) const {
    return Node::of(as<double>(value));
}
bool NumberType::equal(const void* a, const void* b) const {
    return as<double>(a) == as<double>(b);
}

void TextType::decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const {
    if (!node.isString()) {
        mismatch(decoder, node, limits, node.kind == Node::Kind::number ? "write it in double quotes" : "");
    } else if (node.text.find('\0') != std::string::npos) {
        decoder.error(node, "the text holds \\u0000, which nothing here can mean");
    } else {
        *static_cast<std::string*>(value) = node.text;
    }
}
Node TextType::encode(const void* value, const Limits&) const {
    return Node::of(as<std::string>(value));
}
bool TextType::equal(const void* a, const void* b) const {
    return as<std::string>(a) == as<std::string>(b);
}
void TextType::visit(void* value, const Visitor& visitor) const {
    if (visitor.text) {
        visitor.text(*static_cast<std::string*>(value));
    }
}

std::string DurationType::expectation(const Limits& limits) const {
    return fmt::format("a number of {}{} or a text such as \"500ms\", \"30s\" or \"5m\"",
                       unitName(limits.unit), rangeText(limits));
}
void DurationType::decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const {
    std::optional<Duration> duration;
    if (node.isString()) {
        duration = parseDuration(node.text);
    } else if (node.kind == Node::Kind::number) {
        auto number = parseNumber(node.text);
        duration = number ? durationOf(*number, limits.unit) : std::nullopt;
    }
    if (!duration) {
        mismatch(decoder, node, limits);
    } else if (withinLimits(decoder, node, inUnit(*duration, limits.unit), limits)) {
        *static_cast<Duration*>(value) = *duration;
    }
}
Node DurationType::encode(const void* value, const Limits& limits) const {
    return Node::of(inUnit(as<Duration>(value), limits.unit));
}
bool DurationType::equal(const void* a, const void* b) const {
    return as<Duration>(a) == as<Duration>(b);
}

} // namespace saker::schema
