#include "host/config_store.h"

#include "host/config_texts.h"
#include "support/temp_folder.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace saker::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ConfigStoreTest : public ::testing::Test {
protected:
    void SetUp() override {
        for (const char* name : {"here/www", "user", "system"}) {
            folder_.makeFolder(name);
        }
        places_ = ConfigPlaces{root_ + "/here", root_ + "/user", root_ + "/system"};
    }

    void write(const std::string& path, std::string_view text) { folder_.write(path.substr(1), text); }
    std::string content(const std::string& path) {
        std::ostringstream text;
        text << std::ifstream(root_ + path).rdbuf();
        return text.str();
    }
    ConfigStore store(Overrides overrides = {}) { return ConfigStore(std::move(overrides), places_); }
    static std::string texts(const schema::Problems& problems) {
        std::string out;
        for (const auto& problem : problems) {
            out += problem.text() + "\n";
        }
        return out;
    }

    test::TempFolder folder_;
    std::string root_ = folder_.at("");
    ConfigPlaces places_;
};

TEST_F(ConfigStoreTest, TakesTheFirstFileThereIs) {
    const char* const files[] = {"/system/saker.json", "/user/saker.json", "/here/JonCsWebConfig.json",
                                 "/here/saker.json"};
    for (const char* file : files) {
        write(file, "{}");
        auto config = store().load();
        ASSERT_TRUE(config.ok()) << config.error().text();
        EXPECT_EQ(config->path, root_ + file);
        EXPECT_FALSE(config->written);
    }
    write("/other.json", R"({"MaxDirDepth": 3})");
    auto named = store().load(root_ + "/other.json");
    ASSERT_TRUE(named.ok());
    EXPECT_EQ(named->options.routing.maxDirDepth, 3u);
}

TEST_F(ConfigStoreTest, AFileThatWasNamedMustExist) {
    auto config = store().load(root_ + "/none.json");
    ASSERT_FALSE(config.ok());
    EXPECT_EQ(config.error().kind, ErrorKind::configuration);
    EXPECT_THAT(config.error().text(), HasSubstr("none.json: there is no such file"));
    EXPECT_FALSE(std::filesystem::exists(root_ + "/none.json"));
}

TEST_F(ConfigStoreTest, WritesTheDefaultsWhenThereIsNoFile) {
    auto config = store().load();
    ASSERT_TRUE(config.ok()) << config.error().text();
    EXPECT_TRUE(config->written);
    EXPECT_EQ(config->path, root_ + "/here/saker.json");
    EXPECT_EQ(content("/here/saker.json"), defaultConfigText());
    EXPECT_EQ(texts(config->warnings), "");
    EXPECT_FALSE(config->httpPortsGiven) << "the written file does not make the default ports the user's";
    EXPECT_FALSE(store().load()->written);
}

TEST_F(ConfigStoreTest, DoesNotWriteToTheRootFolder) {
    places_.workingFolder = "/";
    auto config = store().load();
    ASSERT_TRUE(config.ok()) << config.error().text();
    EXPECT_EQ(config->path, root_ + "/user/saker.json");
}

TEST_F(ConfigStoreTest, ServesWithTheDefaultsWhenNothingCanBeWritten) {
    write("/file", "");
    places_ = ConfigPlaces{root_ + "/file", "", root_ + "/file/x"};
    auto config = store().load();
    ASSERT_TRUE(config.ok()) << config.error().text();
    EXPECT_FALSE(config->written);
    EXPECT_EQ(config->path, "");
    EXPECT_THAT(texts(config->warnings), HasSubstr("none could be written"));
}

TEST_F(ConfigStoreTest, PathsCountFromTheFolderOfTheFile) {
    for (const char* name : {"user/sites", "user/log", "abs"}) {
        folder_.makeFolder(name);
    }
    write("/user/saker.json", R"({"BackendDir": "sites", "WWWdir": "../abs/x/..", "AccessLog": "log/a.log",
        "AllowedRoots": ["r"], "Sites": {"a": {"Root": "a", "AccessLog": {"File": "b.log"}}}})");
    auto config = store().load();
    ASSERT_TRUE(config.ok()) << config.error().text();
    const auto& routing = config->options.routing;
    EXPECT_EQ(routing.backendDir, root_ + "/user/sites");
    EXPECT_EQ(routing.wwwDir, root_ + "/abs");
    EXPECT_THAT(routing.allowedRoots, ElementsAre(root_ + "/user/r"));
    EXPECT_EQ(routing.sites[0].second.value->root, root_ + "/user/a");
    EXPECT_EQ(routing.sites[0].second.value->accessLog->file, root_ + "/user/b.log");
    EXPECT_EQ(config->options.log.accessLog.file, root_ + "/user/log/a.log");
    EXPECT_EQ(config->options.log.errorLogFile, root_ + "/user/saker-error.log");
    EXPECT_EQ(config->options.process.pidFile, "");
}

