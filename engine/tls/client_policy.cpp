#include "tls/client_policy.h"

#include "base/hash.h"
#include "os/file.h"
#include "tls/openssl_error.h"

#include <fmt/format.h>

#include <openssl/pem.h>

namespace saker::tls {

namespace {

using BioPtr = std::unique_ptr<BIO, OpensslFree<BIO_free>>;
constexpr std::uint64_t kMaxFile = 4 * 1024 * 1024;

} // namespace

Result<std::shared_ptr<const ClientPolicy>> ClientPolicy::load(Mode mode, const std::string& caFile) {
    auto pem = os::readFile(caFile, kMaxFile);
    if (!pem) {
        return pem.error();
    }
    return parse(mode, *pem, caFile);
}

Result<std::shared_ptr<const ClientPolicy>> ClientPolicy::parse(Mode mode, std::string_view pem,
                                                                const std::string& caFile) {
    const ClearsOpensslErrors clears; // the end of the text is an error too
    const std::uint64_t id = hashBytes(pem, processHashKey() + static_cast<std::uint64_t>(mode)) | 1;
    std::shared_ptr<ClientPolicy> policy(new ClientPolicy(mode, id));
    policy->store_.reset(X509_STORE_new());
    BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
    std::size_t count = 0;
    while (X509Ptr certificate{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
        X509_STORE_add_cert(policy->store_.get(), certificate.get());
        ++count;
    }
    if (count == 0) {
        return Error{ErrorKind::configuration,
                     "There is no certificate in this file; expected those of the authorities that issue the "
                     "clients' certificates, in PEM.",
                     caFile};
    }
    return std::shared_ptr<const ClientPolicy>(std::move(policy));
}

void ClientPolicy::apply(SSL_CTX& context) const {
    SSL_CTX_set1_cert_store(&context, store_.get());
    // The client is told whom it may choose a certificate of.
    STACK_OF(X509_NAME)* names = sk_X509_NAME_new_null();
    STACK_OF(X509_OBJECT)* objects = X509_STORE_get0_objects(store_.get());
    for (int i = 0; i < sk_X509_OBJECT_num(objects); ++i) {
        if (X509* authority = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(objects, i))) {
            if (X509_NAME* name = X509_NAME_dup(X509_get_subject_name(authority))) {
                sk_X509_NAME_push(names, name);
            }
        }
    }
    SSL_CTX_set_client_CA_list(&context, names); // takes them over
}

void ClientPolicy::apply(SSL& ssl) const {
    const int fail = mode_ == Mode::required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0;
    SSL_set_verify(&ssl, SSL_VERIFY_PEER | fail, nullptr);
}

} // namespace saker::tls
