// Any text as a configuration: reading, decoding, and edits, of which each must read back as what was set,
// keep every comment, and change nothing else.

#include "schema/edit.h"
#include "unit/schema/sample_options.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace saker::schema;

void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

/// The comments of a text that was read, without blanks at their ends.
std::vector<std::string> commentsOf(std::string_view text) {
    std::vector<std::string> comments;
    for (std::size_t i = 0; i < text.size();) {
        if (text[i] == '"') {
            for (++i; text[i] != '"'; ++i) {
                i += text[i] == '\\' ? 1 : 0;
            }
            ++i;
        } else if (text.substr(i, 2) == "//" || text.substr(i, 2) == "/*") {
            std::size_t end = text[i + 1] == '/' ? text.find('\n', i) : text.find("*/", i + 2) + 2;
            std::string comment(text.substr(i, std::min(end, text.size()) - i));
            while (comment.size() > 2 &&
                   std::string_view(" \t\r").find(comment.back()) != std::string_view::npos) {
                comment.pop_back();
            }
            comments.push_back(std::move(comment));
            i = std::min(end, text.size());
        } else {
            ++i;
        }
    }
    return comments;
}

void checkSet(const Document& document, std::string_view pointer, const Node& value) {
    auto changed = setValue(document, pointer, value);
    if (!changed) {
        return;
    }
    auto again = read(*changed);
    require(again.ok());
    const Node* node = again.document.find(pointer);
    require(node && toText(*node) == toText(value));
}

void checkAppend(const Document& document, std::string_view pointer, const Node& value) {
    auto changed = setValue(document, pointer, value);
    if (changed) {
        auto again = read(*changed);
        require(again.ok() && commentsOf(*changed) == commentsOf(document.text()));
    }
}

void checkRemove(const Document& document, std::string_view pointer) {
    auto changed = removeValue(document, pointer);
    if (!changed) {
        return;
    }
    // All comments but those inside what was removed are still there.
    const Node& node = *document.find(pointer);
    const Node& parent = *document.find(pointer.substr(0, pointer.rfind('/')));
    std::size_t begin = node.begin;
    for (const Node::Member& member : parent.members) {
        begin = &member.value == &node ? member.keyBegin : begin;
    }
    std::size_t lost = commentsOf(std::string_view(document.text()).substr(begin, node.end - begin)).size();
    require(read(*changed).ok());
    require(commentsOf(*changed).size() + lost == commentsOf(document.text()).size());
}

/// Every value lies within its parent and behind the one before it, and its range holds what was read.
void checkRanges(const Document& document, const Node& node, std::size_t begin, std::size_t end) {
    require(begin <= node.begin && node.begin < node.end && node.end <= end);
    std::string_view text = std::string_view(document.text()).substr(node.begin, node.end - node.begin);
    std::size_t at = node.begin;
    switch (node.kind) {
    case Node::Kind::object:
        require(text.front() == '{' && text.back() == '}');
        for (const Node::Member& member : node.members) {
            require(at < member.keyBegin && member.keyEnd < member.value.begin);
            require(document.text()[member.keyBegin] == '"' && document.text()[member.keyEnd - 1] == '"');
            checkRanges(document, member.value, member.keyEnd, node.end - 1);
            at = member.value.end;
        }
        break;
    case Node::Kind::array:
        require(text.front() == '[' && text.back() == ']');
        for (const Node& item : node.items) {
            checkRanges(document, item, at, node.end - 1);
            at = item.end;
        }
        break;
    case Node::Kind::string:
        require(text.front() == '"' && text.back() == '"' && text.size() >= 2);
        break;
    case Node::Kind::number:
        require(text == node.text);
        break;
    case Node::Kind::boolean:
        require(text == (node.boolean ? "true" : "false"));
        break;
    case Node::Kind::null:
        require(text == "null");
        break;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto result = read(std::string(reinterpret_cast<const char*>(data), size));
    if (!result.ok()) {
        require(result.problems[0].line > 0 && !result.problems[0].message.empty());
        return 0;
    }
    const Document& document = result.document;
    checkRanges(document, document.root(), 0, document.text().size());
    for (Layout layout : {Layout::compact, Layout::pretty}) {
        auto again = read(toText(document.root(), layout));
        require(again.ok() && toText(again.document.root()) == toText(document.root()));
    }

    testing::Sample sample;
    Problems problems = decode(document, sample);
    bool whole =
        std::all_of(sample.sites.begin(), sample.sites.end(), [](const auto& s) { return s.second.value; });
    if (problems.empty() && whole) {
        testing::Sample again;
        auto written = read(toText(testing::Sample::fields().encode(&sample)));
        require(written.ok() && decode(written.document, again).empty() && again == sample);
    }

    Node object = Node::object();
    object.add("k", Node::of("//\"")).add("l", Node::array());
    for (std::string_view pointer : {"/Port", "/a", "/Sites/a~1b/c", "/0", "/a/0", ""}) {
        checkSet(document, pointer, Node::of(std::int64_t{-7}));
        checkSet(document, pointer, object);
        checkRemove(document, pointer);
    }
    checkAppend(document, "/-", object);
    checkAppend(document, "/a/-", Node::of(true));
    checkAppend(document, "/no such key", object);
    return 0;
}
