#include "tls/certificate_store.h"

#include "support/temp_folder.h"
#include "support/test_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace saker::tls {
namespace {

using test::Issued;
using test::KeyKind;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kSecond = 1'000'000'000;

class CertificateStoreTest : public ::testing::Test {
protected:
    void writePair(const std::string& name, const Issued& issued) {
        folder_.write("certs/" + name + "/fullchain.pem", issued.pem() + root_.pem());
        folder_.write("certs/" + name + "/privkey.pem", issued.keyPem());
        std::filesystem::permissions(folder_.at("certs/" + name + "/privkey.pem"),
                                     std::filesystem::perms(0600));
    }
    void writePair(const std::string& name) { writePair(name, root_.issue({.names = {name}})); }

    CertificateStore::Options options() { return {folder_.at("certs"), "", "myhost", nullptr}; }
    CertificateStore& start(CertificateStore::Options options) {
        store_ = std::make_unique<CertificateStore>(
            std::move(options), [this](Severity, const std::string& text) { said_.push_back(text); },
            [this] { return now_.load(); });
        store_->load();
        return *store_;
    }
    CertificateStore& start() { return start(options()); }
    std::shared_ptr<LeafCache> development() {
        auto authority =
            LocalCa::open({folder_.at("ca"), "", now_ / kSecond}, [](Severity, const std::string&) {});
        return std::make_shared<LeafCache>(std::shared_ptr<const LocalCa>(std::move(*authority)),
                                           LeafCache::Options{}, [this] { return now_ / kSecond; });
    }
    CertificateInfo find(std::string_view name, const char* local = "203.0.113.1") {
        const CredentialChoice choice = store_->find(name, *loop::SocketAddress::parse(local, 443));
        EXPECT_TRUE(choice.ecdsa || choice.rsa);
        return (choice.ecdsa ? choice.ecdsa : choice.rsa)->info;
    }
    std::string namesFor(std::string_view name, const char* local = "203.0.113.1") {
        const CertificateInfo info = find(name, local);
        return info.names.empty() ? info.addresses.front() : info.names.front();
    }

    const test::Authority root_{"Root"};
    test::TempFolder folder_;
    std::atomic<std::int64_t> now_{std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       std::chrono::system_clock::now().time_since_epoch())
                                       .count()};
    std::vector<std::string> said_;
    std::unique_ptr<CertificateStore> store_;
};

TEST_F(CertificateStoreTest, FindsByName) {
    writePair("a.example");
    writePair("wild", root_.issue({.names = {"*.a.example"}}));
    writePair("idn", root_.issue({.names = {"xn--bcher-kva.example"}}));
    writePair("ip", root_.issue({.names = {}, .addresses = {"192.0.2.9"}}));
    start();
    EXPECT_EQ(namesFor("a.example"), "a.example");
    EXPECT_EQ(namesFor("A.Example."), "a.example");
    EXPECT_EQ(namesFor("x.a.example"), "*.a.example");
    EXPECT_EQ(namesFor("b\u00fccher.example"), "xn--bcher-kva.example");
    EXPECT_EQ(namesFor("B\u00dcCHER.example"), "xn--bcher-kva.example");
    EXPECT_EQ(namesFor("192.0.2.9"), "192.0.2.9");
    EXPECT_EQ(namesFor("", "192.0.2.9"), "192.0.2.9");
    EXPECT_THAT(said_, Contains(HasSubstr("for no name")).Times(0));
}

