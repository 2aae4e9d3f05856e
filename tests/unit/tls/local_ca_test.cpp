#include "tls/local_ca.h"

#include "support/temp_folder.h"
#include "support/test_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <openssl/err.h>
#include <openssl/x509v3.h>

namespace saker::tls {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kDay = 86400;

class LocalCaTest : public ::testing::Test {
protected:
    ~LocalCaTest() override { EXPECT_EQ(ERR_peek_error(), 0u); }

    Result<std::unique_ptr<LocalCa>> open() {
        return LocalCa::open({folder_.at("data/ca"), "mylaptop", now_},
                             [this](Severity, const std::string& text) { said_.push_back(text); });
    }
    std::string read(const std::string& name) {
        std::ostringstream text;
        text << std::ifstream(folder_.at("data/ca/" + name)).rdbuf();
        return text.str();
    }
    std::vector<std::string> names() {
        std::vector<std::string> out;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.at("data/ca"))) {
            out.push_back(entry.path().filename().string());
        }
        return out;
    }
    /// As a client does that trusts the authority.
    static int verify(const LocalCa& authority, const X509& leaf) {
        X509_STORE* store = X509_STORE_new();
        X509_STORE_add_cert(store, const_cast<X509*>(&authority.certificate()));
        X509_STORE_CTX* context = X509_STORE_CTX_new();
        X509_STORE_CTX_init(context, store, const_cast<X509*>(&leaf), nullptr);
        X509_STORE_CTX_set_purpose(context, X509_PURPOSE_SSL_SERVER);
        X509_verify_cert(context);
        const int error = X509_STORE_CTX_get_error(context);
        X509_STORE_CTX_free(context);
        X509_STORE_free(store);
        ERR_clear_error();
        return error;
    }

    test::TempFolder folder_;
    std::int64_t now_ = static_cast<std::int64_t>(std::time(nullptr));
    std::vector<std::string> said_;
};

TEST_F(LocalCaTest, IsMadeOnce) {
    auto first = open();
    ASSERT_TRUE(first) << first.error().text();
    EXPECT_THAT(said_, ElementsAre(HasSubstr("was made")));
    EXPECT_EQ(std::filesystem::status(folder_.at("data/ca/saker-local-ca-key.pem")).permissions(),
              std::filesystem::perms(0600));
    said_.clear();
    auto second = open();
    ASSERT_TRUE(second);
    EXPECT_THAT(said_, IsEmpty());
    EXPECT_EQ((*first)->info().fingerprint, (*second)->info().fingerprint);
    EXPECT_TRUE((*first)->info().isAuthority);
    EXPECT_EQ((*first)->info().subject, "Saker local CA (mylaptop)");
    EXPECT_THAT(names(), SizeIs(2));
    auto known = LocalCa::read(folder_.at("data/ca"));
    ASSERT_TRUE(known);
    EXPECT_EQ(CertificateInfo::of(**known).fingerprint, (*first)->info().fingerprint);
    EXPECT_THAT(LocalCa::namesPermittedBy(**known),
                ElementsAre("localhost", "*.localhost", "*.test", "*.local", "*.internal", "*.home.arpa",
                            "mylaptop"));
    EXPECT_EQ(LocalCa::read(folder_.at("nowhere")).error().kind, ErrorKind::notFound);
}

TEST_F(LocalCaTest, IssuesWhatClientsBelieve) {
    auto authority = open();
    ASSERT_TRUE(authority);
    for (const char* name :
         {"localhost", "a.localhost", "shop.test", "a.b.test", "box.local", "x.home.arpa", "mylaptop"}) {
        ASSERT_TRUE((*authority)->permits(name)) << name;
        auto leaf = (*authority)->issue(name, now_);
        ASSERT_TRUE(leaf) << leaf.error().text();
        EXPECT_EQ(verify(**authority, *(*leaf)->leaf), X509_V_OK) << name;
        EXPECT_EQ(X509_check_host((*leaf)->leaf.get(), name, 0, 0, nullptr), 1) << name;
        EXPECT_EQ(X509_check_private_key((*leaf)->leaf.get(), (*leaf)->key.get()), 1);
        EXPECT_LE((*leaf)->info.notAfter - (*leaf)->info.notBefore, 397 * kDay);
        EXPECT_NE((*leaf)->id, 0u);
    }
    for (const char* text : {"127.0.0.1", "192.168.1.7", "10.0.0.1", "::1", "fd00::1", "fe80::1"}) {
        const auto address = *loop::SocketAddress::parse(text, 443);
        ASSERT_TRUE((*authority)->permits(address)) << text;
        auto leaf = (*authority)->issue(address, now_);
        ASSERT_TRUE(leaf);
        EXPECT_EQ(verify(**authority, *(*leaf)->leaf), X509_V_OK) << text;
        EXPECT_EQ(X509_check_ip_asc((*leaf)->leaf.get(), text, 0), 1) << text;
    }
}

