// The answer to plain HTTP on a TLS port: whatever was sent, it is one well-formed answer with no markup of
// the sender's.
#include "tls/plain_http.h"

#include <cstddef>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const std::string_view head(reinterpret_cast<const char*>(data), size);
    saker::tls::isPlainHeadComplete(head);
    const std::string answer = saker::tls::plainHttpAnswer(head, 8443, 0);
    const std::size_t end = answer.find("\r\n\r\n");
    if (!answer.starts_with("HTTP/1.1 400 ") || end == std::string::npos) {
        std::abort();
    }
    const std::string_view body = std::string_view(answer).substr(end + 4);
    if (body.find("<script") != std::string_view::npos || body.find("javascript:") < body.find("https://")) {
        std::abort();
    }
    const std::size_t link = body.find("href=\"");
    if (link != std::string_view::npos && !body.substr(link + 6).starts_with("https://")) {
        std::abort();
    }
    return 0;
}
