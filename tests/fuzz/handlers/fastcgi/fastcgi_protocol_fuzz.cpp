// A FastCGI server's bytes give the same whole and in pieces, and the protocol keeps its contract
// (support/reply_script.h checks that views lie in the input and that steps use what they say).
#include "handlers/fastcgi/fastcgi_protocol.h"

#include "base/hash.h"
#include "support/reply_script.h"

#include <algorithm>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace saker;
    if (size == 0) {
        return 0;
    }
    const bool isHead = (data[0] & 1U) != 0;
    const bool closes = (data[0] & 2U) != 0;
    const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
    auto run = [&](std::size_t most) {
        fastcgi::FastCgiProtocol protocol(isHead ? http::Method::head : http::Method::get, "",
                                          {{300, 6}, 40});
        BufferChain ignored;
        protocol.begin({}, ignored);
        test::ReplyScript script(protocol);
        std::uint64_t random = hashBytes(input, 1);
        for (std::size_t at = 0; at < input.size();) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            const std::size_t part = std::min(input.size() - at, 1 + (random >> 33U) % most);
            if (!script.feed(input.substr(at, part))) {
                break;
            }
            at += part;
        }
        if (closes) {
            script.close();
        }
        return script.text();
    };
    const std::string byByte = run(1);
    if (byByte != run(7) || byByte != run(1000)) {
        std::abort();
    }
    return 0;
}
