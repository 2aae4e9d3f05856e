#include "routing/extension_table.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace saker::routing {
namespace {

TEST(ExtensionTable, GivesNumbersOnceAndForAll) {
    ExtensionTable table;
    const ExtensionId html = table.id("html");
    EXPECT_NE(html, 0);
    EXPECT_EQ(table.id("HTML"), html);
    EXPECT_EQ(table.text(html), "html");
    EXPECT_NE(table.id("php"), html);
    EXPECT_EQ(table.id(""), 0);
    EXPECT_EQ(table.text(0), "");
    EXPECT_EQ(table.text(65535), "");
}

TEST(ExtensionTable, TakesWhatIsBehindTheLastDot) {
    ExtensionTable table;
    for (auto [name, extension] :
         {std::pair{"a.html", "html"}, std::pair{"a.tar.GZ", "gz"}, std::pair{".htaccess", "htaccess"},
          std::pair{"none", ""}, std::pair{"end.", ""}, std::pair{"x._cs", "_cs"}}) {
        EXPECT_EQ(table.text(table.idOfFile(name)), extension) << name;
    }
}

TEST(ExtensionTable, FilesCannotUseUpWhatTheConfigurationNeeds) {
    ExtensionTable table;
    for (int i = 0; i < 70'000; ++i) {
        table.idOfFile("file." + std::to_string(i));
    }
    EXPECT_EQ(table.idOfFile("file.zzz"), 0);
    const ExtensionId zzz = table.id("zzz");
    EXPECT_NE(zzz, 0);
    EXPECT_EQ(table.text(zzz), "zzz");
    EXPECT_EQ(table.idOfFile("file.zzz"), zzz);
}

TEST(ExtensionTable, IsReadWhileItGrows) {
    ExtensionTable table;
    std::thread writer([&] {
        for (int i = 0; i < 3000; ++i) {
            table.id(std::to_string(i));
        }
    });
    for (int i = 0; i < 3000; ++i) {
        const std::string_view text = table.text(static_cast<ExtensionId>(i % 2000 + 1));
        EXPECT_TRUE(text.empty() || text == std::to_string(i % 2000)) << text;
    }
    writer.join();
}

} // namespace
} // namespace saker::routing
