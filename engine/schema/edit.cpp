#include "schema/edit.h"

#include "base/text.h"
#include "schema/pointer.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace saker::schema {

namespace {

constexpr std::size_t kIndentStep = 2;

Error noSuchPlace(std::string_view pointer, std::string message) {
    return Error{ErrorKind::notFound, std::move(message), std::string(pointer)};
}

/// The blanks that the line of this offset starts with.
std::string indentAt(std::string_view text, std::size_t offset) {
    std::size_t newLine = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
    std::size_t begin = newLine == std::string_view::npos ? 0 : newLine + 1;
    std::size_t end = begin;
    while (end < text.size() && (text[end] == ' ' || text[end] == '\t')) {
        ++end;
    }
    return std::string(text.substr(begin, end - begin));
}

/// Pretty text whose lines behind the first start with the given blanks.
std::string indented(const Node& value, const std::string& indent) {
    std::string out;
    for (char c : toText(value, Layout::pretty)) {
        out += c;
        if (c == '\n') {
            out += indent;
        }
    }
    return out;
}

/// The begins and ends of what a list or an object contains; keys belong to their values.
struct Piece {
    std::size_t begin;
    std::size_t end;
};
std::vector<Piece> piecesOf(const Node& container) {
    std::vector<Piece> pieces;
    for (const Node::Member& member : container.members) {
        pieces.push_back({member.keyBegin, member.value.end});
    }
    for (const Node& item : container.items) {
        pieces.push_back({item.begin, item.end});
    }
    return pieces;
}

/// Puts a piece of text behind the last one of a list or an object.
std::string append(const std::string& text, const Node& container, std::string_view key, const Node& value) {
    std::vector<Piece> pieces = piecesOf(container);
    std::string_view inside(text.data() + container.begin, container.end - container.begin);
    bool multiLine = inside.find('\n') != std::string_view::npos;
    std::size_t closing = container.end - 1;

    std::string outer = indentAt(text, container.begin);
    std::string indent = pieces.empty() || !multiLine ? outer + std::string(kIndentStep, ' ')
                                                      : indentAt(text, pieces.back().begin);
    std::string name = container.isObject() ? jsonString(key) + ": " : "";

    if (!multiLine && container.isArray()) {
        std::size_t at = pieces.empty() ? closing : pieces.back().end;
        bool hasComma = !pieces.empty() && text[skipBlanks(text, at)] == ',';
        at = hasComma ? skipBlanks(text, at) + 1 : at;
        return text.substr(0, at) +
               (pieces.empty() ? ""
                : hasComma     ? " "
                               : ", ") +
               indented(value, outer) + text.substr(at);
    }

    // The new piece gets lines of its own in front of the closing bracket, behind whatever comments stand
    // there.
    std::size_t at = closing;
    while (at > container.begin + 1 &&
           std::string_view(" \t\r\n").find(text[at - 1]) != std::string_view::npos) {
        --at;
    }
    std::string out = text.substr(0, at);
    bool hasComma = false;
    if (!pieces.empty()) {
        std::size_t next = skipBlanks(text, pieces.back().end);
        hasComma = text[next] == ',';
        if (!hasComma) {
            out.insert(pieces.back().end, ",");
        }
    }
    std::string_view lineEnd = text.find("\r\n") != std::string::npos ? "\r\n" : "\n";
    out += lineEnd;
    out += indent + name + indented(value, indent) + (hasComma ? "," : "");
    std::string_view rest = std::string_view(text).substr(at);
    if (rest.substr(0, closing - at).find('\n') == std::string_view::npos) {
        out += lineEnd;
        out += outer;
        rest = rest.substr(closing - at);
    }
    return out.append(rest);
}

/// An object of objects, for the part of a pointer that does not exist yet.
Node wrapped(const Node& value, const std::vector<std::string>& tokens, std::size_t from) {
    Node node = value;
    for (std::size_t i = tokens.size(); i > from; --i) {
        Node outer = Node::object();
        outer.add(tokens[i - 1], std::move(node));
        node = std::move(outer);
    }
    return node;
}

} // namespace

Result<std::string> setValue(const Document& document, std::string_view pointer, const Node& value) {
    auto tokens = splitPointer(pointer);
    if (!tokens) {
        return noSuchPlace(pointer, "this is not a JSON pointer; it looks like /Sites/example.com/Root");
    }
    const std::string& text = document.text();
    const Node* node = &document.root();
    for (std::size_t i = 0; i < tokens->size(); ++i) {
        const std::string& token = (*tokens)[i];
        if (node->isObject()) {
            const Node::Member* member = node->find(token);
            if (!member) {
                return append(text, *node, token, wrapped(value, *tokens, i + 1));
            }
            node = &member->value;
        } else if (node->isArray() && token == "-" && i + 1 == tokens->size()) {
            return append(text, *node, {}, value);
        } else if (auto index = parseDecimal(token);
                   node->isArray() && index && *index < node->items.size()) {
            node = &node->items[*index];
        } else {
            return noSuchPlace(pointer,
                               fmt::format("there is no place \"{}\" in {}", token, node->describe()));
        }
    }
    std::string replacement = indented(value, indentAt(text, node->begin));
    return text.substr(0, node->begin) + replacement + text.substr(node->end);
}

Result<std::string> removeValue(const Document& document, std::string_view pointer) {
    auto tokens = splitPointer(pointer);
    const Node* node = document.find(pointer);
    if (!tokens || tokens->empty() || !node) {
        return noSuchPlace(pointer, "there is nothing to remove at this place");
    }
    std::string_view parentPointer = pointer.substr(0, pointer.rfind('/'));
    const Node& parent = *document.find(parentPointer);
    std::string text = document.text();

    std::vector<Piece> pieces = piecesOf(parent);
    std::size_t index = 0;
    while (pieces[index].end != node->end) {
        ++index;
    }
    auto [begin, end] = pieces[index];
    std::size_t comma = skipBlanks(text, end);
    if (text[comma] == ',') {
        text.erase(comma, 1);
    } else if (index > 0) {
        // The last one without a trailing comma: the comma in front of it would be left over.
        std::size_t before = skipBlanks(text, pieces[index - 1].end);
        text.erase(before, 1);
        --begin;
        --end;
    }
    // Nothing else on its lines: these go too, else only the blanks up to the next token.
    std::size_t lineBegin = begin - indentAt(text, begin).size();
    bool ownLine = lineBegin == 0 || text[lineBegin - 1] == '\n';
    std::size_t after = end;
    while (after < text.size() && (text[after] == ' ' || text[after] == '\t' || text[after] == '\r')) {
        ++after;
    }
    if (ownLine && after < text.size() && text[after] == '\n') {
        return text.erase(lineBegin, after + 1 - lineBegin);
    }
    while (end < text.size() && text[end] == ' ') {
        ++end;
    }
    return text.erase(begin, end - begin);
}

} // namespace saker::schema
