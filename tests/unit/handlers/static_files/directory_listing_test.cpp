#include "handlers/static_files/directory_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace saker::static_files {
namespace {

using routing::PageFormat;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::int64_t kTime = 1740837909'000'000'000; // 2025-03-01 14:05:09

ListingEntry file(std::string name, std::uint64_t size = 1, std::int64_t modified = kTime) {
    return {std::move(name), false, size, modified};
}
ListingEntry folder(std::string name) {
    return {std::move(name), true, 0, 0};
}

/// The names in the order in which they are shown.
std::vector<std::string> order(std::string_view query, std::vector<ListingEntry> entries) {
    ListingRequest request;
    request.path = "/";
    request.order = parseListingOrder(query);
    std::string body = renderListing(request, std::move(entries), PageFormat::text).body;
    std::vector<std::string> names;
    for (std::size_t start = 0, end = 0; (end = body.find('\n', start)) != std::string::npos;
         start = end + 1) {
        names.push_back(body.substr(start, end - start));
    }
    return names;
}

std::string html(std::string_view path, std::vector<ListingEntry> entries, std::string_view query = {}) {
    ListingRequest request;
    request.host = "example.com";
    request.path = path;
    request.order = parseListingOrder(query);
    routing::Page page = renderListing(request, std::move(entries), PageFormat::html);
    EXPECT_EQ(page.contentType, "text/html; charset=utf-8");
    EXPECT_THAT(page.body, Not(HasSubstr("${")));
    return page.body;
}

TEST(DirectoryListing, ComparesNamesAsPeopleDo) {
    const char* sorted[] = {"",
                            "1",
                            "01x",
                            "2",
                            "10",
                            "a",
                            "A1",
                            "a2",
                            "a2b3",
                            "a2b11",
                            "a10",
                            "B",
                            "page1",
                            "page2.html",
                            "page10.html",
                            "x99999999999999999998",
                            "x99999999999999999999",
                            "z",
                            "\xc3\xa9"};
    for (std::size_t i = 0; i < std::size(sorted); ++i) {
        for (std::size_t j = 0; j < std::size(sorted); ++j) {
            int difference = compareNatural(sorted[i], sorted[j]);
            EXPECT_EQ(difference < 0, i < j) << sorted[i] << " and " << sorted[j];
            EXPECT_EQ(difference == 0, i == j) << sorted[i] << " and " << sorted[j];
        }
    }
    EXPECT_LT(compareNatural("01", "1"), 0); // equal as numbers: by their bytes
    EXPECT_LT(compareNatural("A", "a"), 0);
}

TEST(DirectoryListing, FoldersComeFirstInEveryOrder) {
    std::vector<ListingEntry> entries = {file("b10", 3, 30), file("b9", 1, 20), folder("z"), folder("Y"),
                                         file("a", 2, 10)};
    EXPECT_THAT(order("", entries), ElementsAre("Y/", "z/", "a", "b9", "b10"));
    EXPECT_THAT(order("order=desc", entries), ElementsAre("z/", "Y/", "b10", "b9", "a"));
    EXPECT_THAT(order("sort=size", entries), ElementsAre("Y/", "z/", "b9", "a", "b10"));
    EXPECT_THAT(order("sort=modified&order=desc", entries), ElementsAre("z/", "Y/", "b10", "b9", "a"));
    EXPECT_THAT(order("sort=colour&order=up&=&&x", entries), ElementsAre("Y/", "z/", "a", "b9", "b10"));
}

TEST(DirectoryListing, LinksAreEncodedAndTextIsEscaped) {
    std::string page =
        html("/a <b>/", {file("x\"><script>.html"), folder("100%"), file("a:b?c#d"), file("\xc3\xa9 &")});
    EXPECT_THAT(page, Not(HasSubstr("<script>")));
    EXPECT_THAT(page, HasSubstr("<title>example.com/a &lt;b&gt;/</title>"));
    EXPECT_THAT(page, HasSubstr("href=\"./x%22%3E%3Cscript%3E.html\">x&quot;&gt;&lt;script&gt;.html</a>"));
    EXPECT_THAT(page, HasSubstr("href=\"./100%25/\">100%/</a>"));
    EXPECT_THAT(page, HasSubstr("href=\"./a%3Ab%3Fc%23d\""));
    EXPECT_THAT(page, HasSubstr("href=\"./%C3%A9%20%26\""));
}

TEST(DirectoryListing, ShowsTheWayBack) {
    EXPECT_THAT(html("/", {}), Not(HasSubstr("Parent folder")));
    std::string page = html("/one two/three/", {});
    EXPECT_THAT(
        page,
        HasSubstr(
            "<a href=\"/\">example.com</a><i>/</i><a href=\"/one%20two/\">one two</a><i>/</i>three</h1>"));
    EXPECT_THAT(page, HasSubstr("href=\"../\">Parent folder"));
    EXPECT_THAT(page, HasSubstr("This folder is empty."));
}

TEST(DirectoryListing, ShowsFactsAndTheOrderInUse) {
    std::string page = html("/", {file("a.txt", 2048), folder("d"), file("b", 10)}, "sort=size&order=desc");
    EXPECT_THAT(page, HasSubstr("<td>2.0 KiB</td><td>2025-03-01 14:05</td>"));
    EXPECT_THAT(page, HasSubstr("1 folder, 2 files, 2.0 KiB"));
    EXPECT_THAT(page, HasSubstr("<th aria-sort=\"descending\"><a href=\"?sort=size\">"));
    EXPECT_THAT(page, HasSubstr("<th><a href=\"?sort=name\">"));
    EXPECT_THAT(html("/", {}),
                HasSubstr("<th aria-sort=\"ascending\"><a href=\"?sort=name&amp;order=desc\">"));
}

TEST(DirectoryListing, NeedsNothingFromElsewhere) {
    std::string page = html("/", {file("a.txt")});
    for (const char* text : {"<script", "<link", "<img", "@import", "src="}) {
        EXPECT_THAT(page, Not(HasSubstr(text)));
    }
    std::size_t at = 0; // the only addresses are the name space of inline images
    while ((at = page.find("http", at)) != std::string::npos) {
        EXPECT_EQ(page.substr(at, 26), "http://www.w3.org/2000/svg");
        ++at;
    }
}

TEST(DirectoryListing, LeavesOutWhatIsNotVisible) {
    ListingRequest request;
    request.path = "/";
    request.visible = [](const ListingEntry& entry) { return entry.name[0] != '.'; };
    routing::Page page = renderListing(request, {file(".env"), file("a"), folder(".git")}, PageFormat::text);
    EXPECT_EQ(page.contentType, "text/plain; charset=utf-8");
    EXPECT_EQ(page.body, "a\n");
}

TEST(DirectoryListing, JsonHoldsTheSameFacts) {
    ListingRequest request;
    request.path = "/a\"/";
    routing::Page page = renderListing(request, {file("b\xff", 7), folder("d")}, PageFormat::json);
    EXPECT_EQ(page.contentType, "application/json");
    EXPECT_EQ(page.body,
              "{\"path\":\"/a\\\"/"
              "\",\"entries\":[{\"name\":\"d\",\"type\":\"directory\"},{\"name\":\"b\xef\xbf\xbd\","
              "\"type\":\"file\",\"size\":7,\"modified\":\"2025-03-01T14:05:09Z\"}],\"not_shown\":0}\n");
    EXPECT_EQ(renderListing(request, {}, PageFormat::json).body,
              "{\"path\":\"/a\\\"/\",\"entries\":[],\"not_shown\":0}\n");
}

TEST(DirectoryListing, AVeryLargeFolderIsCutAndSaysSo) {
    std::vector<ListingEntry> entries;
    for (std::size_t i = 0; i < kMaxListed + 5; ++i) {
        entries.push_back(file(std::to_string(i)));
    }
    std::reverse(entries.begin(), entries.end());
    std::string page = html("/", entries);
    EXPECT_THAT(page, HasSubstr("; 5 more are not shown"));
    EXPECT_THAT(page, HasSubstr(">9999</a>"));
    EXPECT_THAT(page, Not(HasSubstr(">10000</a>")));
}

} // namespace
} // namespace saker::static_files
