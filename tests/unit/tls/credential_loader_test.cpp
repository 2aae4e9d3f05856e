#include "tls/credential_loader.h"

#include "support/temp_folder.h"
#include "support/test_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace saker::tls {
namespace {

using test::Issued;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kSecond = 1'000'000'000;

class CredentialLoaderTest : public ::testing::Test {
protected:
    void writePair(const std::string& folder, const Issued& issued) {
        write(folder + "/fullchain.pem", issued.pem() + root_.pem());
        write(folder + "/privkey.pem", issued.keyPem());
        hide(folder + "/privkey.pem");
    }
    void write(const std::string& name, std::string_view text) { folder_.write(name, text); }
    void hide(const std::string& name) {
        std::filesystem::permissions(folder_.at(name), std::filesystem::perms(0600));
    }

    CredentialLoader::Outcome load() { return loader_.load(folder_.at("")); }
    /// What a load says when files have been as they are for long.
    CredentialLoader::Outcome settled() {
        load();
        now_ += 10 * kSecond;
        return load();
    }
    static std::vector<std::string> reasons(const CredentialLoader::Outcome& outcome) {
        std::vector<std::string> out;
        for (const CertificateProblem& problem : outcome.problems) {
            out.push_back(problem.text());
        }
        return out;
    }

