#include "tls/folder_source.h"

#include "base/text.h"
#include "observe/log.h"
#include "tls/openssl_error.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace saker::tls {

namespace {

struct FileClose {
    void operator()(std::FILE* file) const { std::fclose(file); }
};
using FilePtr = std::unique_ptr<std::FILE, FileClose>;

std::uint64_t nextId() {
    static std::atomic<std::uint64_t> id{0};
    return ++id;
}

class FolderSource final : public CredentialSource {
public:
    CredentialChoice find(std::string_view serverName, const loop::SocketAddress&) override {
        std::string name = toLowerAscii(serverName);
        if (auto found = byName_.find(name); found != byName_.end()) {
            return found->second;
        }
        if (const std::size_t dot = name.find('.'); dot != std::string::npos) {
            if (auto found = byName_.find("*" + name.substr(dot)); found != byName_.end()) {
                return found->second;
            }
        }
        return fallback_;
    }

    void add(std::shared_ptr<const Credential> credential) {
        auto put = [&](CredentialChoice& choice) {
            const bool isRsa = EVP_PKEY_get_base_id(credential->key.get()) == EVP_PKEY_RSA;
            (isRsa ? choice.rsa : choice.ecdsa) = credential;
        };
        for (const std::string& name : credential->info.names) {
            put(byName_[name]);
        }
        if (!fallback_.ecdsa && !fallback_.rsa) {
            put(fallback_);
        }
    }
    bool isEmpty() const { return !fallback_.ecdsa && !fallback_.rsa; }

private:
    std::map<std::string, CredentialChoice> byName_;
    CredentialChoice fallback_;
};

std::vector<std::string> namesOf(X509& certificate) {
    std::vector<std::string> names;
    auto* all =
        static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(&certificate, NID_subject_alt_name, nullptr, nullptr));
    for (int i = 0; i < sk_GENERAL_NAME_num(all); ++i) {
        const GENERAL_NAME* one = sk_GENERAL_NAME_value(all, i);
        if (one->type == GEN_DNS) {
            names.push_back(
                toLowerAscii({reinterpret_cast<const char*>(ASN1_STRING_get0_data(one->d.dNSName)),
                              static_cast<std::size_t>(ASN1_STRING_length(one->d.dNSName))}));
        }
    }
    GENERAL_NAMES_free(all);
    return names;
}

std::shared_ptr<const Credential> load(const std::filesystem::path& folder) {
    const ClearsOpensslErrors clears;
    FilePtr chain(std::fopen((folder / "fullchain.pem").c_str(), "re"));
    FilePtr key(std::fopen((folder / "privkey.pem").c_str(), "re"));
    if (!chain || !key) {
        return nullptr;
    }
    auto credential = std::make_shared<Credential>();
    credential->leaf.reset(PEM_read_X509(chain.get(), nullptr, nullptr, nullptr));
    credential->key.reset(PEM_read_PrivateKey(key.get(), nullptr, nullptr, nullptr));
    if (!credential->leaf || !credential->key ||
        X509_check_private_key(credential->leaf.get(), credential->key.get()) != 1) {
        log::warning("certificates", "{}: {}", folder.string(), takeOpensslError());
        return nullptr;
    }
    while (X509Ptr next{PEM_read_X509(chain.get(), nullptr, nullptr, nullptr)}) {
        credential->chain.push_back(std::move(next));
    }
    credential->info.names = namesOf(*credential->leaf);
    credential->id = nextId();
    return credential;
}

std::shared_ptr<const Credential> makeSelfSigned() {
    auto credential = std::make_shared<Credential>();
    credential->key.reset(EVP_EC_gen("P-256"));
    credential->leaf.reset(X509_new());
    X509* certificate = credential->leaf.get();
    X509_set_version(certificate, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), static_cast<long>(nextId()));
    X509_gmtime_adj(X509_getm_notBefore(certificate), -24L * 3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 365L * 24 * 3600);
    X509_set_pubkey(certificate, credential->key.get());
    X509_NAME* name = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, reinterpret_cast<const unsigned char*>("localhost"),
                               -1, -1, 0);
    X509_set_issuer_name(certificate, name);
    X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost");
    X509_add_ext(certificate, names, -1);
    X509_EXTENSION_free(names);
    X509_sign(certificate, credential->key.get(), EVP_sha256());
    credential->info.names = {"localhost"};
    credential->id = nextId();
    return credential;
}

} // namespace

std::shared_ptr<CredentialSource> makeFolderSource(const std::string& path) {
    auto source = std::make_shared<FolderSource>();
    std::vector<std::filesystem::path> folders;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) {
        folders.push_back(entry.path());
    }
    std::sort(folders.begin(), folders.end());
    for (const auto& folder : folders) {
        if (auto credential = load(folder)) {
            source->add(std::move(credential));
        }
    }
    if (source->isEmpty()) {
        source->add(makeSelfSigned());
    }
    return source;
}

} // namespace saker::tls
