#include "tls/credential_parser.h"
#include "tls/key_material.h"
#include "tls/openssl_error.h"

#include <fmt/format.h>

#include <openssl/err.h>
#include <openssl/pkcs12.h>

namespace saker::tls {

namespace {

using Pkcs12Ptr = std::unique_ptr<PKCS12, OpensslFree<PKCS12_free>>;
using Pkcs8Ptr = std::unique_ptr<PKCS8_PRIV_KEY_INFO, OpensslFree<PKCS8_PRIV_KEY_INFO_free>>;

void freeSafes(STACK_OF(PKCS7) * safes) {
    sk_PKCS7_pop_free(safes, PKCS7_free);
}
void freeBags(STACK_OF(PKCS12_SAFEBAG) * bags) {
    sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
}
using SafesPtr = std::unique_ptr<STACK_OF(PKCS7), OpensslFree<freeSafes>>;
using BagsPtr = std::unique_ptr<STACK_OF(PKCS12_SAFEBAG), OpensslFree<freeBags>>;

constexpr int kMostSafes = 16;
constexpr int kMostBags = 256;

/// A password as PKCS#12 knows it: none at all is another one than an empty one, and programs differ in which
/// of them they write.
struct Password {
    const char* text;
    int size;
};

class Reader {
public:
    Reader(DerivationBudget& budget, KeyMaterial& out) : budget_(budget), out_(out) {}

    void read(PKCS12* file, const std::optional<std::string>& given) {
        std::vector<Password> candidates;
        if (given) {
            candidates.push_back({given->c_str(), static_cast<int>(given->size())});
        } else {
            candidates = {{nullptr, 0}, {"", 0}};
        }
        const Password* right = nullptr;
        if (PKCS12_mac_present(file) == 1) {
            for (const Password& candidate : candidates) {
                if (!paysMac(file)) {
                    return;
                }
                if (PKCS12_verify_mac(file, candidate.text, candidate.size) == 1) {
                    right = &candidate;
                    break;
                }
            }
            if (!right) {
                if (isUnsupported()) {
                    return;
                }
                out_.needsPassword = true;
                return;
            }
        } else {
            right = &candidates.front();
        }
        password_ = *right;
        readSafes(file);
    }

private:
    bool paysMac(PKCS12* file) {
        const ASN1_INTEGER* rounds = nullptr;
        PKCS12_get0_mac(nullptr, nullptr, nullptr, &rounds, file);
        std::int64_t number = 1;
        if (rounds && ASN1_INTEGER_get_int64(&number, rounds) != 1) {
            number = -1;
        }
        return pays(budget_.pays(number));
    }

    bool pays(bool paid) {
        if (!paid) {
            out_.trouble = "decrypting it would take longer than is allowed";
        }
        return paid;
    }

    /// Old exports use ciphers that OpenSSL 3 has put aside.
    bool isUnsupported() {
        const unsigned long code = ERR_peek_error();
        if (ERR_GET_LIB(code) != ERR_LIB_EVP && ERR_GET_REASON(code) != ERR_R_UNSUPPORTED) {
            return false;
        }
        out_.trouble =
            "it is encrypted in an old way that OpenSSL does not support any more; export it again "
            "with AES (openssl pkcs12 -legacy -in OLD -nodes | openssl pkcs12 -export -out NEW)";
        return true;
    }

    void readSafes(PKCS12* file) {
        const SafesPtr safes(PKCS12_unpack_authsafes(file));
        if (!safes || sk_PKCS7_num(safes.get()) > kMostSafes) {
            out_.trouble = "it is damaged";
            return;
        }
        for (int i = 0; i < sk_PKCS7_num(safes.get()) && out_.trouble.empty(); ++i) {
            const PKCS7* safe = sk_PKCS7_value(safes.get(), i);
            BagsPtr bags;
            if (!safe->d.ptr) {
                continue;
            }
            const int kind = OBJ_obj2nid(safe->type);
            if (kind == NID_pkcs7_data) {
                bags.reset(PKCS12_unpack_p7data(const_cast<PKCS7*>(safe))); // an old signature
            } else if (kind == NID_pkcs7_encrypted) {
                if (!pays(budget_.pays(safe->d.encrypted->enc_data->algorithm))) {
                    return;
                }
                bags.reset(PKCS12_unpack_p7encdata(const_cast<PKCS7*>(safe), password_.text, password_.size));
            } else {
                continue;
            }
            if (!bags) {
                if (!isUnsupported()) {
                    out_.trouble = fmt::format("it is damaged ({})", takeOpensslError());
                }
                return;
            }
            readBags(bags.get());
        }
    }

    void readBags(const STACK_OF(PKCS12_SAFEBAG) * bags) {
        for (int i = 0; i < sk_PKCS12_SAFEBAG_num(bags) && out_.trouble.empty(); ++i) {
            if (++bags_ > kMostBags) {
                out_.trouble = fmt::format("there are more than {} entries in it", kMostBags);
                return;
            }
            const PKCS12_SAFEBAG* bag = sk_PKCS12_SAFEBAG_value(bags, i);
            switch (PKCS12_SAFEBAG_get_nid(bag)) {
            case NID_keyBag:
                takeKey(PKCS12_SAFEBAG_get0_p8inf(bag));
                break;
            case NID_pkcs8ShroudedKeyBag:
                takeShroudedKey(PKCS12_SAFEBAG_get0_pkcs8(bag));
                break;
            case NID_certBag:
                takeCertificate(bag);
                break;
            default:
                break;
            }
        }
    }

    void takeKey(const PKCS8_PRIV_KEY_INFO* info) {
        if (!out_.key && info) {
            out_.key.reset(EVP_PKCS82PKEY(info));
        }
    }

    void takeShroudedKey(const X509_SIG* shrouded) {
        if (out_.key || !shrouded) {
            return;
        }
        const X509_ALGOR* algorithm = nullptr;
        X509_SIG_get0(shrouded, &algorithm, nullptr);
        if (!pays(budget_.pays(algorithm))) {
            return;
        }
        const Pkcs8Ptr info(PKCS8_decrypt(shrouded, password_.text, password_.size));
        if (info) {
            return takeKey(info.get());
        }
        if (!isUnsupported()) {
            out_.needsPassword = true;
        }
    }

    void takeCertificate(const PKCS12_SAFEBAG* bag) {
        if (PKCS12_SAFEBAG_get_bag_nid(bag) != NID_x509Certificate) {
            return;
        }
        if (out_.certificates.size() >= kMaxCertificatesInFile) {
            out_.trouble = fmt::format("there are more than {} certificates in it", kMaxCertificatesInFile);
            return;
        }
        if (X509Ptr certificate{PKCS12_SAFEBAG_get1_cert(bag)}) {
            out_.certificates.push_back(std::move(certificate));
        }
    }

    DerivationBudget& budget_;
    KeyMaterial& out_;
    Password password_{nullptr, 0};
    int bags_ = 0;
};

} // namespace

KeyMaterial readPkcs12(const std::string& bytes, const std::optional<std::string>& password,
                       DerivationBudget& budget) {
    const ClearsOpensslErrors clears;
    KeyMaterial out;
    const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
    const Pkcs12Ptr file(d2i_PKCS12(nullptr, &at, static_cast<long>(bytes.size())));
    if (!file) {
        out.trouble = "it is no PKCS#12 file, or damaged";
        out.isCutOff = true;
        return out;
    }
    ERR_clear_error();
    Reader(budget, out).read(file.get(), password);
    return out;
}

} // namespace saker::tls
