#include "tls/trust_store.h"

#include "support/temp_folder.h"
#include "support/test_certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>
#include <sstream>

namespace saker::tls {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// A machine that is a folder. Tools are not run but answered for, except where a test asks for the real
/// ones.
class TrustStoreTest : public ::testing::Test {
protected:
    TrustEnvironment environment() {
        TrustEnvironment machine;
        machine.root = folder_.at("");
        machine.home = "/home/me";
        machine.isAdministrator = true;
        machine.which = [this](std::string_view program) {
            return missing_.contains(std::string(program)) ? std::string() : "/bin/" + std::string(program);
        };
        machine.run = [this](const std::vector<std::string>& argv) -> Result<os::ProgramOutcome> {
            std::string text;
            for (const std::string& word : argv) {
                text += (text.empty() ? "" : " ") + word;
            }
            ran_.push_back(text);
            return answer_ ? answer_(argv) : os::ProgramOutcome{};
        };
        return machine;
    }
    static TrustEnvironment realTools(TrustEnvironment machine) {
        machine.which = [](std::string_view program) { return os::findProgram(program); };
        machine.run = [](const std::vector<std::string>& argv) {
            return os::runProgram(argv, std::chrono::minutes(2));
        };
        return machine;
    }
    std::string read(const std::string& path) {
        std::ostringstream text;
        text << std::ifstream(path).rdbuf();
        return text.str();
    }

    const test::Authority authority_{"A local CA"};
    const test::Authority other_{"Another local CA"};
    test::TempFolder folder_;
    std::set<std::string> missing_{"chromium",       "chromium-browser",
                                   "google-chrome",  "google-chrome-stable",
                                   "microsoft-edge", "brave-browser"};
    std::vector<std::string> ran_;
    std::function<Result<os::ProgramOutcome>(const std::vector<std::string>&)> answer_;
};

struct Distribution {
    const char* folder;
    const char* bundle;
    const char* command;
};

class SystemStores : public TrustStoreTest, public ::testing::WithParamInterface<Distribution> {};

TEST_P(SystemStores, InstallAndRemove) {
    const std::string base(GetParam().folder);
    folder_.makeFolder(base.substr(1));
    answer_ = [&](const std::vector<std::string>&) {
        // What the tool is for: one file of all that is in the folder.
        std::string all;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.at(base.substr(1)))) {
            all += read(entry.path().string());
        }
        folder_.write(std::string(GetParam().bundle).substr(1), all);
        return os::ProgramOutcome{};
    };
    TrustStores found = findTrustStores(environment());
    ASSERT_THAT(found.stores, SizeIs(1));
    TrustStore& store = *found.stores.front();
    const X509& authority = authority_.certificate();
    EXPECT_EQ(store.state(authority), TrustState::absent);
    EXPECT_THAT(store.plan(authority, TrustChange::remove), IsEmpty());
    EXPECT_THAT(store.plan(authority, TrustChange::install), SizeIs(2));
    EXPECT_THAT(ran_, IsEmpty()) << "a plan does nothing";

    ASSERT_TRUE(store.apply(authority, TrustChange::install));
    EXPECT_EQ(store.state(authority), TrustState::trusted);
    EXPECT_THAT(ran_, ElementsAre(HasSubstr(GetParam().command)));
    ASSERT_TRUE(store.apply(authority, TrustChange::install));
    EXPECT_THAT(ran_, SizeIs(1)) << "nothing to do";
    EXPECT_EQ(store.state(other_.certificate()), TrustState::outdated);
    ASSERT_TRUE(store.apply(other_.certificate(), TrustChange::install));
    EXPECT_EQ(store.state(other_.certificate()), TrustState::trusted) << "takes the place of the one before";
    EXPECT_EQ(store.state(authority), TrustState::outdated);

    ASSERT_TRUE(store.apply(authority, TrustChange::remove));
    EXPECT_EQ(store.state(authority), TrustState::absent);
    ran_.clear();
    ASSERT_TRUE(store.apply(authority, TrustChange::remove));
    EXPECT_THAT(ran_, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    All, SystemStores,
    ::testing::Values(
        Distribution{"/usr/local/share/ca-certificates", "/etc/ssl/certs/ca-certificates.crt",
                     "/bin/update-ca-certificates"},
        Distribution{"/etc/pki/ca-trust/source/anchors", "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                     "/bin/update-ca-trust extract"},
        Distribution{"/etc/pki/trust/anchors", "/etc/ssl/ca-bundle.pem", "/bin/update-ca-certificates"},
        Distribution{"/etc/ca-certificates/trust-source/anchors",
                     "/etc/ca-certificates/extracted/tls-ca-bundle.pem", "/bin/trust extract-compat"}));

TEST_F(TrustStoreTest, SaysWhatIsMissing) {
    EXPECT_THAT(findTrustStores(environment()).notes, Contains(HasSubstr("no place that is known")));
    folder_.makeFolder("usr/local/share/ca-certificates");
    folder_.write("home/me/.mozilla/firefox/x.default/cert9.db");
    missing_.insert({"update-ca-certificates", "certutil"});
    TrustStores found = findTrustStores(environment());
    ASSERT_THAT(found.stores, SizeIs(2));
    EXPECT_THAT(found.notes, ElementsAre(HasSubstr("libnss3-tools")));
    auto system = found.stores[0]->apply(authority_.certificate(), TrustChange::install);
    ASSERT_FALSE(system);
    EXPECT_THAT(system.error().text(), HasSubstr("apt install ca-certificates"));
    auto firefox = found.stores[1]->apply(authority_.certificate(), TrustChange::install);
    ASSERT_FALSE(firefox);
    EXPECT_THAT(firefox.error().text(), HasSubstr("libnss3-tools"));
    EXPECT_EQ(found.stores[1]->state(authority_.certificate()), TrustState::unknown);
}

TEST_F(TrustStoreTest, SaysWhatAPersonWithTheRightsCanDo) {
    folder_.makeFolder("usr/local/share/ca-certificates");
    answer_ = [](const std::vector<std::string>&) { return os::ProgramOutcome{1, "permission denied\n"}; };
    auto machine = environment();
    machine.isAdministrator = false;
    auto done = findTrustStores(machine).stores[0]->apply(authority_.certificate(), TrustChange::install);
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().text(), AllOf(HasSubstr("permission denied"), HasSubstr("sudo cp")));
}