TEST_F(ConfigStoreTest, WarnsOfSettingsThatHaveNoEffectYetOnlyWhenTheyWereChanged) {
    write("/here/saker.json",
          "{\n\"EnableHtaccess\": true,\n\"Enable_WASM\": false, \"CertDir\": \"./certs\", \"Loging\": 1}");
    auto config = store().load();
    ASSERT_TRUE(config.ok());
    EXPECT_EQ(
        texts(config->warnings),
        "warning: line 2, column 19: EnableHtaccess: \"EnableHtaccess\" is accepted but has no effect in "
        "this version\nwarning: line 3, column 45: the key \"Loging\" is not known and is ignored. Did "
        "you mean \"Logging\"?\n");
}

TEST_F(ConfigStoreTest, TheCommandLineComesFirst) {
    write("/here/saker.json", R"({"HttpPorts": [81], "BackendDir": "www", "Workers": 2})");
    Overrides overrides;
    overrides.httpPorts = {{8443}};
    overrides.backendDir = root_ + "/user/";
    overrides.workers = 3;
    overrides.logLevel = "debug";
    overrides.addresses = {{"::1"}};
    auto config = store(overrides).load();
    ASSERT_TRUE(config.ok()) << config.error().text();
    EXPECT_THAT(config->options.listen.httpPorts, ElementsAre(8443));
    EXPECT_THAT(config->options.listen.httpsPorts, ElementsAre(443)) << "a default port gives way";
    EXPECT_THAT(config->options.listen.listenAddresses, ElementsAre("::1"));
    EXPECT_TRUE(config->httpPortsGiven);
    EXPECT_FALSE(config->httpsPortsGiven);
    EXPECT_EQ(config->options.routing.backendDir, root_ + "/user");
    EXPECT_EQ(config->options.process.workers, 3u);
    EXPECT_EQ(config->options.log.logLevel, log::Level::debug);
    EXPECT_EQ(store(overrides).reload(*config)->options, config->options);
}

TEST_F(ConfigStoreTest, RefusesClashesOfTheCommandLineWithTheFile) {
    write("/here/saker.json", R"({"HttpPorts": [9000]})");
    Overrides overrides;
    overrides.httpsPorts = {{9000}};
    auto config = store(overrides).load();
    ASSERT_FALSE(config.ok());
    EXPECT_THAT(config.error().text(), HasSubstr("error: HttpsPorts[0]: port 9000 is listed more than once"));
    overrides.httpPorts = {std::vector<std::uint16_t>()};
    overrides.httpsPorts = {std::vector<std::uint16_t>()};
    EXPECT_THAT(store(overrides).load().error().text(), HasSubstr("nothing to listen on"));
}

TEST_F(ConfigStoreTest, QuickModeNeedsNoFile) {
    Overrides overrides;
    overrides.webDir = root_ + "/here/www";
    overrides.httpPorts = {{7000}};
    auto loaded = store(overrides).withoutFile();
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    EXPECT_TRUE((*loaded).options.staticFiles.directoryListing);
    EXPECT_TRUE((*loaded).options.certificates.developmentMode);
    const LoadedConfig& config = *loaded;
    EXPECT_EQ(config.path, "");
    EXPECT_EQ(config.options.routing.backendDir, "");
    EXPECT_EQ(config.options.routing.wwwDir, root_ + "/here/www");
    EXPECT_THAT(config.options.listen.httpPorts, ElementsAre(7000));
    EXPECT_THAT(config.options.listen.httpsPorts, IsEmpty());
    EXPECT_THAT(config.warnings, IsEmpty());
    EXPECT_EQ(store(overrides).reload(config)->options, config.options);
    EXPECT_FALSE(std::filesystem::exists(root_ + "/here/saker.json"));
    overrides.webDir = root_ + "/here/ww";
    EXPECT_THAT(store(overrides).withoutFile().error().text(),
                HasSubstr("--webPath: the folder " + root_ + "/here/ww does not exist"));
}

