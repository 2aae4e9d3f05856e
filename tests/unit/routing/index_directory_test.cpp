#include "routing/index_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace saker::routing {
namespace {

using Want = IndexDirectory::Want;

IndexDirectory::Pointer make(std::string_view path, std::vector<IndexDirectory::Name> names) {
    return IndexDirectory::make(path, names);
}

std::vector<std::string> namesOf(const IndexDirectory& directory) {
    std::vector<std::string> names;
    directory.forEach([&](const IndexDirectory::Record& r) {
        names.push_back(std::string(r.name()) + (r.isDirectory() ? "/" : ""));
    });
    return names;
}

TEST(IndexDirectory, KeepsWhatItIsGiven) {
    auto directory = make("example.com/dir", {{"a.html", false, 7, 123, 456}});
    EXPECT_EQ(directory->path(), "example.com/dir");
    const auto* record = directory->find("a.html", CaseMode::exact, Want::file);
    ASSERT_NE(record, nullptr);
    EXPECT_EQ(record->facts().name, "a.html");
    EXPECT_EQ(record->facts().extension, 7);
    EXPECT_EQ(record->facts().size, 123u);
    EXPECT_EQ(record->facts().modified, 456);
}

TEST(IndexDirectory, AnEmptyOneFindsNothing) {
    auto directory = make("", {});
    EXPECT_EQ(directory->find("a", CaseMode::fold, Want::either), nullptr);
    EXPECT_EQ(directory->find("", CaseMode::fold, Want::either), nullptr);
    EXPECT_THAT(namesOf(*directory), testing::IsEmpty());
}

TEST(IndexDirectory, ListsFilesThenDirectoriesInByteOrder) {
    auto directory = make("d", {{"sub", true}, {"b"}, {"Sub", true}, {"\xc3\xa9"}, {"a"}, {"B"}});
    EXPECT_THAT(namesOf(*directory), testing::ElementsAre("B", "a", "b", "\xc3\xa9", "Sub/", "sub/"));
}

TEST(IndexDirectory, PrefersTheExactNameThenTheFirstInByteOrder) {
    auto directory = make("d", {{"Readme"}, {"README"}, {"readme"}, {"rEADME", true}});
    struct Case {
        const char* asked;
        CaseMode mode;
        Want want;
        const char* found; // null: nothing
    };
    for (const Case& c : {Case{"readme", CaseMode::fold, Want::file, "readme"},
                          Case{"Readme", CaseMode::fold, Want::file, "Readme"},
                          Case{"ReadMe", CaseMode::fold, Want::file, "README"},
                          Case{"ReadMe", CaseMode::fold, Want::either, "README"},
                          Case{"rEADME", CaseMode::fold, Want::either, "rEADME"},
                          Case{"rEADME", CaseMode::fold, Want::file, "README"},
                          Case{"ReadMe", CaseMode::fold, Want::directory, "rEADME"},
                          Case{"ReadMe", CaseMode::exact, Want::file, nullptr},
                          Case{"readme", CaseMode::exact, Want::directory, nullptr},
                          Case{"readm", CaseMode::fold, Want::either, nullptr}}) {
        const auto* record = directory->find(c.asked, c.mode, c.want);
        ASSERT_EQ(record != nullptr, c.found != nullptr) << c.asked;
        if (record) {
            EXPECT_EQ(record->name(), c.found) << c.asked;
        }
    }
}

TEST(IndexDirectory, FoldsOnlyAscii) {
    auto directory = make("d", {{"\xc3\x84.txt"}, {"[.txt"}});
    EXPECT_EQ(directory->find("\xc3\xa4.txt", CaseMode::fold, Want::file), nullptr); // a and A with diaeresis
    EXPECT_NE(directory->find("\xc3\x84.TXT", CaseMode::fold, Want::file), nullptr);
    EXPECT_EQ(directory->find("{.txt", CaseMode::fold, Want::file), nullptr);
}

TEST(IndexDirectory, HoldsManyNamesAndAnyBytes) {
    std::vector<std::string> texts;
    for (int i = 0; i < 5000; ++i) {
        texts.push_back("file-" + std::to_string(i));
    }
    texts.emplace_back("\x01\xff\n");
    texts.emplace_back(255, 'x');
    std::vector<IndexDirectory::Name> names;
    for (const std::string& text : texts) {
        names.push_back({.text = text, .size = text.size()});
    }
    auto directory = IndexDirectory::make("d", names);
    for (const std::string& text : texts) {
        const auto* record = directory->find(text, CaseMode::fold, Want::file);
        ASSERT_NE(record, nullptr) << text;
        EXPECT_EQ(record->name(), text);
    }
    EXPECT_EQ(directory->find("file-5000", CaseMode::fold, Want::file), nullptr);
    EXPECT_EQ(directory->fileCount(), texts.size());
}

TEST(IndexDirectory, IsTheSameOnlyWithEqualContent) {
    auto one = make("d", {{"a", false, 1, 2, 3}, {"s", true}});
    EXPECT_TRUE(one->sameAs(*make("d", {{"s", true}, {"a", false, 1, 2, 3}})));
    EXPECT_FALSE(one->sameAs(*make("d", {{"a", false, 1, 2, 4}, {"s", true}})));
    EXPECT_FALSE(one->sameAs(*make("d", {{"b", false, 1, 2, 3}, {"s", true}})));
    EXPECT_FALSE(one->sameAs(*make("d", {{"a", false, 1, 2, 3}, {"s"}})));
    EXPECT_FALSE(one->sameAs(*make("e", {{"a", false, 1, 2, 3}, {"s", true}})));
}

} // namespace
} // namespace saker::routing