TEST_F(LocalCaTest, ItsConstraintsHoldAgainstItself) {
    auto authority = open();
    ASSERT_TRUE(authority);
    for (const char* name : {"example.com", "test.example", "latest", "a.mylaptop", "com"}) {
        EXPECT_FALSE((*authority)->permits(name)) << name;
        auto leaf = (*authority)->issue(name, now_); // as a thief of the key would
        ASSERT_TRUE(leaf);
        EXPECT_NE(verify(**authority, *(*leaf)->leaf), X509_V_OK) << name;
    }
    const auto address = *loop::SocketAddress::parse("8.8.8.8", 443);
    EXPECT_FALSE((*authority)->permits(address));
    EXPECT_NE(verify(**authority, *(*(*authority)->issue(address, now_))->leaf), X509_V_OK);
}

TEST_F(LocalCaTest, DamagedFilesAreKeptAsideAndSaid) {
    ASSERT_TRUE(open());
    const std::string certificate = read("saker-local-ca.pem");
    const std::string key = read("saker-local-ca-key.pem");
    struct Damage {
        std::string certificate;
        std::string key;
    };
    for (const Damage& damage :
         {Damage{"nonsense", key}, Damage{certificate, "nonsense"}, Damage{certificate, ""},
          Damage{certificate, test::selfSigned({.names = {"x"}}).keyPem()},
          Damage{test::selfSigned({.names = {"x"}}).pem(), key}}) {
        ++now_;
        folder_.write("data/ca/saker-local-ca.pem", damage.certificate);
        folder_.write("data/ca/saker-local-ca-key.pem", damage.key);
        said_.clear();
        auto authority = open();
        ASSERT_TRUE(authority) << authority.error().text();
        EXPECT_THAT(said_, ElementsAre(HasSubstr("renamed")));
        EXPECT_THAT(names(), Contains(testing::StartsWith("saker-local-ca.pem.bad-")));
        EXPECT_NE(pemOf((*authority)->certificate()), certificate);
    }
    folder_.remove("data/ca/saker-local-ca-key.pem");
    said_.clear();
    ASSERT_TRUE(open());
    EXPECT_THAT(said_, ElementsAre(HasSubstr("missing")));
}

TEST_F(LocalCaTest, ExpiresAndIsMadeAnew) {
    auto first = open();
    now_ += 3600 * kDay;
    said_.clear();
    ASSERT_TRUE(open());
    EXPECT_THAT(said_, ElementsAre(HasSubstr("expires in 50 days")));
    auto leaf = (*first)->issue("a.test", now_);
    ASSERT_TRUE(leaf);
    EXPECT_EQ((*leaf)->info.notAfter, (*first)->info().notAfter);
    now_ += 60 * kDay;
    said_.clear();
    auto second = open();
    ASSERT_TRUE(second);
    EXPECT_THAT(said_, ElementsAre(HasSubstr("expired")));
    EXPECT_NE((*second)->info().fingerprint, (*first)->info().fingerprint);
}

TEST_F(LocalCaTest, TakesRightsFromOthers) {
    ASSERT_TRUE(open());
    std::filesystem::permissions(folder_.at("data/ca/saker-local-ca-key.pem"), std::filesystem::perms(0644));
    said_.clear();
    ASSERT_TRUE(open());
    EXPECT_THAT(said_, ElementsAre(HasSubstr("taken away")));
    EXPECT_EQ(std::filesystem::status(folder_.at("data/ca/saker-local-ca-key.pem")).permissions(),
              std::filesystem::perms(0600));
}

} // namespace
} // namespace saker::tls
