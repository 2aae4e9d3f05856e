// A site's page and a request's facts are both foreign: whatever they are, a value never becomes markup.
#include "routing/error_pages.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace saker::routing;
    std::string_view input(reinterpret_cast<const char*>(data), size);
    std::string_view text = input.substr(0, size / 2);
    ErrorFacts facts;
    facts.status = 404;
    facts.host = facts.path = facts.referer = facts.reference = facts.detail = input.substr(size / 2);
    auto angles = [](std::string_view s) { return std::count(s.begin(), s.end(), '<'); };
    if (angles(siteErrorPage(text, facts).body) != angles(text)) {
        std::abort();
    }
    ErrorFacts plain = facts;
    plain.host = plain.path = plain.referer = plain.reference = plain.detail = size / 2 < size ? "x" : "";
    if (angles(errorPage(facts, PageFormat::html).body) != angles(errorPage(plain, PageFormat::html).body)) {
        std::abort();
    }
    errorPage(facts, PageFormat::json);
    choosePageFormat(input);
    return 0;
}
