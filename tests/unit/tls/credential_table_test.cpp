#include "tls/credential_table.h"

#include "support/test_certificates.h"

#include <gtest/gtest.h>

namespace saker::tls {
namespace {

constexpr std::int64_t kNow = 1'000'000;

std::shared_ptr<const Credential> made(std::vector<std::string> names, std::int64_t from = kNow - 10,
                                       std::int64_t to = kNow + 10,
                                       CertificateInfo::KeyKind kind = CertificateInfo::KeyKind::ecdsa) {
    static std::uint64_t id = 0;
    auto credential = std::make_shared<Credential>();
    credential->info.names = std::move(names);
    credential->info.notBefore = from;
    credential->info.notAfter = to;
    credential->info.keyKind = kind;
    credential->id = ++id;
    return credential;
}

/// The ECDSA one found; null: none.
std::shared_ptr<const Credential> ecdsa(const CredentialTable& table, std::string_view name) {
    auto match = table.find(name);
    return match ? match->choice.ecdsa : nullptr;
}

TEST(CredentialTable, ExactNamesComeBeforeWildcards) {
    const auto exact = made({"a.example"});
    const auto wildcard = made({"*.example"}, kNow - 10, kNow + 1000);
    const CredentialTable table(std::vector{wildcard, exact}, kNow);
    EXPECT_EQ(ecdsa(table, "a.example"), exact);
    EXPECT_EQ(ecdsa(table, "b.example"), wildcard);
    EXPECT_EQ(ecdsa(table, "a.b.example"), nullptr);
    EXPECT_EQ(ecdsa(table, "example"), nullptr);
    EXPECT_EQ(ecdsa(table, ".example"), nullptr);
    EXPECT_EQ(ecdsa(table, ""), nullptr);
    EXPECT_EQ(ecdsa(table, "."), nullptr);
}

TEST(CredentialTable, KindsOfKeysStandSideBySide) {
    const auto one = made({"a.example"});
    const auto other = made({"a.example"}, kNow - 10, kNow + 10, CertificateInfo::KeyKind::rsa);
    const CredentialTable table(std::vector{one, other}, kNow);
    auto match = table.find("a.example");
    ASSERT_TRUE(match);
    EXPECT_EQ(match->choice.ecdsa, one);
    EXPECT_EQ(match->choice.rsa, other);
}

TEST(CredentialTable, TheLongestLivedWins) {
    const auto longer = made({"a.example"}, kNow - 10, kNow + 20);
    const CredentialTable table(std::vector{made({"a.example"}), longer, made({"a.example"})}, kNow);
    EXPECT_EQ(ecdsa(table, "a.example"), longer);
}

TEST(CredentialTable, WhatIsWithinItsTimeComesFirst) {
    const auto expired = made({"a.example"}, kNow - 10, kNow);
    const auto early = made({"a.example"}, kNow + 1, kNow + 1000);
    const auto wildcard = made({"*.example"});
    const CredentialTable both(std::vector{expired, early, wildcard}, kNow);
    EXPECT_EQ(ecdsa(both, "a.example"), wildcard);
    EXPECT_TRUE(both.find("a.example")->isValid);
    const CredentialTable only(std::vector{expired}, kNow);
    EXPECT_EQ(ecdsa(only, "a.example"), expired);
    EXPECT_FALSE(only.find("a.example")->isValid);
}

TEST(CredentialTable, KnowsWhenItIsOutOfDate) {
    EXPECT_EQ(CredentialTable().nextChange(), INT64_MAX);
    const CredentialTable table(std::vector{made({"a"}, kNow - 5, kNow), made({"b"}, kNow + 7, kNow + 9),
                                            made({"c"}, kNow - 1, kNow + 8)},
                                kNow);
    EXPECT_EQ(table.nextChange(), kNow + 7);
}

TEST(CredentialTable, FindsAddresses) {
    auto credential = std::make_shared<Credential>(); // without validity: stale
    credential->info.addresses = {"192.0.2.1"};
    const CredentialTable table(std::vector<std::shared_ptr<const Credential>>{credential}, kNow);
    ASSERT_TRUE(table.findAddress("192.0.2.1"));
    EXPECT_FALSE(table.findAddress("192.0.2.1")->isValid);
    EXPECT_FALSE(table.findAddress("192.0.2.2"));
    EXPECT_FALSE(table.find("192.0.2.1"));
}

} // namespace
} // namespace saker::tls
