// A configuration text and the tree read from it. JSON (RFC 8259) with // and /* */ comments and trailing
// commas. Safe for hostile text: size and depth are bounded, every failure is a Problem with line and column.
#pragma once

#include "base/result.h"
#include "schema/node.h"
#include "schema/problem.h"

#include <string>
#include <string_view>

namespace saker::schema {

struct Position {
    std::uint32_t line = 0;   ///< from 1
    std::uint32_t column = 0; ///< from 1, in bytes
};

class Document {
public:
    static constexpr std::size_t kMaxSize = 16 * 1024 * 1024;
    static constexpr std::size_t kMaxValues = 1'000'000;
    static constexpr unsigned kMaxDepth = 64;

    /// An empty object, for "there is no file".
    Document();
    /// REQUIRES: the offsets in `root` are offsets into `text`.
    Document(std::string text, Node root) : text_(std::move(text)), root_(std::move(root)) {}

    const std::string& text() const { return text_; }
    const Node& root() const { return root_; }
    Position position(std::size_t offset) const;
    /// The value a JSON pointer names, keys matched as Node::find does; null when there is none.
    const Node* find(std::string_view pointer) const;

private:
    std::string text_;
    Node root_;
};

/// Reads a text. On failure one Problem says where and what was expected there.
struct ReadResult {
    Document document; ///< an empty object on failure
    Problems problems;
    bool ok() const { return problems.empty(); }
};
ReadResult read(std::string text);

/// Where the next token starts: behind white space and comments. `end` of the text when there is none.
std::size_t skipBlanks(std::string_view text, std::size_t offset);

} // namespace saker::schema
