#include "schema/document.h"

#include "base/text.h"
#include "schema/pointer.h"

#include <fmt/format.h>
#include <rapidjson/error/error.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>

namespace saker::schema {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Takes RapidJSON's events. These come with the value, not with its place: a token starts where the blanks
/// and punctuation behind the token before it end, and ends where the stream stands during the event.
class TreeBuilder {
public:
    TreeBuilder(std::string_view text, const rapidjson::MemoryStream& stream)
        : text_(text), stream_(stream) {}

    Node take() { return std::move(root_); }
    bool tooDeep() const { return tooDeep_; }
    bool tooMany() const { return values_ > Document::kMaxValues; }

    bool Null() { return scalar(Node::Kind::null, {}); }
    bool Bool(bool value) {
        place(Node::Kind::boolean).boolean = value;
        return !tooMany();
    }
    bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
        return scalar(Node::Kind::number, std::string(text, size));
    }
    bool String(const char* text, rapidjson::SizeType size, bool) {
        return scalar(Node::Kind::string, std::string(text, size));
    }
    bool StartObject() { return open(Node::Kind::object); }
    bool StartArray() { return open(Node::Kind::array); }
    bool Key(const char* text, rapidjson::SizeType size, bool) {
        Node::Member member;
        member.key.assign(text, size);
        member.keyBegin = tokenBegin();
        member.keyEnd = offset();
        cursor_ = offset();
        open_.back()->members.push_back(std::move(member));
        return true;
    }
    bool EndObject(rapidjson::SizeType) { return close(); }
    bool EndArray(rapidjson::SizeType) { return close(); }
    // Numbers arrive raw; the reader requires these all the same.
    bool Int(int) { return false; }
    bool Uint(unsigned) { return false; }
    bool Int64(std::int64_t) { return false; }
    bool Uint64(std::uint64_t) { return false; }
    bool Double(double) { return false; }

private:
    std::uint32_t offset() const { return static_cast<std::uint32_t>(stream_.Tell()); }
    std::uint32_t tokenBegin() const {
        std::size_t at = skipBlanks(text_, cursor_);
        while (at < text_.size() && (text_[at] == ',' || text_[at] == ':')) {
            at = skipBlanks(text_, at + 1);
        }
        return static_cast<std::uint32_t>(at);
    }

    Node& place(Node::Kind kind) {
        Node node;
        node.kind = kind;
        node.begin = tokenBegin();
        node.end = offset();
        cursor_ = node.end;
        ++values_;
        if (open_.empty()) {
            root_ = std::move(node);
            return root_;
        }
        if (open_.back()->isArray()) {
            return open_.back()->items.emplace_back(std::move(node));
        }
        return open_.back()->members.back().value = std::move(node);
    }
    bool scalar(Node::Kind kind, std::string text) {
        place(kind).text = std::move(text);
        return !tooMany();
    }
    bool open(Node::Kind kind) {
        if (open_.size() >= Document::kMaxDepth) {
            tooDeep_ = true;
            return false;
        }
        // The address stays right while it is open: siblings are added only after it is closed.
        open_.push_back(&place(kind));
        return !tooMany();
    }
    bool close() {
        // Not where the stream stands: behind a trailing comma the event comes before the bracket is taken.
        cursor_ = tokenBegin() + 1;
        open_.back()->end = static_cast<std::uint32_t>(cursor_);
        open_.pop_back();
        return true;
    }

    std::string_view text_;
    const rapidjson::MemoryStream& stream_;
    std::size_t cursor_ = 0; ///< behind the last token
    Node root_;
    std::vector<Node*> open_;
    std::size_t values_ = 0;
    bool tooDeep_ = false;
};

std::string_view sentence(rapidjson::ParseErrorCode code) {
    switch (code) {
    case rapidjson::kParseErrorDocumentEmpty:
        return "the text is empty, expected an object: { … }";
    case rapidjson::kParseErrorDocumentRootNotSingular:
        return "text follows the end of the document; is a brace missing or one too many?";
    case rapidjson::kParseErrorValueInvalid:
        return "expected a value: a text in double quotes, a number, true, false, null, [ or {";
    case rapidjson::kParseErrorObjectMissName:
        return "expected a key in double quotes";
    case rapidjson::kParseErrorObjectMissColon:
        return "expected a colon behind the key";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
        return "expected a comma or } behind the value";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
        return "expected a comma or ] behind the value";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
        return "expected four hexadecimal digits behind \\u";
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
        return "half of a surrogate pair: \\ud800 to \\udfff come in twos";
    case rapidjson::kParseErrorStringEscapeInvalid:
        return "unknown escape: \\ is followed by one of \" \\ / b f n r t u; a backslash itself is written "
               "\\\\";
    case rapidjson::kParseErrorStringMissQuotationMark:
        return "the closing quote of this text is missing";
    case rapidjson::kParseErrorStringInvalidEncoding:
        return "the text is not valid UTF-8, or holds a control character (write \\n, \\t, \\u0001)";
    case rapidjson::kParseErrorNumberTooBig:
        return "the number is too big";
    case rapidjson::kParseErrorNumberMissFraction:
        return "expected a digit behind the decimal point";
    case rapidjson::kParseErrorNumberMissExponent:
        return "expected a digit in the exponent";
    default:
        return "this is not JSON";
    }
}

