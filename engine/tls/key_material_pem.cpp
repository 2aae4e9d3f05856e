#include "tls/credential_parser.h"
#include "tls/key_material.h"
#include "tls/openssl_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>

namespace saker::tls {

namespace {

using BioPtr = std::unique_ptr<BIO, OpensslFree<BIO_free>>;
using Pkcs8Ptr = std::unique_ptr<PKCS8_PRIV_KEY_INFO, OpensslFree<PKCS8_PRIV_KEY_INFO_free>>;
using SignaturePtr = std::unique_ptr<X509_SIG, OpensslFree<X509_SIG_free>>;

/// Blocks of any kind in one file.
constexpr int kMostBlocks = 256;

/// One block: PEM_read_bio() gives memory that is to be freed and, holding keys perhaps, to be wiped.
struct Block {
    char* name = nullptr;
    char* header = nullptr;
    unsigned char* data = nullptr;
    long size = 0;

    Block() = default;
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block() {
        OPENSSL_free(name);
        OPENSSL_free(header);
        if (data) {
            OPENSSL_clear_free(data, static_cast<std::size_t>(capacity));
        }
    }
    bool read(BIO* bio) {
        const bool done = PEM_read_bio(bio, &name, &header, &data, &size) == 1;
        capacity = size;
        return done;
    }

private:
    long capacity = 0; // decrypting in place makes `size` smaller
};

int givePassword(char* buffer, int size, int, void* context) {
    const auto* password = static_cast<const std::optional<std::string>*>(context);
    if (!*password || (*password)->size() > static_cast<std::size_t>(size)) {
        return -1;
    }
    std::memcpy(buffer, (*password)->data(), (*password)->size());
    return static_cast<int>((*password)->size());
}

/// The older form: the header tells the cipher, and there is one round (PEM_do_header).
bool decryptOldForm(Block& block, const std::optional<std::string>& password) {
    EVP_CIPHER_INFO cipher;
    return PEM_get_EVP_CIPHER_INFO(block.header, &cipher) == 1 &&
           PEM_do_header(&cipher, block.data, &block.size, givePassword,
                         const_cast<std::optional<std::string>*>(&password)) == 1; // an old signature
}

KeyPtr keyOf(Block& block, int type) {
    const unsigned char* at = block.data;
    return KeyPtr(d2i_PrivateKey(type, nullptr, &at, block.size));
}

KeyPtr keyOf(const PKCS8_PRIV_KEY_INFO* info) {
    return KeyPtr(info ? EVP_PKCS82PKEY(info) : nullptr);
}

void readEncrypted(Block& block, const std::optional<std::string>& password, DerivationBudget& budget,
                   KeyMaterial& out) {
    const unsigned char* at = block.data;
    const SignaturePtr encrypted(d2i_X509_SIG(nullptr, &at, block.size));
    if (!encrypted) {
        out.trouble = "the encrypted private key is damaged";
        return;
    }
    if (!password) {
        out.needsPassword = true;
        return;
    }
    const X509_ALGOR* algorithm = nullptr;
    X509_SIG_get0(encrypted.get(), &algorithm, nullptr);
    if (!budget.pays(algorithm)) {
        out.trouble = "decrypting the private key would take longer than is allowed";
        return;
    }
    const Pkcs8Ptr info(PKCS8_decrypt(encrypted.get(), password->data(), static_cast<int>(password->size())));
    out.key = keyOf(info.get());
    out.needsPassword = !out.key;
}

void readKey(Block& block, std::string_view name, const std::optional<std::string>& password,
             DerivationBudget& budget, KeyMaterial& out) {
    if (name == "ENCRYPTED PRIVATE KEY") {
        return readEncrypted(block, password, budget, out);
    }
    if (block.header && *block.header) {
        if (!decryptOldForm(block, password)) {
            out.needsPassword = true;
            return;
        }
    }
    if (name == "PRIVATE KEY") {
        const unsigned char* at = block.data;
        out.key = keyOf(Pkcs8Ptr(d2i_PKCS8_PRIV_KEY_INFO(nullptr, &at, block.size)).get());
    } else {
        out.key = keyOf(block, name == "RSA PRIVATE KEY" ? EVP_PKEY_RSA : EVP_PKEY_EC);
    }
    if (!out.key) {
        const bool wasEncrypted =
            block.header && *block.header; // a wrong password goes unnoticed now and then
        out.needsPassword = wasEncrypted;
        if (!wasEncrypted) {
            out.trouble = fmt::format("the private key is damaged ({})", takeOpensslError());
        }
    }
}

bool isCertificate(std::string_view name) {
    return name == PEM_STRING_X509 || name == PEM_STRING_X509_OLD || name == PEM_STRING_X509_TRUSTED;
}

bool isKey(std::string_view name) {
    return name == "PRIVATE KEY" || name == "ENCRYPTED PRIVATE KEY" || name == "RSA PRIVATE KEY" ||
           name == "EC PRIVATE KEY";
}

std::size_t count(std::string_view text, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos;
         at = text.find(what, at + what.size())) {
        ++found;
    }
    return found;
}

/// A block has begun that does not end, or its last line is not all there.
bool isCutOff(std::string_view text) {
    constexpr std::string_view kEnd = "-----END ";
    if (count(text, "-----BEGIN ") != count(text, kEnd)) {
        return true;
    }
    const std::size_t last = text.rfind(kEnd);
    return last != text.npos && text.find("-----", last + kEnd.size()) == text.npos;
}

} // namespace

KeyMaterial readPem(const std::string& text, const std::optional<std::string>& password,
                    DerivationBudget& budget) {
    const ClearsOpensslErrors clears;
    KeyMaterial out;
    const BioPtr bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
    for (int blocks = 0;; ++blocks) {
        Block block;
        if (!block.read(bio.get())) {
            // Its end, or something between the marks that is no base64.
            if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE) {
                out.trouble = fmt::format("a block is damaged ({})", takeOpensslError());
                out.isCutOff = isCutOff(text);
            }
            return out;
        }
        if (blocks >= kMostBlocks) {
            out.trouble = fmt::format("there are more than {} blocks in it", kMostBlocks);
            return out;
        }
        const std::string_view name(block.name);
        if (isCertificate(name)) {
            const unsigned char* at = block.data;
            X509Ptr certificate(name == PEM_STRING_X509_TRUSTED ? d2i_X509_AUX(nullptr, &at, block.size)
                                                                : d2i_X509(nullptr, &at, block.size));
            if (!certificate) {
                out.trouble = fmt::format("certificate {} in it is damaged ({})", out.certificates.size() + 1,
                                          takeOpensslError());
                return out;
            }
            if (out.certificates.size() >= kMaxCertificatesInFile) {
                out.trouble =
                    fmt::format("there are more than {} certificates in it", kMaxCertificatesInFile);
                return out;
            }
            out.certificates.push_back(std::move(certificate));
        } else if (isKey(name) && !out.key) {
            readKey(block, name, password, budget, out);
            if (!out.key) {
                return out;
            }
        }
    }
}

} // namespace saker::tls
