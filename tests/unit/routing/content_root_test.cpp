#include "routing/content_root.h"

#include "support/temp_folder.h"

#include <gtest/gtest.h>

namespace saker::routing {
namespace {

std::string read(const Result<os::File>& file) {
    if (!file) {
        return "error: " + file.error().text();
    }
    std::string bytes(64, '\0');
    auto got = file->readAt(0, bytes.data(), bytes.size());
    bytes.resize(got ? *got : 0);
    return bytes;
}

TEST(ContentRoot, OpensWhatLiesBelow) {
    test::TempFolder folder;
    folder.write("top/a/b.txt", "b");
    folder.write("outside.txt", "secret");
    folder.write("allowed/c.txt", "c");
    folder.link("top/in", "a/b.txt");
    folder.link("top/out", folder.at("outside.txt"));
    folder.link("top/allowed", folder.at("allowed/c.txt"));
    struct {
        IndexOptions::Links links;
        const char *in, *out, *allowed;
    } rows[] = {
        {IndexOptions::Links::inside, "b", nullptr, "c"},
        {IndexOptions::Links::follow, "b", "secret", "c"},
        {IndexOptions::Links::never, nullptr, nullptr, nullptr},
    };
    for (const auto& row : rows) {
        IndexOptions options;
        options.root = folder.at("top");
        options.links = row.links;
        options.extraRoots = {folder.at("allowed")};
        ContentRoot root(options, [](Severity, const std::string&) {});
        auto check = [&](std::string_view name, const char* expected) {
            auto file = root.open(name);
            if (expected) {
                EXPECT_EQ(read(file), expected) << name;
            } else {
                EXPECT_FALSE(file) << name;
            }
        };
        check("a/b.txt", "b");
        check("in", row.in);
        check("out", row.out);
        check("allowed", row.allowed);
        check("../outside.txt", nullptr);
        check("a/../../outside.txt", nullptr);
        check("none", nullptr);
        EXPECT_EQ(root.open("none").error().kind, ErrorKind::notFound);
    }
}

TEST(ContentRoot, TheFolderMayBeReplaced) {
    test::TempFolder folder;
    folder.write("top/a", "old");
    IndexOptions options;
    options.root = folder.at("top");
    ContentRoot root(options, [](Severity, const std::string&) {});
    EXPECT_EQ(read(root.open("a")), "old");
    folder.write("next/a", "new");
    folder.rename("top", "gone");
    EXPECT_FALSE(root.open("a"));
    folder.rename("next", "top");
    EXPECT_EQ(read(root.open("a")), "new");
}

} // namespace
} // namespace saker::routing
