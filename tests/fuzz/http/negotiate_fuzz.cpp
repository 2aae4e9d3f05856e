// Values of the fields that choose a representation: codings, media types, entity tags, dates.
#include "http/conditional.h"
#include "http/date.h"
#include "http/h1/request_parser.h"
#include "http/negotiate.h"

#include <cstdlib>

namespace {

using namespace saker::http;

void check(bool condition) {
    if (!condition) {
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::int64_t kNow = 1700000000;
    std::string_view input(reinterpret_cast<const char*>(data), size);

    AcceptEncoding accept;
    accept.add(input);
    CodingSet available = {Coding::identity, Coding::gzip, Coding::br};
    if (auto coding = accept.choose(available)) {
        check(available.has(*coding) && accept.quality(*coding) > 0 && accept.quality(*coding) <= 1000);
    }
    check(acceptQuality(input, "text/html") <= 1000);

    if (auto date = parseHttpDate(input, kNow)) {
        check(parseHttpDate(httpDate(*date), kNow) == date);
    }
    if (auto tag = parseEntityTag(input)) {
        check(tag->opaque.size() >= 2 && weakMatch(*tag, *tag));
    }

    Validators validators;
    validators.etag = "\"a\"";
    validators.lastModified = 784111777;
    static const RequestLimits limits;
    RequestHead head;
    for (std::string_view name : {"If-Match: ", "If-None-Match: ", "If-Modified-Since: ", "If-Range: "}) {
        std::string bytes =
            "GET / HTTP/1.1\r\nHost: a\r\n" + std::string(name) + std::string(input) + "\r\n\r\n";
        RequestParser parser(limits);
        if (parser.parse(bytes, head) == RequestParser::State::complete) {
            evaluatePreconditions(head, validators, kNow);
            isRangeFresh(head, validators, kNow);
        }
    }
    return 0;
}
