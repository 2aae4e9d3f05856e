// A JSON value as read or about to be written. What was read also knows its range of bytes in the text, which
// is what error messages point at and what edits replace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saker::schema {

struct Node {
    enum class Kind : std::uint8_t { null, boolean, number, string, array, object };
    struct Member;

    Kind kind = Kind::null;
    bool boolean = false;
    std::uint32_t begin = 0; ///< of the value in the text; begin == end for a value that was not read
    std::uint32_t end = 0;
    std::string text;            ///< a string's characters; a number as it was written
    std::vector<Node> items;     ///< of an array
    std::vector<Member> members; ///< of an object, in order, duplicates included

    // Defaulted below, where Member is complete.
    Node();
    Node(const Node& other);
    Node(Node&& other) noexcept;
    Node& operator=(const Node& other);
    Node& operator=(Node&& other) noexcept;
    ~Node();
    static Node of(bool value);
    static Node of(std::int64_t value);
    static Node of(std::uint64_t value);
    static Node of(double value);
    static Node of(std::string_view value);
    static Node of(const char* value) { return of(std::string_view(value)); }
    static Node array();
    static Node object();

    bool isObject() const { return kind == Kind::object; }
    bool isArray() const { return kind == Kind::array; }
    bool isString() const { return kind == Kind::string; }
    bool isNull() const { return kind == Kind::null; }

    /// Appends a member. REQUIRES: isObject(). Returns this object, for chains.
    Node& add(std::string_view key, Node value);
    /// The last member of that name: the exact spelling first, then without regard to ASCII case. Null when
    /// absent.
    const Member* find(std::string_view key) const;

    /// For messages: `the text "abc"`, `the number 5`, `a list`; long texts are cut.
    std::string describe() const;
};

struct Node::Member {
    std::string key;
    std::uint32_t keyBegin = 0; ///< of the key with its quotes
    std::uint32_t keyEnd = 0;
    Node value;
};

inline Node::Node() = default;
inline Node::Node(const Node& other) = default;
inline Node::Node(Node&& other) noexcept = default;
inline Node& Node::operator=(const Node& other) = default;
inline Node& Node::operator=(Node&& other) noexcept = default;
inline Node::~Node() = default;

/// JSON text of a value. `compact`: one line without spaces. `pretty`: objects over several lines, two spaces
/// a level; lists on one line where they fit; `level` is the depth at which the value will stand.
enum class Layout : std::uint8_t { compact, pretty };
std::string toText(const Node& node, Layout layout = Layout::compact, unsigned level = 0);

/// A JSON string literal with quotes.
std::string jsonString(std::string_view text);

} // namespace saker::schema