TEST_F(ConfigStoreTest, WritesNothingWhereTheCommandLineSaysWhatToServe) {
    Overrides ports;
    ports.httpPorts = {{8080}};
    Overrides folder;
    folder.backendDir = root_ + "/user";
    Overrides web;
    web.webDir = root_ + "/user";
    for (const Overrides& overrides : {ports, folder, web}) {
        auto config = store(overrides).load();
        ASSERT_TRUE(config.ok()) << config.error().text();
        EXPECT_EQ(config->path, "");
        EXPECT_FALSE(config->quick);
        EXPECT_EQ(texts(config->warnings), "");
        EXPECT_FALSE(config->options.certificates.developmentMode);
        EXPECT_EQ(store(overrides).reload(*config)->options, config->options);
        EXPECT_FALSE(std::filesystem::exists(root_ + "/here/saker.json"));
    }
    Overrides level;
    level.logLevel = "debug";
    EXPECT_TRUE(store(level).load()->written);
}

TEST_F(ConfigStoreTest, AFolderThatWasNamedMustExist) {
    const std::string gone = "the folder " + root_ + "/here/gone does not exist";
    for (const char* key : {"BackendDir", "WWWdir", "CertDir", "DataDir"}) {
        write("/here/saker.json", fmt::format("{{\n\"{}\": \"gone\"}}", key));
        auto config = store().load();
        ASSERT_FALSE(config.ok()) << key;
        EXPECT_THAT(config.error().text(),
                    HasSubstr(fmt::format("error: line 2, column {}: {}: {}",
                                          std::string_view(key).size() + 5, key, gone)));
    }
    write("/here/saker.json", "{}");
    for (auto member : {&Overrides::backendDir, &Overrides::webDir, &Overrides::certDir}) {
        Overrides overrides;
        overrides.*member = root_ + "/here/gone";
        auto config = store(overrides).load();
        ASSERT_FALSE(config.ok());
        EXPECT_THAT(config.error().text(), HasSubstr(": " + gone));
        EXPECT_THAT(config.error().text(), HasSubstr("error: --"));
    }
    EXPECT_FALSE(std::filesystem::exists(root_ + "/here/gone"));

    std::filesystem::remove(root_ + "/here/www"); // the default one is made, also when the file spells it out
    write("/here/saker.json", R"({"BackendDir": "./www/"})");
    auto config = store().load();
    ASSERT_TRUE(config.ok()) << config.error().text();
    EXPECT_FALSE(config->backendDirGiven);
    Overrides overrides;
    overrides.backendDir = root_ + "/here/www";
    EXPECT_FALSE(store(overrides).load().ok());
}

TEST_F(ConfigStoreTest, ListsEveryErrorWithItsPlace) {
    write("/here/saker.json", "{\n\"HttpPorts\": [\"80\"],\n\"Workers\": -1,\n\"Unknown\": 1}");
    auto config = store().load();
    ASSERT_FALSE(config.ok());
    EXPECT_EQ(config.error().kind, ErrorKind::configuration);
    EXPECT_EQ(
        config.error().text(),
        root_ + "/here/saker.json: the configuration cannot be used:\n  error: line 2, column 15: "
                "HttpPorts[0]: expected a whole number from 0 to 65535, found the text \"80\"; write it "
                "without quotes\n  error: line 3, column 12: Workers: expected at least 0, found the number "
                "-1\n  warning: line 4, column 1: the key \"Unknown\" is not known and is ignored.");
    write("/here/saker.json", "{\n\"HttpPorts\" [80]}");
    EXPECT_THAT(store().load().error().text(), HasSubstr("line 2, column 13: expected a colon"));
}