    const test::Authority root_{"Root"};
    test::TempFolder folder_;
    std::int64_t now_ = std::chrono::duration_cast<std::chrono::nanoseconds>(
                            std::chrono::system_clock::now().time_since_epoch())
                            .count();
    CredentialLoader loader_{[this] { return now_; }};
};

TEST_F(CredentialLoaderTest, LoadsAllPairs) {
    writePair("b.example", root_.issue({.names = {"b.example"}}));
    writePair("a.example", root_.issue({.names = {"a.example"}}));
    const Issued exported = root_.issue({.names = {"c.example"}});
    write("c.p12", test::pkcs12Of(exported, {&root_.certificate()}, "secret"));
    write("c.p12.password", "secret\n");
    hide("c.p12");
    hide("c.p12.password");
    const auto outcome = load();
    EXPECT_THAT(reasons(outcome), IsEmpty());
    ASSERT_THAT(outcome.loaded, SizeIs(3));
    EXPECT_EQ(outcome.loaded[0].credential->info.names.front(), "a.example");
    EXPECT_EQ(outcome.loaded[1].credential->info.names.front(), "b.example");
    EXPECT_EQ(outcome.loaded[2].file, folder_.at("c.p12"));
    EXPECT_NE(outcome.loaded[0].credential->id, outcome.loaded[1].credential->id);
    EXPECT_FALSE(outcome.lookAgainSoon);
}

TEST_F(CredentialLoaderTest, WhatHasNotChangedStaysTheSame) {
    writePair("a", root_.issue({.names = {"a.example"}}));
    writePair("b", root_.issue({.names = {"b.example"}}));
    const auto first = load();
    const auto second = load();
    EXPECT_EQ(first.loaded[0].credential, second.loaded[0].credential);
    writePair("b", root_.issue({.names = {"b.example"}}));
    const auto third = settled();
    EXPECT_EQ(first.loaded[0].credential, third.loaded[0].credential);
    EXPECT_NE(first.loaded[1].credential, third.loaded[1].credential);
    EXPECT_NE(first.loaded[1].credential->id, third.loaded[1].credential->id);
    // Written anew with the same bytes, by another file of the name.
    folder_.write("a/new", std::string(root_.pem()));
    std::filesystem::copy_file(folder_.at("a/privkey.pem"), folder_.at("a/copy"));
    folder_.rename("a/copy", "a/privkey.pem");
    EXPECT_EQ(load().loaded[0].credential, first.loaded[0].credential);
}

TEST_F(CredentialLoaderTest, ABadPairIsSaidAndTheOthersLoad) {
    writePair("good", root_.issue({.names = {"good.example"}}));
    const Issued a = root_.issue({.names = {"a.example"}});
    const Issued b = root_.issue({.names = {"b.example"}});
    writePair("mismatch", a);
    write("mismatch/privkey.pem", b.keyPem());
    write("empty/fullchain.pem", "");
    write("empty/privkey.pem", b.keyPem());
    write("alone/fullchain.pem", a.pem());
    write("keyonly/privkey.pem", a.keyPem());
    write("encrypted/fullchain.pem", a.pem());
    write("encrypted/privkey.pem", test::encryptedPem(*a.key, "x"));
    folder_.link("dangling/fullchain.pem", "nowhere");
    write("dangling/privkey.pem", a.keyPem());
    write("huge/fullchain.pem", std::string(2'000'000, 'x'));
    write("huge/privkey.pem", a.keyPem());
    const auto outcome = settled();
    ASSERT_THAT(outcome.loaded, SizeIs(1));
    const auto texts = reasons(outcome);
    auto says = [&](const std::string& file, const std::string& why) {
        EXPECT_THAT(texts, Contains(AllOf(HasSubstr(folder_.at(file)), HasSubstr(why))));
    };
    says("mismatch/privkey.pem", "does not match the certificate of a.example");
    says("empty/fullchain.pem", "empty");
    says("alone/fullchain.pem", "no private key");
    says("keyonly/privkey.pem", "no certificate");
    says("encrypted/privkey.pem", "encrypted");
    says("dangling/fullchain.pem", "leads nowhere");
    says("huge/fullchain.pem", "larger than");
    EXPECT_FALSE(outcome.lookAgainSoon);
}

TEST_F(CredentialLoaderTest, AKeyForEverybodyIsAWarning) {
    writePair("a", root_.issue({.names = {"a.example"}}));
    std::filesystem::permissions(folder_.at("a/privkey.pem"), std::filesystem::perms(0644));
    const auto outcome = load();
    EXPECT_THAT(outcome.loaded, SizeIs(1));
    EXPECT_THAT(reasons(outcome), ElementsAre(AllOf(HasSubstr("a/privkey.pem"), HasSubstr("chmod"))));
    hide("a/privkey.pem");
    EXPECT_THAT(reasons(load()), IsEmpty());
}

TEST_F(CredentialLoaderTest, HalfWrittenPairsGetTime) {
    const Issued issued = root_.issue({.names = {"a.example"}});
    write("a/fullchain.pem", issued.pem().substr(0, 100));
    auto outcome = load();
    EXPECT_TRUE(outcome.lookAgainSoon);
    EXPECT_THAT(reasons(outcome), IsEmpty());
    now_ += kSecond / 10;
    write("a/fullchain.pem", issued.pem() + root_.pem());
    EXPECT_TRUE(load().lookAgainSoon); // the key is still to come
    write("a/privkey.pem", issued.keyPem());
    hide("a/privkey.pem");
    outcome = load();
    EXPECT_FALSE(outcome.lookAgainSoon);
    EXPECT_THAT(outcome.loaded, SizeIs(1));
    EXPECT_THAT(reasons(outcome), IsEmpty());
}

TEST_F(CredentialLoaderTest, TheLastGoodVersionStaysInUse) {
    const Issued old = root_.issue({.names = {"a.example"}});
    writePair("a", old);
    const auto before = settled().loaded.front().credential;
    const Issued fresh = root_.issue({.names = {"a.example"}});
    write("a/fullchain.pem", fresh.pem() + root_.pem()); // the key is still the old one
    auto outcome = load();
    EXPECT_TRUE(outcome.lookAgainSoon);
    ASSERT_THAT(outcome.loaded, SizeIs(1));
    EXPECT_EQ(outcome.loaded.front().credential, before);
    now_ += 2 * kSecond;
    outcome = load();
    EXPECT_FALSE(outcome.lookAgainSoon);
    EXPECT_EQ(outcome.loaded.front().credential, before);
    EXPECT_TRUE(outcome.loaded.front().isOutdated);
    EXPECT_THAT(reasons(outcome), ElementsAre(HasSubstr("stays in use")));
    write("a/privkey.pem", fresh.keyPem());
    outcome = load();
    EXPECT_NE(outcome.loaded.front().credential, before);
    EXPECT_FALSE(outcome.loaded.front().isOutdated);
    EXPECT_THAT(reasons(outcome), IsEmpty());
}

TEST_F(CredentialLoaderTest, WhatIsGoneIsMissedForAMoment) {
    writePair("a", root_.issue({.names = {"a.example"}}));
    const auto before = settled().loaded.front().credential;
    folder_.rename("a", "../moved-" + folder_.path().filename().string());
    auto outcome = load();
    EXPECT_TRUE(outcome.lookAgainSoon);
    EXPECT_THAT(outcome.loaded, SizeIs(1));
    folder_.rename("../moved-" + folder_.path().filename().string(), "a");
    outcome = load();
    EXPECT_FALSE(outcome.lookAgainSoon);
    EXPECT_EQ(outcome.loaded.front().credential, before);
    folder_.remove("a");
    load();
    now_ += 2 * kSecond;
    outcome = load();
    EXPECT_THAT(outcome.loaded, IsEmpty());
    EXPECT_FALSE(outcome.lookAgainSoon);
}

TEST_F(CredentialLoaderTest, ForgetsEverything) {
    writePair("a", root_.issue({.names = {"a.example"}}));
    const auto before = load().loaded.front().credential;
    loader_.forget();
    EXPECT_NE(load().loaded.front().credential, before);
    EXPECT_THAT(loader_.load("").loaded, IsEmpty());
}

TEST_F(CredentialLoaderTest, FollowsLetsEncryptsLinks) {
    const Issued one = root_.issue({.names = {"a.example"}});
    const Issued two = root_.issue({.names = {"a.example"}});
    for (const auto& [number, issued] : {std::pair{"1", &one}, std::pair{"2", &two}}) {
        const std::string text(number);
        write("archive/a.example/fullchain" + text + ".pem", issued->pem());
        write("archive/a.example/privkey" + text + ".pem", issued->keyPem());
    }
    auto point = [&](const std::string& number) {
        for (const std::string name : {"fullchain", "privkey"}) {
            folder_.link("live/a.example/" + name + ".new",
                         "../../archive/a.example/" + name + number + ".pem");
            folder_.rename("live/a.example/" + name + ".new", "live/a.example/" + name + ".pem");
        }
    };
    point("1");
    const auto outcome = load();
    ASSERT_THAT(outcome.loaded, SizeIs(1));
    EXPECT_THAT(outcome.watch,
                Contains(WatchedFolder{folder_.at("archive/a.example"), {"fullchain1.pem", "privkey1.pem"}}));
    point("2");
    EXPECT_NE(load().loaded.front().credential, outcome.loaded.front().credential);
}

} // namespace
} // namespace saker::tls