TEST_F(TrustStoreTest, FindsTheDatabasesOfBrowsers) {
    for (const char* place :
         {".mozilla/firefox/a.default", ".mozilla/firefox/b.dev", "snap/firefox/common/.mozilla/firefox/c",
          ".var/app/org.mozilla.firefox/.mozilla/firefox/d", ".pki/nssdb",
          "snap/chromium/current/.pki/nssdb"}) {
        folder_.write("home/me/" + std::string(place) + "/cert9.db");
    }
    folder_.makeFolder("home/me/.mozilla/firefox/no-profile");
    std::vector<std::string> names;
    for (const auto& store : findTrustStores(environment()).stores) {
        names.push_back(store->name());
    }
    EXPECT_THAT(names, SizeIs(6));
    EXPECT_THAT(names, Contains("Firefox: " + folder_.at("home/me/.mozilla/firefox/b.dev")));
    EXPECT_THAT(names, Contains("Chromium: " + folder_.at("home/me/.pki/nssdb")));
}

TEST_F(TrustStoreTest, ADatabaseForChromiumIsMade) {
    auto probe = realTools(environment());
    if (probe.which("certutil").empty()) {
        GTEST_SKIP() << "certutil is not installed";
    }
    missing_.erase("chromium");
    auto machine = environment();
    machine.run = probe.run;
    auto which = machine.which;
    machine.which = [&](std::string_view program) {
        return program == "certutil" ? probe.which(program) : which(program);
    };
    TrustStores found = findTrustStores(machine);
    ASSERT_THAT(found.stores, SizeIs(1));
    TrustStore& store = *found.stores.front();
    const X509& authority = authority_.certificate();
    EXPECT_EQ(store.state(authority), TrustState::absent);
    EXPECT_THAT(store.plan(authority, TrustChange::install), SizeIs(3));
    ASSERT_TRUE(store.apply(authority, TrustChange::remove));
    auto installed = store.apply(authority, TrustChange::install);
    ASSERT_TRUE(installed) << installed.error().text();
    EXPECT_EQ(store.state(authority), TrustState::trusted);
    EXPECT_EQ(store.state(other_.certificate()), TrustState::outdated);
    ASSERT_TRUE(store.apply(other_.certificate(), TrustChange::install));
    EXPECT_EQ(store.state(other_.certificate()), TrustState::trusted);
    EXPECT_THAT(store.plan(authority, TrustChange::remove), SizeIs(1));
    ASSERT_TRUE(store.apply(authority, TrustChange::remove));
    EXPECT_EQ(store.state(other_.certificate()), TrustState::absent);
    for (const auto& entry : std::filesystem::directory_iterator(folder_.at("home/me/.pki/nssdb"))) {
        EXPECT_NE(entry.path().extension(), ".pem") << "left behind";
    }
}

TEST_F(TrustStoreTest, DebiansToolWorksOnAnotherRoot) {
    auto machine = realTools(environment());
    if (machine.which("update-ca-certificates").empty()) {
        GTEST_SKIP() << "update-ca-certificates is not installed";
    }
    machine.home.clear();
    for (const char* place : {"usr/local/share/ca-certificates", "usr/share/ca-certificates", "etc/ssl/certs",
                              "etc/ca-certificates/update.d"}) {
        folder_.makeFolder(place);
    }
    folder_.write("usr/share/ca-certificates/other.crt", other_.pem()); // a machine trusts somebody
    folder_.write("etc/ca-certificates.conf", "other.crt\n");
    TrustStores found = findTrustStores(machine);
    ASSERT_THAT(found.stores, SizeIs(1));
    TrustStore& store = *found.stores.front();
    auto installed = store.apply(authority_.certificate(), TrustChange::install);
    ASSERT_TRUE(installed) << installed.error().text();
    EXPECT_EQ(store.state(authority_.certificate()), TrustState::trusted);
    auto removed = store.apply(authority_.certificate(), TrustChange::remove);
    ASSERT_TRUE(removed) << removed.error().text();
    EXPECT_EQ(store.state(authority_.certificate()), TrustState::absent);
    EXPECT_EQ(read(folder_.at("etc/ssl/certs/ca-certificates.crt")), other_.pem());
}

TEST_F(TrustStoreTest, NamesTellAuthoritiesApart) {
    EXPECT_NE(trustName(authority_.certificate()), trustName(other_.certificate()));
    EXPECT_THAT(trustName(authority_.certificate()), testing::MatchesRegex("Saker local CA [0-9a-f]{8}"));
}

} // namespace
} // namespace saker::tls
