#include "tls/openssl_error.h"

#include <openssl/err.h>

namespace saker::tls {

std::string takeOpensslError() {
    std::string text = "unknown error";
    // The first one is the cause; later ones are of those who passed it on.
    if (const unsigned long code = ERR_get_error(); code != 0) {
        if (const char* reason = ERR_reason_error_string(code)) {
            text = reason;
        }
    }
    ERR_clear_error();
    return text;
}

ClearsOpensslErrors::~ClearsOpensslErrors() {
    ERR_clear_error();
}

} // namespace saker::tls