TEST_F(CertificateStoreTest, StrangeNamesGetTheFallback) {
    writePair("b.example");
    writePair("a.example");
    start();
    for (const std::string& name :
         {std::string(), std::string("other.example"), std::string("*.example"), std::string("*"),
          std::string("..."), std::string("\xff\xfe"), std::string("a\0b", 3), std::string(100'000, 'a'),
          std::string("[::1]"), std::string("::1%eth0")}) {
        EXPECT_EQ(namesFor(name), "a.example") << name.substr(0, 50);
    }
}

TEST_F(CertificateStoreTest, TheFallbackIsTheConfiguredOneElseTheFirstElseSelfSigned) {
    auto configured = options();
    configured.fallbackName = "B.example";
    start(configured);
    EXPECT_EQ(namesFor("x"), "myhost");
    EXPECT_TRUE(store_->list().isFallbackSelfSigned);
    EXPECT_THAT(said_, Contains(HasSubstr("FallbackCertificate is \"B.example\"")));
    writePair("a.example");
    store_->load();
    EXPECT_EQ(namesFor("x"), "a.example");
    writePair("b.example");
    store_->load();
    EXPECT_EQ(namesFor("x"), "b.example");
    EXPECT_FALSE(store_->list().isFallbackSelfSigned);
}

TEST_F(CertificateStoreTest, BothKindsOfKeysAreOffered) {
    writePair("a", root_.issue({.names = {"a.example"}}));
    writePair("a-rsa", root_.issue({.names = {"a.example"}, .kind = KeyKind::rsa}));
    start();
    for (const char* name : {"a.example", "unknown.example"}) {
        const auto choice = store_->find(name, {});
        EXPECT_TRUE(choice.ecdsa && choice.rsa) << name;
    }
}

TEST_F(CertificateStoreTest, ClearLeavesTheSelfSignedOneUntilLoad) {
    writePair("a.example");
    auto withCa = options();
    withCa.development = development();
    start(withCa);
    const auto kept = store_->find("a.example", {}).ecdsa; // as a connection does
    store_->clear();
    EXPECT_EQ(namesFor("a.example"), "myhost");
    EXPECT_EQ(namesFor("shop.test"), "myhost");
    EXPECT_TRUE(store_->list().isCleared);
    EXPECT_THAT(store_->list().certificates, IsEmpty());
    store_->refresh(); // changes on the disk do not end it
    EXPECT_EQ(namesFor("a.example"), "myhost");
    EXPECT_EQ(kept->info.names.front(), "a.example");
    store_->load();
    EXPECT_EQ(namesFor("a.example"), "a.example");
    EXPECT_EQ(namesFor("shop.test"), "shop.test");
}

TEST_F(CertificateStoreTest, DevelopmentModeIssuesWhatIsMissing) {
    writePair("own.test");
    writePair("old.test", root_.issue({.names = {"old.test"}, .startsIn = -100 * 86400, .endsIn = -86400}));
    writePair("old.example",
              root_.issue({.names = {"old.example"}, .startsIn = -100 * 86400, .endsIn = -86400}));
    auto withCa = options();
    withCa.development = development();
    start(withCa);
    EXPECT_EQ(find("own.test").issuer, "Root");
    EXPECT_EQ(find("new.test").issuer, "Saker local CA");
    EXPECT_EQ(find("old.test").issuer, "Saker local CA");
    EXPECT_EQ(namesFor("old.example"), "old.example");
    EXPECT_EQ(namesFor("example.com"), "own.test"); // the first one within its time
    EXPECT_THAT(find("", "127.0.0.1").addresses, ElementsAre("127.0.0.1"));
    EXPECT_THAT(find("127.0.0.1").addresses, ElementsAre("127.0.0.1"));
    EXPECT_EQ(namesFor("", "203.0.113.1"), "own.test");
    auto without = options();
    store_->configure(without);
    EXPECT_EQ(namesFor("new.test"), "own.test");
}

TEST_F(CertificateStoreTest, TellsAboutTime) {
    writePair("expired",
              root_.issue({.names = {"a.example"}, .startsIn = -100 * 86400, .endsIn = -3 * 86400}));
    writePair("soon", root_.issue({.names = {"b.example"}, .endsIn = 5 * 86400}));
    writePair("early", root_.issue({.names = {"c.example"}, .startsIn = 7200}));
    const auto next = (start(), store_->refresh());
    EXPECT_EQ(next.lookAgain, std::chrono::minutes(1));
    EXPECT_THAT(said_, Contains(HasSubstr("a.example has expired 3 days ago")));
    EXPECT_THAT(said_, Contains(HasSubstr("c.example is not valid yet")));
    const auto listing = store_->list();
    ASSERT_THAT(listing.certificates, SizeIs(3));
    EXPECT_TRUE(listing.certificates[0].isNotYetValid);
    EXPECT_TRUE(listing.certificates[1].isExpired);
    said_.clear();
    now_ += 7100 * kSecond;
    EXPECT_LE(store_->refresh().lookAgain, std::chrono::seconds(100)); // minus what the start took
    EXPECT_THAT(said_, IsEmpty());                                     // nothing new
    now_ += 4 * 86400 * kSecond;
    store_->refresh();
    EXPECT_THAT(said_, ElementsAre(HasSubstr("b.example expires in")));
    now_ += 86400 * kSecond;
    store_->refresh();
    EXPECT_TRUE(store_->list().certificates[2].isExpired);
    EXPECT_EQ(namesFor("unknown"), "c.example"); // the only one within its time
}

TEST_F(CertificateStoreTest, ProblemsAreSaidOnce) {
    folder_.write("certs/bad/fullchain.pem", "nonsense");
    folder_.write("certs/bad/privkey.pem", "nonsense");
    start();
    now_ += 10 * kSecond;
    store_->refresh();
    store_->refresh();
    EXPECT_THAT(said_, ElementsAre(HasSubstr("no certificate in it")));
    EXPECT_THAT(store_->list().problems, SizeIs(1));
}

TEST_F(CertificateStoreTest, TheSelfSignedOneIsRenewed) {
    start();
    const auto first = find("x");
    store_->refresh();
    EXPECT_EQ(find("x").fingerprint, first.fingerprint);
    now_ += 300 * 86400 * kSecond;
    store_->refresh();
    EXPECT_NE(find("x").fingerprint, first.fingerprint);
}

/// Readers look up names while the files are replaced a hundred times, the watch seeing to it: each look-up
/// gets one of the pairs that were there, whole.
TEST_F(CertificateStoreTest, FilesAreSwappedUnderReaders) {
    constexpr int kSwaps = 100;
    std::vector<Issued> versions;
    for (int i = 0; i < 4; ++i) {
        versions.push_back(
            root_.issue({.names = {"a.example"}, .commonName = "version " + std::to_string(i)}));
    }
    writePair("a.example", versions.front());
    writePair("still.example");
    CertificateStore store(
        options(), [](Severity, const std::string&) {},
        [] {
            return std::chrono::duration_cast<std::chrono::nanoseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                .count();
        });
    store.load();
    const auto still = store.find("still.example", {}).ecdsa;
    CertificateWatch watch(
        {std::chrono::milliseconds(1), std::chrono::milliseconds(5), std::chrono::milliseconds(100)},
        [&] { return store.refresh(); }, [](Severity, const std::string&) {});
    std::atomic<bool> done{false};
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i) {
        readers.emplace_back([&] {
            while (!done) {
                const auto choice = store.find("A.Example", {});
                ASSERT_TRUE(choice.ecdsa);
                ASSERT_EQ(choice.ecdsa->info.names.front(), "a.example");
                ASSERT_EQ(X509_check_private_key(choice.ecdsa->leaf.get(), choice.ecdsa->key.get()), 1);
                std::this_thread::yield();
            }
        });
    }
    auto serves = [&](const Issued& version) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (store.find("a.example", {}).ecdsa->info.subject != version.info().subject) {
            if (std::chrono::steady_clock::now() > deadline) {
                return false;
            }
            std::this_thread::yield();
        }
        return true;
    };
    for (int i = 1; i <= kSwaps; ++i) {
        const Issued& version = versions[static_cast<std::size_t>(i) % versions.size()];
        if (i % 3 == 0) { // in place: a reader may find half of it
            writePair("a.example", version);
        } else { // by renaming, one after the other
            for (const auto& [name, text] : {std::pair{"fullchain.pem", version.pem() + root_.pem()},
                                             std::pair{"privkey.pem", version.keyPem()}}) {
                folder_.write("new", text);
                folder_.rename("new", std::string("certs/a.example/") + name);
            }
        }
        ASSERT_TRUE(serves(version)) << "swap " << i;
    }
    done = true;
    for (std::thread& reader : readers) {
        reader.join();
    }
    EXPECT_EQ(store.find("still.example", {}).ecdsa, still) << "what was not touched stays the same object";
}

} // namespace
} // namespace saker::tls
