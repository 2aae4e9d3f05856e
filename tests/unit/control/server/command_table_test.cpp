#include "control/server/command_table.h"
#include "unit/control/server/fake_services.h"

#include <gmock/gmock.h>

#include <set>

namespace saker::control {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

class CommandTable : public ::testing::Test {
protected:
    std::vector<std::string> run(std::string_view line) {
        RecordingOutput output;
        execute(services, line, output);
        return output.lines;
    }

    FakeServices services;
};

TEST_F(CommandTable, holdsEveryCommandOfTheReference) {
    for (const char* name : {"help", "listfiles", "countfiles", "indexfiles", "indexonedir", "clearcerts",
                             "loadcerts", "listcerts", "ca", "catrust", "cauntrust", "reload", "stats",
                             "statistics", "status", "gc", "restart", "shutdown"}) {
        EXPECT_NE(findCommand(name), nullptr) << name;
    }
}

TEST_F(CommandTable, namesAreUniqueAndRowsComplete) {
    std::set<std::string_view> names;
    for (const Command& command : commands()) {
        EXPECT_TRUE(names.insert(command.name).second) << command.name;
        EXPECT_FALSE(command.summary.empty()) << command.name;
        EXPECT_NE(command.summary.back(), '.') << command.name;
        EXPECT_EQ(command.arguments.empty(), command.maxArguments == 0) << command.name;
        EXPECT_NE(command.run, nullptr);
    }
}

TEST_F(CommandTable, emptyLinesDoNothing) {
    EXPECT_THAT(run(""), IsEmpty());
    EXPECT_THAT(run("   "), IsEmpty());
}

TEST_F(CommandTable, unknownCommandsPointToHelp) {
    EXPECT_THAT(run("xyzzy-plugh"), ElementsAre("! Unknown command. Type 'help' for help."));
    EXPECT_THAT(run("relaod"),
                ElementsAre("! Unknown command. Type 'help' for help. Did you mean \"reload\"?"));
    EXPECT_THAT(run(std::string(20000, '\xfe')), ElementsAre("! Unknown command. Type 'help' for help."));
}

TEST_F(CommandTable, caseDoesNotMatter) {
    EXPECT_THAT(run("CountFiles"), SizeIs(1));
}

TEST_F(CommandTable, surplusWordsAreRefused) {
    EXPECT_THAT(run("gc now"), ElementsAre(StartsWith("! gc takes no argument, but 1 word follows.")));
    EXPECT_THAT(run("listfiles a b"),
                ElementsAre(StartsWith("! listfiles takes [search], but 2 words follow.")));
    EXPECT_THAT(run("listfiles \"a"), ElementsAre(StartsWith("! The quote")));
}

TEST_F(CommandTable, exceptionsBecomeErrors) {
    services.throws = true;
    EXPECT_THAT(run("countfiles"), ElementsAre("! The command failed: out of cheese"));
}

TEST_F(CommandTable, helpListsEveryCommand) {
    auto lines = run("help");
    ASSERT_THAT(lines, SizeIs(commands().size() + 2));
    EXPECT_EQ(lines[0], "Commands:");
    for (const Command& command : commands()) {
        EXPECT_THAT(lines, Contains(AllOf(HasSubstr(std::string(command.name)),
                                          HasSubstr(std::string(command.summary)))));
    }
}

TEST_F(CommandTable, helpExplainsOneCommand) {
    EXPECT_THAT(run("help listfiles"), Contains("listfiles [search]"));
    EXPECT_THAT(run("help status"), Contains("  Also called: statistics status."));
    EXPECT_THAT(run("? listfiles"), Contains("listfiles [search]"));
    EXPECT_THAT(run("?"), Contains("Commands:"));
    EXPECT_THAT(run("help me"), ElementsAre("! There is no command \"me\". Type 'help' for help."));
}

TEST_F(CommandTable, listfilesStatesTheCountOnlyWhenThereAreFew) {
    services.files = {"/www/a/index.html", "/www/b/index.html"};
    EXPECT_THAT(run("listfiles"),
                ElementsAre("There are 2 files indexed.", "/www/a/index.html", "/www/b/index.html"));
    EXPECT_THAT(run("listfiles /b/"), ElementsAre("There are 2 files indexed.", "/www/b/index.html"));
    services.files = {"/www/x"};
    EXPECT_THAT(run("listfiles"), ElementsAre("There is 1 file indexed.", "/www/x"));
    services.files.assign(10, "/www/x");
    EXPECT_THAT(run("listfiles"), SizeIs(10));
}

TEST_F(CommandTable, listfilesEndsWhenNobodyReads) {
    services.files.assign(100000, "/www/x");
    RecordingOutput output;
    output.closesAfter = 3;
    execute(services, "listfiles", output);
    EXPECT_EQ(services.visited, 3u);
}

TEST_F(CommandTable, countfilesSaysANumber) {
    services.files = {"/www/a", "/www/b", "/www/ab"};
    EXPECT_THAT(run("countfiles"), ElementsAre("3"));
    EXPECT_THAT(run("countfiles a"), ElementsAre("2"));
}

TEST_F(CommandTable, indexfilesSaysBeginAndEnd) {
    EXPECT_THAT(run("indexfiles a"), ElementsAre("Indexing /www/a", "Indexed /www/a (12 files, 3 folders)"));
    EXPECT_THAT(run("indexonedir a"), ElementsAre("Indexed one level of /www/a (2 files, 1 folder)"));
    EXPECT_THAT(services.calls, ElementsAre("indexFiles a", "indexOneLevel a"));
    services.failure = Error{ErrorKind::notFound, "There is no folder \"a\".", {}};
    EXPECT_THAT(run("indexfiles a"), ElementsAre("! There is no folder \"a\"."));
    EXPECT_THAT(run("indexonedir a"), ElementsAre("! There is no folder \"a\"."));
}

TEST_F(CommandTable, certificates) {
    services.certificateList.fallback = "a self-signed certificate";
    EXPECT_THAT(run("listcerts"), ElementsAre("There are 0 certificates in cache.",
                                              "For other names: a self-signed certificate"));
    services.certificateList.certificates = {
        {{"example.com", "www.example.com"}, "ECDSA 256", "Test CA", 42, "", "/certs/a.pem"},
        {{"a", "b", "c", "d", "e", "f"}, "RSA 2048", "Test CA", -3, "expired", "/certs/b.pem"}};
    services.certificateList.problems = {"/certs/c.pem: the file is empty"};
    services.certificateList.development = "on";
    EXPECT_THAT(run("listcerts"),
                ElementsAre("There are 2 certificates in cache.",
                            "NAMES                         KEY        DAYS LEFT    ISSUER   FILE",
                            "example.com, www.example.com  ECDSA 256  42           Test CA  /certs/a.pem",
                            "a, b, c, d and 2 more         RSA 2048   -3, expired  Test CA  /certs/b.pem",
                            "Problem: /certs/c.pem: the file is empty",
                            "For other names: a self-signed certificate", "Development mode: on"));
    EXPECT_THAT(run("loadcerts"), Contains("Loaded 2 certificates."));
    EXPECT_THAT(run("clearcerts"),
                ElementsAre("Cleared 2 certificates.",
                            "New connections get a self-signed certificate until loadcerts."));
    services.failure = Error{ErrorKind::failure, "No.", {}};
    EXPECT_THAT(run("loadcerts"), ElementsAre("! No."));
}

TEST_F(CommandTable, theLocalAuthority) {
    services.authorityReport = {"Saker local CA",        "ab:cd",
                                "/data/ca.pem",          3000,
                                {"localhost", "*.test"}, {{"the system", "trusted"}, {"Firefox", "absent"}},
                                {"certutil is missing"}};
    EXPECT_THAT(run("ca"), ElementsAre("Authority:    Saker local CA", "File:         /data/ca.pem",
                                       "Fingerprint:  SHA-256 ab:cd", "Days left:    3000",
                                       "Vouches for:  localhost, *.test; private addresses",
                                       "Trust stores:", "trusted  the system", "absent   Firefox",
                                       "Note: certutil is missing"));
    EXPECT_THAT(run("catrust"), ElementsAre("install"));
    EXPECT_THAT(run("catrust try"), ElementsAre("install try"));
    EXPECT_THAT(run("cauntrust"), ElementsAre("remove"));
    EXPECT_THAT(run("catrust me"), ElementsAre("! \"me\" is not known here. Expected nothing, or try."));
    services.failure = Error{ErrorKind::notFound, "There is none.", {}};
    EXPECT_THAT(run("ca"), ElementsAre("! There is none."));
    EXPECT_THAT(run("cauntrust"), ElementsAre("! There is none."));
}

TEST_F(CommandTable, statsShowsRequestsOnlyWhenMetricsAreOn) {
    services.snapshot.requests = 42;
    services.snapshot.perSecond = 1.6;
    services.snapshot.statusClasses = {0, 40, 0, 2, 0};
    services.snapshot.memoryBytes = 10 * 1024 * 1024;
    services.snapshot.uptime = std::chrono::seconds(90061);
    services.snapshot.connections = 3;
    EXPECT_THAT(run("stats"),
                ElementsAre("Connections: 3 open, 0 accepted", StartsWith("Received: "), "Indexed files: 0",
                            "Uptime: 1d 1h 1m 1s", "Memory usage: 10.0 MiB", "CPU usage: 12.3%"));
    services.snapshot.detailed = true;
    auto lines = run("status");
    ASSERT_THAT(lines, SizeIs(11));
    EXPECT_THAT(std::vector<std::string>(lines.begin(), lines.begin() + 5),
                ElementsAre("Total since startup: 42", "2 req/second", "0 req/minute", "0 req/hour",
                            "Answers by status: 2xx 40, 4xx 2"));
}

TEST_F(CommandTable, statsTellsOfFloods) {
    services.snapshot.http2Floods = {{"rapid_reset", 2}, {"ping", 1}};
    EXPECT_THAT(run("stats"),
                testing::Contains("HTTP/2 connections ended for a flood of frames: rapid_reset 2, ping 1"));
}

TEST_F(CommandTable, gcSaysWhatItGaveBack) {
    EXPECT_THAT(run("gc"), ElementsAre("Collecting..", "Collected. Memory given back: 3.0 MiB."));
}

TEST_F(CommandTable, reloadReportsAndEndsWithReloaded) {
    EXPECT_THAT(run("reload"), ElementsAre("Reloaded!"));
    services.report.applied = {"HttpPorts"};
    services.report.needsRestart = {"Workers"};
    services.report.keptSites = {"example.com: bad rule"};
    services.report.warnings = {"unknown key \"Foo\""};
    EXPECT_THAT(run("reload"),
                ElementsAre("Warning: unknown key \"Foo\"",
                            "Keeps its last good version: example.com: bad rule", "Changed: HttpPorts",
                            "Takes effect with the next start ('restart'): Workers", "Reloaded!"));
    services.failure = Error{ErrorKind::configuration, "two errors:\n  one\n  two", "saker.json"};
    EXPECT_THAT(run("reload"), ElementsAre("! saker.json: two errors:", "!   one", "!   two",
                                           "! Not reloaded: the configuration from before stays in use."));
}

TEST_F(CommandTable, shutdownTakesAMode) {
    EXPECT_THAT(run("shutdown"), ElementsAre("Shutting down Saker.."));
    run("shutdown drain");
    run("shutdown NOW");
    EXPECT_THAT(run("shutdown later"),
                ElementsAre("! shutdown: \"later\" is not a way to stop. Expected nothing, drain or now."));
    EXPECT_THAT(run("restart"), ElementsAre("Restarting Saker.."));
    EXPECT_THAT(services.calls, ElementsAre("shutdown 0", "shutdown 1", "shutdown 2", "restart"));
}

TEST_F(CommandTable, versionIsShown) {
    EXPECT_THAT(run("version"), ElementsAre(StartsWith("Saker ")));
}

} // namespace
} // namespace saker::control
