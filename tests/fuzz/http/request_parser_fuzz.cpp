// A head gives the same result whole and in pieces, and everything in the result lies inside the input.
#include "base/hash.h"
#include "http/h1/request_parser.h"

#include <cstdlib>
#include <vector>

namespace {

using namespace saker::http;
using State = RequestParser::State;

void check(bool condition) {
    if (!condition) {
        std::abort();
    }
}

bool isInside(std::string_view piece, std::string_view whole) {
    return piece.empty() ||
           (piece.data() >= whole.data() && piece.data() + piece.size() <= whole.data() + whole.size());
}

void checkHead(const RequestHead& head, std::string_view bytes, const RequestLimits& limits) {
    std::string_view used = bytes.substr(0, head.size());
    check(head.size() <= bytes.size() && head.size() <= limits.maxHead && head.size() >= 4);
    check(used.substr(used.size() - 4) == "\r\n\r\n");
    check(isInside(head.methodText(), used) && !head.methodText().empty());
    check(isInside(head.target(), used) && !head.target().empty() && head.target().size() <= limits.maxLine);
    check(isInside(head.query(), used) && isInside(head.authority(), used));
    check(head.path() == "/" || isInside(head.path(), used));
    check(head.fieldCount() <= limits.maxFields);
    for (std::size_t i = 0; i < head.fieldCount(); ++i) {
        RequestHead::Field field = head.field(i);
        check(isInside(field.name, used) && isInside(field.value, used) && !field.name.empty());
        check(field.id == fieldNameId(field.name));
        check(field.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos);
        if (field.id != FieldName::other) {
            check(head.has(field.id));
        }
    }
    check(!(head.has(FieldName::contentLength) && head.has(FieldName::transferEncoding)));
    check((head.framing == BodyFraming::chunked) == head.has(FieldName::transferEncoding));
    check((head.framing == BodyFraming::length) == head.has(FieldName::contentLength));
}

void checkSame(const RequestHead& a, const RequestHead& b) {
    check(a.size() == b.size() && a.method == b.method && a.minorVersion == b.minorVersion &&
          a.form == b.form);
    check(a.framing == b.framing && a.contentLength == b.contentLength && a.keepAlive == b.keepAlive);
    check(a.expectsContinue == b.expectsContinue && a.wantsUpgrade == b.wantsUpgrade);
    check(a.target() == b.target() && a.path() == b.path() && a.query() == b.query() &&
          a.hasQuery() == b.hasQuery());
    check(a.authority() == b.authority() && a.fieldCount() == b.fieldCount());
    for (std::size_t i = 0; i < a.fieldCount(); ++i) {
        check(a.field(i).name == b.field(i).name && a.field(i).value == b.field(i).value);
    }
}

void compare(std::string_view input, const RequestLimits& limits) {
    RequestParser whole(limits);
    RequestHead wholeHead;
    State wholeState = whole.parse(input, wholeHead);
    if (wholeState == State::complete) {
        checkHead(wholeHead, input, limits);
    }
    check((wholeState == State::rejected) == (whole.rejection() != Rejection::none));

    std::uint64_t random = saker::hashBytes(input, 1);
    std::size_t most = 1 + random % 24;
    RequestParser cut(limits);
    std::vector<char> bytes;
    std::size_t size = 0;
    while (size < input.size()) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        size = std::min(input.size(), size + 1 + (random >> 33U) % most);
        bytes.assign(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(size));
        bytes.shrink_to_fit();
        RequestHead head;
        State state = cut.parse({bytes.data(), size}, head);
        if (state == State::incomplete) {
            continue;
        }
        check(state == wholeState && cut.rejection() == whole.rejection());
        if (state == State::complete) {
            checkSame(head, wholeHead);
        }
        return;
    }
    check(wholeState != State::complete); // a mistake may wait for the head's end before it is noticed
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    compare(input, RequestLimits{});
    compare(input, RequestLimits{48, 160, 5});
    return 0;
}
