#include "tls/credential_parser.h"

#include "support/test_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <openssl/err.h>
#include <openssl/ocsp.h>

namespace saker::tls {
namespace {

using test::Authority;
using test::Issued;
using test::KeyKind;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> remarks(const ParseOutcome& outcome) {
    std::vector<std::string> texts;
    if (outcome.parsed) {
        for (const auto& remark : outcome.parsed->remarks) {
            texts.push_back(remark.text);
        }
    }
    return texts;
}

class CredentialParser : public ::testing::Test {
protected:
    ~CredentialParser() override { EXPECT_EQ(ERR_peek_error(), 0u) << "OpenSSL's queue is to be left empty"; }

    void expectFailure(const CredentialBytes& bytes, CredentialPart part, const std::string& reason) {
        const ParseOutcome outcome = parseCredential(bytes);
        ASSERT_FALSE(outcome.parsed);
        EXPECT_EQ(outcome.failure.part, part);
        EXPECT_THAT(outcome.failure.reason, HasSubstr(reason));
    }

    const Authority root_{"Root"};
    const Authority middle_{"Middle", root_};
    const Authority low_{"Low", middle_};
    const Issued leaf_ = low_.issue({.names = {"a.example"}});
    const Issued other_ = low_.issue({.names = {"b.example"}});
};

TEST_F(CredentialParser, TakesAPair) {
    const auto outcome = parseCredential(
        {.certificates = leaf_.pem() + low_.pem() + middle_.pem() + root_.pem(), .key = leaf_.keyPem()});
    ASSERT_TRUE(outcome.parsed) << outcome.failure.reason;
    EXPECT_THAT(remarks(outcome), IsEmpty());
    const Credential& credential = *outcome.parsed->credential;
    EXPECT_EQ(X509_cmp(credential.leaf.get(), leaf_.certificate.get()), 0);
    ASSERT_THAT(credential.chain, SizeIs(2)); // the root is not sent
    EXPECT_EQ(X509_cmp(credential.chain[0].get(), &low_.certificate()), 0);
    EXPECT_EQ(X509_cmp(credential.chain[1].get(), &middle_.certificate()), 0);
    EXPECT_EQ(credential.info.names.front(), "a.example");
}

TEST_F(CredentialParser, TakesKeyAndCertificateFromOneFile) {
    EXPECT_TRUE(parseCredential({.certificates = leaf_.keyPem() + leaf_.pem() + low_.pem()}).parsed);
    EXPECT_TRUE(
        parseCredential({.certificates = "text\n" + leaf_.pem() + "more text\n" + leaf_.keyPem()}).parsed);
}

TEST_F(CredentialParser, PutsTheChainInOrder) {
    for (const std::string& text : {root_.pem() + middle_.pem() + low_.pem() + leaf_.pem(),
                                    leaf_.pem() + middle_.pem() + low_.pem() + root_.pem(),
                                    leaf_.pem() + root_.pem() + middle_.pem() + low_.pem()}) {
        const auto outcome = parseCredential({.certificates = text, .key = leaf_.keyPem()});
        ASSERT_TRUE(outcome.parsed) << outcome.failure.reason;
        EXPECT_THAT(remarks(outcome), Contains(HasSubstr("order")));
        ASSERT_THAT(outcome.parsed->credential->chain, SizeIs(2));
        EXPECT_EQ(X509_cmp(outcome.parsed->credential->chain[0].get(), &low_.certificate()), 0);
    }
    const auto apart = parseCredential({.certificates = leaf_.pem(),
                                        .chain = low_.pem() + middle_.pem() + root_.pem(),
                                        .key = leaf_.keyPem()});
    EXPECT_THAT(remarks(apart), IsEmpty());
}

TEST_F(CredentialParser, RemarksOnGapsAndStrangers) {
    const auto incomplete =
        parseCredential({.certificates = leaf_.pem() + low_.pem(), .key = leaf_.keyPem()});
    EXPECT_THAT(remarks(incomplete), Contains(HasSubstr("\"Middle\" is missing")));
    const auto gap =
        parseCredential({.certificates = leaf_.pem() + middle_.pem() + root_.pem(), .key = leaf_.keyPem()});
    EXPECT_THAT(remarks(gap), Contains(HasSubstr("\"Low\" is missing")));
    EXPECT_THAT(remarks(gap), Contains(HasSubstr("2 certificates in it do not belong")));
    const auto impostor = Authority("Low"); // of the same name, with another key
    const auto wrong =
        parseCredential({.certificates = leaf_.pem() + impostor.pem() + root_.pem(), .key = leaf_.keyPem()});
    EXPECT_THAT(remarks(wrong), Contains(HasSubstr("\"Low\" is missing")));
}

TEST_F(CredentialParser, ACertificateWithoutNameIsRemarkedOn) {
    const auto nameless = test::selfSigned({.names = {}, .commonName = "No name"});
    EXPECT_THAT(remarks(parseCredential({.certificates = nameless.pem(), .key = nameless.keyPem()})),
                Contains(HasSubstr("for no name")));
}

TEST_F(CredentialParser, SaysWhatIsWrong) {
    expectFailure({.certificates = leaf_.pem(), .key = other_.keyPem()}, CredentialPart::key,
                  "does not match");
    expectFailure({.certificates = "", .key = leaf_.keyPem()}, CredentialPart::certificates, "empty");
    expectFailure({.certificates = "hello", .key = leaf_.keyPem()}, CredentialPart::certificates,
                  "no certificate");
    expectFailure({.certificates = leaf_.pem(), .key = "hello"}, CredentialPart::key, "no private key");
    expectFailure({.certificates = leaf_.pem()}, CredentialPart::certificates, "no private key");
    expectFailure({.certificates = leaf_.pem(),
                   .chain = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n",
                   .key = leaf_.keyPem()},
                  CredentialPart::chain, "damaged");
    expectFailure({.pkcs12 = "hello"}, CredentialPart::pkcs12, "no PKCS#12");
}

TEST_F(CredentialParser, RefusesWeakAndStrangeKeys) {
    Issued weak;
    weak.key = test::makeKey(KeyKind::rsa, 1024);
    weak.certificate =
        *makeCertificate(test::requestOf({.names = {"a"}}), *weak.key, {nullptr, weak.key.get()});
    expectFailure({.certificates = weak.pem(), .key = weak.keyPem()}, CredentialPart::key,
                  "too weak: RSA with 1024");
    Issued strange;
    strange.key.reset(EVP_EC_gen("secp256k1"));
    strange.certificate =
        *makeCertificate(test::requestOf({.names = {"a"}}), *strange.key, {nullptr, strange.key.get()});
    expectFailure({.certificates = strange.pem(), .key = strange.keyPem()}, CredentialPart::key, "secp256k1");
    Issued old = low_.issue({.names = {"a"}});
    X509_sign(old.certificate.get(), &low_.key(), EVP_sha1());
    expectFailure({.certificates = old.pem(), .key = old.keyPem()}, CredentialPart::certificates, "SHA-1");
}

TEST_F(CredentialParser, TakesAllKindsOfKeys) {
    for (KeyKind kind : {KeyKind::rsa, KeyKind::ecdsa, KeyKind::ed25519}) {
        const Issued issued = low_.issue({.names = {"a"}, .kind = kind});
        const auto outcome = parseCredential({.certificates = issued.pem(), .key = issued.keyPem()});
        EXPECT_TRUE(outcome.parsed) << outcome.failure.reason;
    }
}

TEST_F(CredentialParser, EncryptedKeysNeedTheirPassword) {
    const std::string key = test::encryptedPem(*leaf_.key, "secret");
    expectFailure({.certificates = leaf_.pem(), .key = key}, CredentialPart::key, ".password");
    expectFailure({.certificates = leaf_.pem(), .key = key, .password = "wrong"}, CredentialPart::password,
                  "not the password");
    EXPECT_TRUE(parseCredential({.certificates = leaf_.pem(), .key = key, .password = "secret"}).parsed);
    const CredentialBytes bytes{.certificates = leaf_.pem(), .key = key, .password = "secret"};
    EXPECT_THAT(parseCredential(bytes, {.maxRounds = 1000}).failure.reason,
                HasSubstr("longer than is allowed"));
}

TEST_F(CredentialParser, OldEncryptionOfPemIsRead) {
    BIO* bio = BIO_new(BIO_s_mem());
    PEM_write_bio_PrivateKey_traditional(bio, leaf_.key.get(), EVP_aes_128_cbc(),
                                         reinterpret_cast<const unsigned char*>("secret"), 6, nullptr,
                                         nullptr);
    const char* data = nullptr;
    const long size = BIO_get_mem_data(bio, &data);
    const std::string key(data, static_cast<std::size_t>(size));
    BIO_free(bio);
    ASSERT_THAT(key, HasSubstr("ENCRYPTED"));
    EXPECT_TRUE(parseCredential({.certificates = leaf_.pem(), .key = key, .password = "secret"}).parsed);
    EXPECT_FALSE(parseCredential({.certificates = leaf_.pem(), .key = key, .password = "wrong"}).parsed);
    EXPECT_FALSE(parseCredential({.certificates = leaf_.pem(), .key = key}).parsed);
}

TEST_F(CredentialParser, TakesPkcs12) {
    const std::string file =
        test::pkcs12Of(leaf_, {&low_.certificate(), &middle_.certificate(), &root_.certificate()}, "secret");
    const auto outcome = parseCredential({.pkcs12 = file, .password = "secret"});
    ASSERT_TRUE(outcome.parsed) << outcome.failure.reason;
    EXPECT_THAT(outcome.parsed->credential->chain, SizeIs(2));
    expectFailure({.pkcs12 = file, .password = "wrong"}, CredentialPart::password, "not the password");
    expectFailure({.pkcs12 = file}, CredentialPart::pkcs12, ".password");
    EXPECT_TRUE(parseCredential({.pkcs12 = test::pkcs12Of(leaf_, {}, "")}).parsed);
    EXPECT_TRUE(parseCredential({.pkcs12 = test::pkcs12Of(leaf_, {}, nullptr)}).parsed);
    EXPECT_THAT(parseCredential({.pkcs12 = file, .password = "secret"}, {.maxRounds = 100}).failure.reason,
                HasSubstr("longer than is allowed"));
}

TEST_F(CredentialParser, EveryCutIsAnErrorOrTheSame) {
    const std::string pem = leaf_.pem() + low_.pem();
    const std::string key = leaf_.keyPem();
    for (std::size_t size = 0; size < pem.size(); ++size) {
        const auto outcome = parseCredential({.certificates = pem.substr(0, size), .key = key});
        EXPECT_TRUE(outcome.parsed || !outcome.failure.reason.empty());
        EXPECT_TRUE(outcome.parsed || outcome.failure.mayBeUnfinished)
            << size << " " << outcome.failure.reason;
    }
    for (std::size_t size = 0; size + 1 < key.size(); ++size) {
        const auto outcome = parseCredential({.certificates = pem, .key = key.substr(0, size)});
        EXPECT_FALSE(outcome.parsed) << size;
        EXPECT_TRUE(outcome.failure.mayBeUnfinished) << size << " " << outcome.failure.reason;
    }
    const std::string file = test::pkcs12Of(leaf_, {&low_.certificate()}, "x", 1);
    for (std::size_t size = 0; size < file.size(); ++size) {
        const auto outcome = parseCredential({.pkcs12 = file.substr(0, size), .password = "x"});
        EXPECT_FALSE(outcome.parsed) << size;
        EXPECT_TRUE(outcome.failure.mayBeUnfinished || size == 0) << size << " " << outcome.failure.reason;
    }
}

TEST_F(CredentialParser, HasLimits) {
    std::string many;
    for (std::size_t i = 0; i <= kMaxCertificatesInFile; ++i) {
        many += leaf_.pem();
    }
    expectFailure({.certificates = many, .key = leaf_.keyPem()}, CredentialPart::certificates,
                  "more than 64");
}

/// A response by the issuer itself.
std::string ocspFor(const Issued& leaf, const Authority& issuer, int status, long nextInSeconds) {
    OCSP_BASICRESP* basic = OCSP_BASICRESP_new();
    OCSP_CERTID* id = OCSP_cert_to_id(EVP_sha256(), leaf.certificate.get(), &issuer.certificate());
    ASN1_TIME* now = X509_gmtime_adj(nullptr, -60);
    ASN1_TIME* next = X509_gmtime_adj(nullptr, nextInSeconds);
    OCSP_basic_add1_status(basic, id, status, 0, now, now, next);
    OCSP_basic_sign(basic, const_cast<X509*>(&issuer.certificate()), &issuer.key(), EVP_sha256(), nullptr, 0);
    OCSP_RESPONSE* response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic);
    unsigned char* data = nullptr;
    const int size = i2d_OCSP_RESPONSE(response, &data);
    std::string bytes(reinterpret_cast<const char*>(data), static_cast<std::size_t>(size));
    OPENSSL_free(data);
    OCSP_RESPONSE_free(response);
    OCSP_BASICRESP_free(basic);
    OCSP_CERTID_free(id);
    ASN1_TIME_free(now);
    ASN1_TIME_free(next);
    return bytes;
}

TEST_F(CredentialParser, StaplesGoodOcspResponsesOnly) {
    CredentialBytes bytes{.certificates = leaf_.pem() + low_.pem(), .key = leaf_.keyPem()};
    const ParseLimits limits{.now = static_cast<std::int64_t>(std::time(nullptr))};
    auto parse = [&](std::string response) {
        bytes.ocspResponse = std::move(response);
        auto outcome = parseCredential(bytes, limits);
        EXPECT_TRUE(outcome.parsed);
        return outcome;
    };
    const auto good = parse(ocspFor(leaf_, low_, V_OCSP_CERTSTATUS_GOOD, 3600));
    EXPECT_FALSE(good.parsed->credential->ocspResponse.empty());
    EXPECT_NEAR(static_cast<double>(good.parsed->ocspUntil), static_cast<double>(limits.now + 3600), 60);
    struct Bad {
        std::string response;
        const char* why;
    };
    for (const Bad& bad : {Bad{ocspFor(leaf_, low_, V_OCSP_CERTSTATUS_GOOD, -1), "out of date"},
                           Bad{ocspFor(leaf_, low_, V_OCSP_CERTSTATUS_REVOKED, 3600), "revoked"},
                           Bad{ocspFor(leaf_, low_, V_OCSP_CERTSTATUS_UNKNOWN, 3600), "not know"},
                           Bad{ocspFor(other_, low_, V_OCSP_CERTSTATUS_GOOD, 3600), "another certificate"},
                           Bad{"hello", "no OCSP response"}}) {
        const auto outcome = parse(bad.response);
        EXPECT_THAT(outcome.parsed->credential->ocspResponse, IsEmpty());
        EXPECT_THAT(remarks(outcome), Contains(HasSubstr(bad.why)));
    }
}

} // namespace
} // namespace saker::tls
