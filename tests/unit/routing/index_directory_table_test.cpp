#include "routing/index_directory_table.h"

#include <gtest/gtest.h>

#include <string>

namespace saker::routing {
namespace {

IndexDirectory::Pointer make(std::string_view path) {
    return IndexDirectory::make(path, {});
}

TEST(IndexDirectoryTable, FindsByExactPath) {
    Quiescence quiescence;
    IndexDirectoryTable table(quiescence);
    table.put(make("a/b"));
    ASSERT_NE(table.exact("a/b"), nullptr);
    EXPECT_EQ(table.exact("a/b")->path(), "a/b");
    EXPECT_EQ(table.exact("A/b"), nullptr);
    EXPECT_EQ(table.exact("a"), nullptr);
    EXPECT_EQ(table.exact(""), nullptr);
}

TEST(IndexDirectoryTable, GoesThroughSpellingsExactFirstThenInByteOrder) {
    Quiescence quiescence;
    IndexDirectoryTable table(quiescence);
    for (const char* path : {"docs", "DOCS", "Docs", "doc"}) {
        table.put(make(path));
    }
    for (auto [asked, order] : {std::pair{"docs", "docs DOCS Docs "}, std::pair{"Docs", "Docs DOCS docs "},
                                std::pair{"dOCS", "DOCS Docs docs "}, std::pair{"dogs", ""}}) {
        std::string seen;
        for (const auto* d = table.first(asked, CaseMode::fold); d; d = table.next(asked, *d)) {
            seen.append(d->path()) += ' ';
        }
        EXPECT_EQ(seen, order) << asked;
    }
    EXPECT_EQ(table.first("dOCS", CaseMode::exact), nullptr);
}

TEST(IndexDirectoryTable, ReplacesAndFreesWhenReadersAreThrough) {
    Quiescence quiescence;
    IndexDirectoryTable table(quiescence);
    Quiescence::Reader reader(quiescence);
    table.put(make("a"));
    const IndexDirectory* old = table.exact("a");
    IndexDirectory::Name file{"file"};
    table.put(IndexDirectory::make("a", std::span(&file, 1)));
    table.retireReplaced();
    EXPECT_EQ(old->path(), "a"); // still readable
    EXPECT_EQ(table.exact("a")->fileCount(), 1u);
    reader.quiescent();
    quiescence.drain();
}

TEST(IndexDirectoryTable, GrowsAndSurvivesManyErasures) {
    Quiescence quiescence;
    IndexDirectoryTable table(quiescence);
    auto path = [](int i) { return "directory/" + std::to_string(i); };
    const std::uint64_t before = table.memoryUse();
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 3000; ++i) {
            table.put(make(path(i)));
        }
        for (int i = 0; i < 3000; ++i) {
            ASSERT_NE(table.exact(path(i)), nullptr) << i;
        }
        EXPECT_GT(table.memoryUse(), before);
        for (int i = 0; i < 3000; ++i) {
            table.erase(path(i));
            ASSERT_EQ(table.exact(path(i)), nullptr) << i;
            if (i + 1 < 3000) {
                ASSERT_NE(table.exact(path(i + 1)), nullptr) << i;
            }
        }
        table.retireReplaced();
    }
    table.erase("never there");
}

} // namespace
} // namespace saker::routing
