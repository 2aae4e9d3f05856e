#include "host/settings_check.h"

#include "os/privileges.h"
#include "schema/description.h"
#include "support/temp_folder.h"

#include <gmock/gmock.h>

namespace saker::host {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class SettingsCheckTest : public ::testing::Test {
protected:
    SettingsCheckTest() {
        folder_.makeFolder("www/example.com");
        standard_.routing.backendDir = folder_.at("default");
        options_ = standard_;
        options_.routing.backendDir = folder_.at("www");
    }
    std::vector<std::string> check(const Overrides& overrides = {}) {
        std::vector<std::string> out;
        for (const schema::Problem& problem : checkSettings(options_, standard_, overrides)) {
            out.push_back(problem.text());
        }
        return out;
    }
    routing::SiteOptions& addSite(const std::string& name) {
        auto& [key, site] =
            options_.routing.sites.emplace_back(name, schema::Isolated<routing::SiteOptions>{});
        return site.value.emplace();
    }

    test::TempFolder folder_;
    EngineOptions standard_;
    EngineOptions options_;
};

TEST_F(SettingsCheckTest, TheDefaultsAreNobodysMistake) {
    options_ = standard_;
    EXPECT_THAT(check(), IsEmpty());
}

TEST_F(SettingsCheckTest, EveryFolderOfTheConfigurationIsLookedAt) {
    for (const schema::Field& field : EngineOptions::fields().fields()) {
        if (field.widget != schema::Widget::folder || field.notYet) {
            continue;
        }
        EngineOptions before = options_;
        schema::Visitor visitor;
        visitor.text = [&](std::string& path) { path = folder_.at("none"); };
        options_.routing.allowedRoots = {""}; // lists
        options_.php.path = {""};
        field.type->visit(field.in(&options_), visitor);
        if (field.key != "AllowedRoots") {
            options_.routing.allowedRoots.clear();
        }
        if (field.key != "PhpPath") {
            options_.php.path.clear();
        }
        EXPECT_THAT(check(),
                    ElementsAre(AllOf(HasSubstr(std::string(field.key)), HasSubstr("does not exist"))))
            << field.key;
        options_ = before;
    }
}

TEST_F(SettingsCheckTest, SaysWhatThereIsOfAPath) {
    options_.routing.backendDir = folder_.at("www/a/b");
    EXPECT_THAT(check(),
                ElementsAre(StartsWith("error: BackendDir: the folder " + folder_.at("www/a/b") +
                                       " does not exist (what there is: " + folder_.at("www") + ")")));
    folder_.write("file");
    options_.routing.backendDir = folder_.at("file");
    EXPECT_THAT(check(),
                ElementsAre("error: BackendDir: " + folder_.at("file") + " is not a folder; name a folder"));
    options_.routing.wwwDir = folder_.at("www"); // BackendDir is not used
    EXPECT_THAT(check(), ElementsAre(StartsWith("warning: BackendDir")));
}

TEST_F(SettingsCheckTest, TheUserMustExist) {
    options_.process.user = "no-such-user-here";
    EXPECT_THAT(check(),
                ElementsAre(AllOf(StartsWith(os::isAdministrator() ? "error: User" : "warning: User"),
                                  HasSubstr("no user \"no-such-user-here\""))));
    options_.process.user = "root";
    EXPECT_THAT(check(), IsEmpty());
}

TEST_F(SettingsCheckTest, LogsMustBeWritable) {
    const std::string gone = folder_.at("gone/x.log");
    options_.log.errorLogFile = gone;
    EXPECT_THAT(check(), IsEmpty()) << "it is not written to";
    options_.log.logging = true;
    options_.log.accessLog.file = gone;
    options_.tls.keyLogFile = gone;
    options_.process.pidFile = gone;
    addSite("example.com").accessLog.emplace().file = folder_.at("www");
    const std::string missing = ": the folder " + folder_.at("gone") + " does not exist";
    EXPECT_THAT(check(), ElementsAre(StartsWith("error: ErrorLogFile" + missing),
                                     StartsWith("error: AccessLog" + missing),
                                     StartsWith("error: TlsKeyLogFile" + missing),
                                     StartsWith("warning: PidFile" + missing),
                                     AllOf(StartsWith("error: Sites › \"example.com\" › AccessLog: "),
                                           HasSubstr(" is a folder; name a file in it"))));
    options_ = standard_;
    options_.log.accessLog.file = "-";
    EXPECT_THAT(check(), IsEmpty());
}

TEST_F(SettingsCheckTest, LogsAreWrittenAsTheUserThatTheServerBecomes) {
    if (!os::isAdministrator()) {
        GTEST_SKIP() << "only an administrator can become another user";
    }
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
    options_.process.user = "nobody";
    options_.log.accessLog.file = folder_.at("a.log");
    EXPECT_THAT(check(),
                ElementsAre(StartsWith("error: AccessLog: the user \"nobody\" may not make a file in " +
                                       folder_.at(""))));
    folder_.write("a.log");
    EXPECT_THAT(check(), ElementsAre(StartsWith("error: AccessLog: the user \"nobody\" may not write to " +
                                                folder_.at("a.log"))));
    std::filesystem::permissions(folder_.at("a.log"), std::filesystem::perms(0666));
    EXPECT_THAT(check(), IsEmpty());
}

TEST_F(SettingsCheckTest, SitesThatHaveNoFolder) {
    addSite("Example.COM");
    addSite("off.com").enabled = false;
    EXPECT_THAT(check(), IsEmpty());
    addSite("other.com");
    addSite("rooted.com").root = folder_.at("none");
    auto& clients = addSite("example.com").clientCertificates;
    clients.mode = routing::ClientCertificateMode::required;
    clients.caFile = folder_.at("ca.pem");
    EXPECT_THAT(
        check(),
        ElementsAre(StartsWith("warning: Sites › \"other.com\": there is no folder \"other.com\""),
                    StartsWith("error: Sites › \"rooted.com\" › Root: the folder"),
                    StartsWith("error: Sites › \"example.com\" › ClientCertificates › CaFile: there")));
}

TEST_F(SettingsCheckTest, AliasesOfSitesThatAreNotThere) {
    auto& site = addSite("example.com");
    site.aliases = {"shop.com"};
    options_.routing.domainAlias = {{"www.example.com", "example.com"},
                                    {"127.0.0.1", "localhost"}, // a default
                                    {"a.com", "Example.com"},
                                    {"b.com", "shop.com"},
                                    {"c.com", "gone.com"},
                                    {"d.com", "a.com"}};
    options_.routing.defaultSite = "none.com";
    EXPECT_THAT(check(),
                ElementsAre(StartsWith("warning: DomainAlias › \"c.com\": there is no site \"gone.com\""),
                            AllOf(StartsWith("warning: DomainAlias › \"d.com\": \"a.com\" is an alias"),
                                  HasSubstr("write \"Example.com\"")),
                            StartsWith("warning: DefaultSite: there is no site \"none.com\"")));
}

TEST_F(SettingsCheckTest, UrlAliasesOfAnAlias) {
    options_.routing.urlAlias = {{"example.com/a", "/b"}, {"WWW.example.com/x", "/y"}};
    EXPECT_THAT(check(),
                ElementsAre("warning: UrlAlias › \"WWW.example.com/x\": never matches, because "
                            "DomainAlias turns \"www.example.com\" into \"example.com\" first; write "
                            "\"example.com/x\""));
}

TEST_F(SettingsCheckTest, RoutesGoOverTlsWhereThatIsForced) {
    options_.forward.forceTLS = true;
    auto& site = addSite("example.com");
    site.routes.resize(1);
    site.routes[0].proxy = {
        {"http://127.0.0.1:1"}, {"https://far.test"}, {"unix:/a.sock"}, {"http://far.test"}};
    EXPECT_THAT(check(),
                ElementsAre(AllOf(HasSubstr("Routes[0]"), HasSubstr("Proxy[3]"), HasSubstr("ForceTLS"))));
}

} // namespace
} // namespace saker::host
