#include "host/certificates.h"

#include "support/temp_folder.h"
#include "support/test_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

namespace saker::host {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CertificatesTest : public ::testing::Test {
protected:
    void writePair(const std::string& name) {
        const test::Issued issued = root_.issue({.names = {name}, .addresses = {"192.0.2.1"}});
        folder_.write("certs/" + name + "/fullchain.pem", issued.pem() + root_.pem());
        folder_.write("certs/" + name + "/privkey.pem", issued.keyPem());
        std::filesystem::permissions(folder_.at("certs/" + name + "/privkey.pem"),
                                     std::filesystem::perms(0600));
    }
    tls::CertificateOptions options() {
        tls::CertificateOptions options;
        options.certDir = folder_.at("certs");
        return options;
    }
    std::string issuerFor(std::string_view name) {
        return certificates_.source().find(name, {}).ecdsa->info.issuer;
    }
    /// Waits for what the watch sees to.
    static bool happens(const std::function<bool()>& condition) {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!condition()) {
            if (std::chrono::steady_clock::now() > deadline) {
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        }
        return true;
    }

    const test::Authority root_{"Root"};
    test::TempFolder folder_;
    Certificates certificates_{folder_.at("data")};
};

TEST_F(CertificatesTest, ListsForPeople) {
    writePair("xn--bcher-kva.example");
    folder_.write("certs/bad.p12", "nonsense");
    certificates_.configure(options(), true);
    const control::CertificateList list = certificates_.list();
    ASSERT_THAT(list.certificates, SizeIs(1));
    const auto& entry = list.certificates.front();
    EXPECT_THAT(entry.names, ElementsAre("b\u00fccher.example", "192.0.2.1"));
    EXPECT_EQ(entry.key, "ECDSA 256");
    EXPECT_EQ(entry.issuer, "Root");
    EXPECT_THAT(entry.daysLeft, testing::AnyOf(89, 90)); // by how long the test took so far
    EXPECT_EQ(entry.state, "");
    EXPECT_EQ(entry.file, folder_.at("certs/xn--bcher-kva.example/fullchain.pem"));
    EXPECT_THAT(list.fallback, HasSubstr("xn--bcher-kva.example"));
    EXPECT_EQ(list.development, "");
}

TEST_F(CertificatesTest, WithoutHttpsNothingIsLoadedOrMade) {
    writePair("a.example");
    auto wanted = options();
    wanted.developmentMode = true;
    certificates_.configure(wanted, false);
    EXPECT_THAT(certificates_.list().certificates, IsEmpty());
    EXPECT_THAT(certificates_.list().problems, Contains(HasSubstr("HttpsPorts")));
    EXPECT_FALSE(std::filesystem::exists(folder_.at("data")));
    EXPECT_EQ(certificates_.authority().error().kind, ErrorKind::notFound);
    EXPECT_FALSE(certificates_.changeTrust(true, true));
}

TEST_F(CertificatesTest, DevelopmentModeComesAndGoes) {
    auto wanted = options();
    wanted.developmentMode = true;
    certificates_.configure(wanted, true);
    EXPECT_THAT(issuerFor("shop.test"), HasSubstr("Saker local CA"));
    EXPECT_THAT(certificates_.list().development, HasSubstr("issued 1 certificate"));
    auto report = certificates_.authority();
    ASSERT_TRUE(report);
    EXPECT_THAT(report->names, Contains("*.test"));
    EXPECT_TRUE(std::filesystem::exists(report->file));
    certificates_.configure(options(), true);
    EXPECT_THAT(issuerFor("shop.test"), testing::Not(HasSubstr("Saker local CA")));
    EXPECT_TRUE(certificates_.authority()) << "the authority stays, for when it is wanted again";
}

TEST_F(CertificatesTest, SeesChangesOnTheDisk) {
    auto wanted = options();
    certificates_.configure(wanted, true);
    certificates_.watch();
    auto has = [this](std::size_t count) {
        return happens([&] { return certificates_.list().certificates.size() == count; });
    };
    writePair("a.example"); // the folder itself is new
    EXPECT_TRUE(has(1));
    writePair("b.example");
    EXPECT_TRUE(has(2));
    certificates_.clear();
    EXPECT_THAT(certificates_.list().certificates, IsEmpty());
    writePair("c.example");
    EXPECT_THAT(certificates_.load().certificates, SizeIs(3));
    writePair("d.example");
    EXPECT_TRUE(has(4));
    folder_.remove("certs/a.example");
    EXPECT_TRUE(has(3));
    wanted.certDir = folder_.at("elsewhere");
    certificates_.configure(wanted, true);
    folder_.rename("certs", "elsewhere");
    EXPECT_TRUE(has(3));
}

} // namespace
} // namespace saker::host
