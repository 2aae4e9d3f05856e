// Whatever is asked for, a normal path stays below its root, and normalising it again changes nothing.
#include "http/authority.h"
#include "http/file_name.h"
#include "http/url.h"

#include <cstdlib>

namespace {

using namespace saker::http;

void check(bool condition) {
    if (!condition) {
        std::abort();
    }
}

void checkPath(std::string_view raw, PathPolicy policy) {
    std::string scratch;
    NormalPath result = normalisePath(raw, scratch, policy);
    if (!result.ok()) {
        check(result.path.empty());
        return;
    }
    std::uint32_t segments = 0;
    std::string_view rest = result.path;
    while (!rest.empty()) {
        std::size_t end = rest.find('/');
        std::string_view name = rest.substr(0, end);
        check(!name.empty() && name != "." && name != "..");
        for (char c : name) {
            check(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '\\');
        }
        ++segments;
        check(end == std::string_view::npos || end + 1 < rest.size());
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    check(segments == result.segments);
    hasSuspiciousName(result.path);

    std::string spelled = "/" + std::string(result.path);
    if (result.trailingSlash && !result.path.empty()) {
        spelled += '/';
    }
    check(result.changed == (spelled != raw));

    std::string encoded = "/" + encodePath(result.path);
    std::string again;
    NormalPath back = normalisePath(encoded, again, policy);
    check(back.ok() && back.path == result.path && back.segments == result.segments);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    checkPath(input, {});
    checkPath("/" + std::string(input), {true});

    if (auto decoded = percentDecode(input)) {
        check(decoded->size() <= input.size());
    }
    if (auto authority = splitAuthority(input)) {
        check(!authority->host.empty() && authority->host.size() <= input.size());
        std::string scratch;
        std::string folded(foldHost(authority->host, scratch));
        check(foldHost(folded, scratch) == folded);
    }
    return 0;
}
