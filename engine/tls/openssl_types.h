// Owners of OpenSSL's objects.
#pragma once

#include <memory>

#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

namespace saker::tls {

/// Calls one of OpenSSL's *_free functions.
template <auto kFree>
struct OpensslFree {
    template <typename T>
    void operator()(T* object) const {
        kFree(object);
    }
};

using X509Ptr = std::unique_ptr<X509, OpensslFree<X509_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;
using SslPtr = std::unique_ptr<SSL, OpensslFree<SSL_free>>;
using SslContextPtr = std::unique_ptr<SSL_CTX, OpensslFree<SSL_CTX_free>>;

} // namespace saker::tls
