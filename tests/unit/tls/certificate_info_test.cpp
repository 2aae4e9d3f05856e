#include "tls/certificate_info.h"

#include "support/test_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace saker::tls {
namespace {

using test::KeyKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(CertificateInfo, TellsNamesAndAddresses) {
    const test::Authority authority("An authority");
    auto issued =
        authority.issue({.names = {"Example.COM", "*.example.com", "xn--bcher-kva.example", "example.com"},
                         .addresses = {"192.0.2.1", "2001:db8::1"},
                         .commonName = "A title"});
    const CertificateInfo info = issued.info();
    EXPECT_EQ(info.subject, "A title");
    EXPECT_EQ(info.issuer, "An authority");
    EXPECT_THAT(info.names, ElementsAre("example.com", "*.example.com", "xn--bcher-kva.example"));
    EXPECT_THAT(info.addresses, ElementsAre("192.0.2.1", "2001:db8::1"));
    EXPECT_THAT(info.fingerprint, SizeIs(64));
    EXPECT_THAT(info.serial, SizeIs(32));
    EXPECT_EQ(info.keyKind, CertificateInfo::KeyKind::ecdsa);
    EXPECT_EQ(info.keyBits, 256u);
    EXPECT_FALSE(info.isSelfSigned);
    EXPECT_FALSE(info.isAuthority);
    EXPECT_EQ(info.notAfter - info.notBefore, 90 * 86400 + 3600);
    EXPECT_NEAR(static_cast<double>(info.notBefore), static_cast<double>(std::time(nullptr) - 3600), 100);
}

TEST(CertificateInfo, TakesTheCommonNameOnlyWithoutOthers) {
    EXPECT_THAT(test::selfSigned({.names = {}, .commonName = "Only.Example"}).info().names,
                ElementsAre("only.example"));
    EXPECT_THAT(test::selfSigned({.names = {}, .commonName = "b\u00fccher.example"}).info().names,
                ElementsAre("xn--bcher-kva.example"));
    EXPECT_THAT(test::selfSigned({.names = {"a.example"}, .commonName = "b.example"}).info().names,
                ElementsAre("a.example"));
    auto numbered = test::selfSigned({.names = {}, .commonName = "192.0.2.7"}).info();
    EXPECT_THAT(numbered.names, IsEmpty());
    EXPECT_THAT(numbered.addresses, ElementsAre("192.0.2.7"));
    EXPECT_THAT(test::selfSigned({.names = {}, .commonName = "No name of a host"}).info().names, IsEmpty());
}

TEST(CertificateInfo, LeavesOutWhatIsNoName) {
    EXPECT_THAT(test::selfSigned({.names = {"a b", std::string("a\0b.example", 11), "f*o.example",
                                            "*.*.example", "good.example", "a.*.example", ""}})
                    .info()
                    .names,
                ElementsAre("good.example"));
}

TEST(CertificateInfo, TellsKindsOfKeys) {
    EXPECT_EQ(test::selfSigned({.names = {"a"}, .kind = KeyKind::rsa}).info().keyKind,
              CertificateInfo::KeyKind::rsa);
    EXPECT_EQ(test::selfSigned({.names = {"a"}, .kind = KeyKind::ed25519}).info().keyKind,
              CertificateInfo::KeyKind::ed25519);
    const test::Authority authority;
    const CertificateInfo info = CertificateInfo::of(authority.certificate());
    EXPECT_TRUE(info.isSelfSigned);
    EXPECT_TRUE(info.isAuthority);
}

} // namespace
} // namespace saker::tls