Problem problemAt(const Document& document, std::size_t offset, std::string message) {
    Position place = document.position(offset);
    return Problem{Problem::Severity::error, {}, place.line, place.column, std::move(message)};
}

ReadResult failure(std::string text, std::size_t offset, std::string message) {
    Document broken(std::move(text), Node::object());
    return ReadResult{Document(), {problemAt(broken, offset, std::move(message))}};
}

std::string foundAt(std::string_view text, std::size_t offset) {
    if (offset >= text.size()) {
        return ", found the end of the text";
    }
    auto byte = static_cast<unsigned char>(text[offset]);
    if (byte <= 0x20 || byte >= 0x7f) {
        return {};
    }
    return fmt::format(", found '{}'", text[offset]);
}

} // namespace

std::size_t skipBlanks(std::string_view text, std::size_t offset) {
    while (offset < text.size()) {
        char c = text[offset];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            ++offset;
        } else if (text.substr(offset, 2) == "//") {
            offset = std::min(text.find('\n', offset), text.size());
        } else if (text.substr(offset, 2) == "/*") {
            std::size_t close = text.find("*/", offset + 2);
            offset = close == std::string_view::npos ? text.size() : close + 2;
        } else {
            break;
        }
    }
    return offset;
}

Document::Document() : text_("{}"), root_(Node::object()) {
    root_.end = 2;
}

Position Document::position(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    Position place{1, 1};
    for (std::size_t i = 0; i < offset; ++i) {
        if (text_[i] == '\n') {
            ++place.line;
            place.column = 1;
        } else {
            ++place.column;
        }
    }
    return place;
}

const Node* Document::find(std::string_view pointer) const {
    auto tokens = splitPointer(pointer);
    if (!tokens) {
        return nullptr;
    }
    const Node* node = &root_;
    for (const std::string& token : *tokens) {
        if (node->isObject()) {
            const Node::Member* member = node->find(token);
            node = member ? &member->value : nullptr;
        } else if (node->isArray()) {
            auto index = parseDecimal(token);
            node = index && *index < node->items.size() ? &node->items[*index] : nullptr;
        } else {
            node = nullptr;
        }
        if (!node) {
            return nullptr;
        }
    }
    return node;
}

ReadResult read(std::string text) {
    if (text.size() > Document::kMaxSize) {
        std::string message = fmt::format("the text has {}, more than the {} that are read",
                                          formatBytes(text.size()), formatBytes(Document::kMaxSize));
        return failure({}, 0, std::move(message));
    }
    if (std::size_t nul = text.find('\0'); nul != std::string::npos) {
        return failure(std::move(text), nul, "the text holds a NUL byte; is this a text file in UTF-8?");
    }
    std::size_t start = std::string_view(text).substr(0, 3) == kByteOrderMark ? kByteOrderMark.size() : 0;
    // Offsets count from the start of the file; the mark becomes blanks for the reader only.
    std::string clean = text;
    std::fill_n(clean.begin(), start, ' ');

    rapidjson::MemoryStream stream(clean.data(), clean.size());
    TreeBuilder builder(clean, stream);
    rapidjson::Reader reader;
    constexpr unsigned kFlags = rapidjson::kParseCommentsFlag | rapidjson::kParseTrailingCommasFlag |
                                rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
    rapidjson::ParseResult result = reader.Parse<kFlags>(stream, builder);
    if (result.IsError()) {
        if (builder.tooDeep()) {
            return failure(
                std::move(text), result.Offset(),
                fmt::format("lists and objects are nested more than {} deep", Document::kMaxDepth));
        }
        if (builder.tooMany()) {
            return failure(std::move(text), result.Offset(),
                           fmt::format("the text holds more than {} values", Document::kMaxValues));
        }
        std::string message(sentence(result.Code()));
        switch (result.Code()) {
        case rapidjson::kParseErrorValueInvalid:
        case rapidjson::kParseErrorObjectMissName:
        case rapidjson::kParseErrorObjectMissColon:
        case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
        case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
            message += foundAt(text, result.Offset());
            break;
        default:
            break;
        }
        return failure(std::move(text), result.Offset(), std::move(message));
    }
    return ReadResult{Document(std::move(text), builder.take()), {}};
}

} // namespace saker::schema
