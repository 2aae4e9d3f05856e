#include "schema/node.h"

#include "base/text.h"

#include <fmt/format.h>

namespace saker::schema {

namespace {

constexpr std::size_t kLineWidth = 100;
constexpr std::size_t kDescribedLength = 40;

Node scalar(Node::Kind kind, std::string text) {
    Node node;
    node.kind = kind;
    node.text = std::move(text);
    return node;
}

bool isNested(const Node& node) {
    return node.isArray() || node.isObject();
}

void writeCompact(std::string& out, const Node& node, std::string_view comma, std::string_view colon) {
    switch (node.kind) {
    case Node::Kind::null:
        out += "null";
        break;
    case Node::Kind::boolean:
        out += node.boolean ? "true" : "false";
        break;
    case Node::Kind::number:
        out += node.text;
        break;
    case Node::Kind::string:
        out += jsonString(node.text);
        break;
    case Node::Kind::array:
        out += '[';
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            out += i > 0 ? comma : "";
            writeCompact(out, node.items[i], comma, colon);
        }
        out += ']';
        break;
    case Node::Kind::object:
        out += '{';
        for (std::size_t i = 0; i < node.members.size(); ++i) {
            out += i > 0 ? comma : "";
            out += jsonString(node.members[i].key);
            out += colon;
            writeCompact(out, node.members[i].value, comma, colon);
        }
        out += '}';
        break;
    }
}

void writePretty(std::string& out, const Node& node, unsigned level) {
    auto newLine = [&](unsigned depth) { out += "\n" + std::string(std::size_t{2} * depth, ' '); };
    if (node.isObject() && !node.members.empty()) {
        out += '{';
        for (std::size_t i = 0; i < node.members.size(); ++i) {
            out += i > 0 ? "," : "";
            newLine(level + 1);
            out += jsonString(node.members[i].key) + ": ";
            writePretty(out, node.members[i].value, level + 1);
        }
        newLine(level);
        out += '}';
        return;
    }
    if (node.isArray()) {
        std::string line;
        writeCompact(line, node, ", ", ": ");
        bool nested = false;
        for (const Node& item : node.items) {
            nested = nested || isNested(item);
        }
        std::size_t column = out.size() - (out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1);
        if (!nested && column + line.size() <= kLineWidth) {
            out += line;
            return;
        }
        out += '[';
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            out += i > 0 ? "," : "";
            newLine(level + 1);
            writePretty(out, node.items[i], level + 1);
        }
        newLine(level);
        out += ']';
        return;
    }
    writeCompact(out, node, ", ", ": ");
}

} // namespace

Node Node::of(bool value) {
    Node node;
    node.kind = Kind::boolean;
    node.boolean = value;
    return node;
}
Node Node::of(std::int64_t value) {
    return scalar(Kind::number, fmt::format("{}", value));
}
Node Node::of(std::uint64_t value) {
    return scalar(Kind::number, fmt::format("{}", value));
}
Node Node::of(double value) {
    return scalar(Kind::number, fmt::format("{}", value));
}
Node Node::of(std::string_view value) {
    return scalar(Kind::string, std::string(value));
}
Node Node::array() {
    return scalar(Kind::array, {});
}
Node Node::object() {
    return scalar(Kind::object, {});
}

Node& Node::add(std::string_view key, Node value) {
    members.push_back(Member{std::string(key), 0, 0, std::move(value)});
    return *this;
}

const Node::Member* Node::find(std::string_view key) const {
    const Member* folded = nullptr;
    for (auto member = members.rbegin(); member != members.rend(); ++member) {
        if (member->key == key) {
            return &*member;
        }
        if (!folded && equalsIgnoreCase(member->key, key)) {
            folded = &*member;
        }
    }
    return folded;
}

std::string Node::describe() const {
    auto cut = [](std::string_view text) {
        return text.size() <= kDescribedLength ? escapeControl(text)
                                               : escapeControl(text.substr(0, kDescribedLength)) + "…";
    };
    switch (kind) {
    case Kind::null:
        return "null";
    case Kind::boolean:
        return boolean ? "true" : "false";
    case Kind::number:
        return "the number " + cut(text);
    case Kind::string:
        return "the text \"" + cut(text) + "\"";
    case Kind::array:
        return "a list";
    case Kind::object:
        return "an object";
    }
    return {};
}

std::string toText(const Node& node, Layout layout, unsigned level) {
    std::string out;
    if (layout == Layout::compact) {
        writeCompact(out, node, ",", ":");
    } else {
        writePretty(out, node, level);
    }
    return out;
}

std::string jsonString(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        switch (c) {
        case '"':
            out += "\\\"";
            break;
        case '\\':
            out += "\\\\";
            break;
        case '\n':
            out += "\\n";
            break;
        case '\r':
            out += "\\r";
            break;
        case '\t':
            out += "\\t";
            break;
        default:
            if (static_cast<unsigned char>(c) < 0x20) {
                fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
            } else {
                out += c;
            }
        }
    }
    return out + "\"";
}

} // namespace saker::schema