TEST_F(ConfigStoreTest, ChecksWithoutWriting) {
    auto nothing = store().check();
    ASSERT_TRUE(nothing.ok());
    EXPECT_FALSE(std::filesystem::exists(root_ + "/here/saker.json"));
    write("/here/saker.json", R"({"Loging": true})");
    auto good = store().check();
    ASSERT_TRUE(good.ok()) << good.error().text();
    EXPECT_THAT(*good,
                HasSubstr("is valid, with 1 warning:\n  warning: line 1, column 2: the key \"Loging\""));
    write("/here/saker.json", "{}");
    EXPECT_THAT(*store().check(), HasSubstr("the configuration is valid.\n"));
    write("/here/saker.json",
          "{\"Loging\": true, \"Sites\": {\"b\": {\"Root\": \"bb\"},\n\"a\": {\"Root\": 5}}}");
    auto site = store().check();
    ASSERT_FALSE(site.ok());
    EXPECT_EQ(
        site.error().text(),
        root_ +
            "/here/saker.json: not all sites would be served:\n  warning: line 1, column 2: the key "
            "\"Loging\" is not known and is ignored. Did you mean \"Logging\"?\n  error: line 1, column "
            "42: Sites › b › Root: the folder " +
            root_ + "/here/bb does not exist (what there is: " + root_ +
            "/here); create it or mend the path\n  error: line 2, column 15: Sites › a › Root: expected a "
            "text, found the number 5; write it in double quotes");
    EXPECT_FALSE(store().check(root_ + "/none").ok());
}

TEST_F(ConfigStoreTest, ABrokenSiteDoesNotStopTheOthers) {
    write("/here/saker.json", R"({"Sites": {"bad": {"Root": 5}, "good": {"Enabled": false}}})");
    auto config = store().load();
    ASSERT_TRUE(config.ok()) << config.error().text();
    EXPECT_THAT(texts(config->siteErrors), HasSubstr("Sites › bad › Root"));
    EXPECT_FALSE(config->options.routing.sites[0].second.value);
    EXPECT_FALSE(config->options.routing.sites[1].second.value->enabled);
}

TEST_F(ConfigStoreTest, SavesChangesAndKeepsTheRest) {
    const std::string before = "{\n  \"Workers\": 1, // one\n  \"httpports\": [81],\n}\n";
    write("/here/saker.json", before);
    auto config = store().load();
    ASSERT_TRUE(config.ok());
    const ConfigEdit edits[] = {{"/Workers", schema::Node::of(std::uint64_t{2})},
                                {"/HttpPorts", std::nullopt},
                                {"/Sites/a.com/Root", schema::Node::of("/srv")}};
    auto saved = store().save(*config, edits);
    ASSERT_TRUE(saved.ok()) << saved.error().text();
    EXPECT_EQ(content("/here/saker.json"), "{\n  \"Workers\": 2, // one\n  \"Sites\": {\n    \"a.com\": {\n  "
                                           "    \"Root\": \"/srv\"\n    }\n  },\n}\n");
    EXPECT_EQ(saved->options.process.workers, 2u);
    EXPECT_EQ(saved->options.routing.sites.size(), 1u);
    EXPECT_NE(saved->revision, config->revision);

    auto stale = store().save(*config, edits);
    ASSERT_FALSE(stale.ok());
    EXPECT_THAT(stale.error().text(), HasSubstr("changed meanwhile"));
}

TEST_F(ConfigStoreTest, SavesNothingThatWouldNotBeRight) {
    const std::string before = "{ // c\n}";
    write("/here/saker.json", before);
    auto config = store().load();
    for (const ConfigEdit& edit :
         {ConfigEdit{"/Workers", schema::Node::of("x")}, ConfigEdit{"/Nothing", std::nullopt},
          ConfigEdit{"/Sites/a/Root", schema::Node::of(true)}}) {
        EXPECT_FALSE(store().save(*config, std::span(&edit, 1)).ok());
        EXPECT_EQ(content("/here/saker.json"), before);
    }
}

TEST_F(ConfigStoreTest, TellsWhatAReloadApplies) {
    EngineOptions before;
    EngineOptions after;
    after.process.workers = 4;
    after.http.keepAliveTimeout = std::chrono::seconds(1);
    after.routing.backendDir = "x";
    EXPECT_THAT(diff(before, after),
                ElementsAre(schema::Change{"BackendDir", schema::Apply::live},
                            schema::Change{"KeepAliveTimeout", schema::Apply::newConnections},
                            schema::Change{"Workers", schema::Apply::restart}));
}

} // namespace
} // namespace saker::host
