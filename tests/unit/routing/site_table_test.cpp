#include "routing/site_table.h"

#include "unit/routing/site_fixture.h"

#include <gmock/gmock.h>

namespace saker::routing {
namespace {

class SiteTableTest : public SiteFixture {
protected:
    SiteTable& table() {
        if (!table_) {
            options_.folders = root_;
            options_.folderRules = rules_;
            table_ = std::make_unique<SiteTable>(options_);
        }
        return *table_;
    }
    /// The name of the site, with a star for the default one; "" for none.
    std::string find(std::string_view host) {
        SiteTable::Answer answer = table().find(host);
        return answer.site ? answer.site->name + (answer.isDefault ? "*" : "") : std::string();
    }

    SiteTable::Options options_;
    std::unique_ptr<SiteTable> table_;
};

TEST_F(SiteTableTest, Filters) {
    struct {
        std::string_view host, from, to, expected;
    } rows[] = {
        {"example.com", "", "x", "example.com"},
        {"example.com", ".", "", "examplecom"},
        {"a.b.c", ".", "_", "a_b_c"},
        {"www.example.com", "www.", "", "example.com"},
        {"aaa", "a", "aa", "aaaaaa"}, // what was put in is not searched again
        {"aaa", "aa", "b", "ba"},
        {"", ".", "x", ""},
        {"example.com", "example.com", "", ""},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(SiteTable::filtered(row.host, row.from, row.to), row.expected)
            << row.host << " " << row.from;
    }
}

TEST_F(SiteTableTest, AFolderIsASite) {
    folder_.write("Example.com/a.txt");
    folder_.write("localhost/a.txt");
    folder_.write("file.com");
    folder_.write(".hidden/a.txt");
    folder_.write("deep/er/a.txt");
    index();
    EXPECT_EQ(find("example.com"), "Example.com");
    EXPECT_EQ(find("EXAMPLE.COM:8080"), "Example.com");
    EXPECT_EQ(find("example.com."), "Example.com");
    EXPECT_EQ(find("file.com"), "localhost*") << "a file is no site";
    EXPECT_EQ(find("unknown"), "localhost*");
    EXPECT_EQ(table().find("example.com").site->folder, "Example.com") << "as on the disk";
    EXPECT_EQ(table().find("example.com").site, table().find("EXAMPLE.com").site) << "one site, one object";
}

TEST_F(SiteTableTest, OddHostsFindNoFolder) {
    folder_.write("a/b/c.txt");
    folder_.write(".hidden/a.txt");
    folder_.write("localhost/a.txt");
    index();
    for (std::string_view host :
         {"",   ".",    "..",  "...", ".hidden", "../a",   "a/b", "a/b:80", "a\\b", "a%2fb", "[",
          "[]", "[::1", ":80", "a:b", "a:99999", "user@a", " a",  "a ",     "a..b", "\x01",  "..:80"}) {
        EXPECT_EQ(find(host), "localhost*") << host;
    }
    EXPECT_EQ(find("a"), "a");
    EXPECT_EQ(find("a:"), "a");
}

TEST_F(SiteTableTest, AFilterCannotLeadOutOfTheFolder) {
    folder_.write("a/b/c.txt");
    folder_.write(".git/x");
    folder_.write("localhost/a.txt");
    options_.filterFrom = "_";
    index();
    struct {
        std::string_view to, host;
    } rows[] = {{"/", "a_b"},  {"/../", "a_b"}, {".", "_git"}, {".", "__"},
                {"../", "_a"}, {"/", "_a"},     {"/", "a_"}};
    for (const auto& row : rows) {
        options_.filterTo = row.to;
        table_.reset();
        EXPECT_EQ(find(row.host), "localhost*") << row.to << " " << row.host;
    }
    options_.filterTo = "";
    table_.reset();
    EXPECT_EQ(find("_a_"), "a");
    EXPECT_EQ(find("__"), "localhost*") << "nothing is left of the name";
}

TEST_F(SiteTableTest, AliasesAreOneStepAfterTheFilter) {
    folder_.write("one/a.txt");
    folder_.write("two/a.txt");
    folder_.write("localhost/a.txt");
    index();
    options_.filterFrom = "www.";
    options_.domainAlias = {
        {"first", "one"}, {"one", "two"}, {"loop", "loop"}, {"::1", "two"}, {"10.0.0.1", "one"}};
    EXPECT_EQ(find("first"), "one") << "not on to two";
    EXPECT_EQ(find("one"), "two");
    EXPECT_EQ(find("www.first:80"), "one");
    EXPECT_EQ(find("FIRST"), "one");
    EXPECT_EQ(find("loop"), "localhost*");
    EXPECT_EQ(find("[::1]:8080"), "two");
    EXPECT_EQ(find("10.0.0.1"), "one");
    EXPECT_EQ(table().canonicalHost("www.First:80"), "one");
    EXPECT_EQ(table().canonicalHost("[::2]:80"), "::2");
    EXPECT_EQ(table().canonicalHost("a b"), "");
}

TEST_F(SiteTableTest, AConfiguredSiteComesBeforeTheFolder) {
    folder_.write("example.com/a.txt");
    folder_.write("other/a.txt");
    index();
    auto configured = makeSite("example.com");
    options_.sites["example.com"] = configured;
    options_.siteAlias = {{"alias.org", "example.com"}, {"other", "example.com"}, {"lost", "nowhere"}};
    EXPECT_EQ(table().find("example.com").site, configured);
    EXPECT_EQ(table().find("alias.org:80").site, configured);
    EXPECT_FALSE(table().find("alias.org").isDefault);
    EXPECT_EQ(table().find("other").site, configured) << "an alias comes before a folder";
    EXPECT_EQ(find("lost"), "") << "two sites, none of them localhost: no default";
}

TEST_F(SiteTableTest, TheDefaultSiteIsTheNamedOne) {
    folder_.write("a/x");
    folder_.write("localhost/x");
    index();
    options_.defaultSite = "a";
    EXPECT_EQ(find("unknown"), "a*");
    EXPECT_EQ(find("a"), "a");
    options_.defaultSite = "gone";
    table_.reset();
    EXPECT_EQ(find("unknown"), "") << "the one that was named is not there";
}

TEST_F(SiteTableTest, TheDefaultSiteIsTheOnlyOne) {
    folder_.write("a/x");
    folder_.write(".git/x");
    folder_.write("file");
    index();
    EXPECT_EQ(find("unknown"), "a*");
    EXPECT_EQ(find(""), "a*") << "HTTP/1.0 without a Host field";
    // A configured site of the same folder is no second one.
    auto configured = makeSite("a");
    options_.sites["a"] = configured;
    table_.reset();
    EXPECT_EQ(table().find("unknown").site, configured);
    options_.sites["b"] = makeSite("b");
    table_.reset();
    EXPECT_EQ(find("unknown"), "");
}

TEST_F(SiteTableTest, FoldersComeAndGo) {
    folder_.write("a/x");
    index();
    EXPECT_EQ(find("unknown"), "a*");
    std::uint64_t before = table().indexGeneration();
    folder_.write("b/x");
    root_->index.refresh("b");
    EXPECT_GT(table().indexGeneration(), before);
    EXPECT_EQ(find("b"), "b");
    EXPECT_EQ(find("unknown"), "") << "there are two now";
    folder_.write("localhost/x");
    root_->index.refresh("localhost");
    EXPECT_EQ(find("unknown"), "localhost*");
    folder_.remove("b");
    root_->index.refresh("b");
    EXPECT_EQ(find("b"), "localhost*");
    auto site = table().find("a").site;
    folder_.remove("a");
    root_->index.refresh("a");
    folder_.write("a/x");
    root_->index.refresh("a");
    EXPECT_EQ(table().find("a").site, site) << "its counters go on";
}

TEST_F(SiteTableTest, OneSiteForEveryHost) {
    folder_.write("a/x");
    index();
    options_.everything = makeSite("static");
    for (std::string_view host : {"a", "b", "", "..", "[::1]:80"}) {
        EXPECT_EQ(find(host), "static") << host;
    }
}

TEST_F(SiteTableTest, WithoutFolders) {
    SiteTable::Options options;
    options.sites["only"] = makeSite("only");
    SiteTable table(options);
    EXPECT_EQ(table.indexGeneration(), 0u);
    EXPECT_EQ(table.find("only").site->name, "only");
    EXPECT_TRUE(table.find("unknown").isDefault);
    EXPECT_EQ(table.find("unknown").site->name, "only");
    SiteTable empty(SiteTable::Options{});
    EXPECT_EQ(empty.find("a").site, nullptr);
}

TEST_F(SiteTableTest, SitesAreCountedByName) {
    folder_.write("A/x");
    index();
    std::vector<std::string> asked;
    options_.metrics = [&](std::string_view name) {
        asked.emplace_back(name);
        return std::shared_ptr<observe::SiteMetrics>();
    };
    find("a");
    find("A");
    find("unknown");
    EXPECT_THAT(asked, testing::ElementsAre("A")) << "made-up hosts make no counters";
}

} // namespace
} // namespace saker::routing
