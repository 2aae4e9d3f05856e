// The files under resources/ that come from the table of settings are what the table says today. With
// SAKER_UPDATE=1 in the environment they are written anew instead.

#include "host/config_texts.h"
#include "schema/document.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <sstream>

namespace saker::host {
namespace {

struct Generated {
    const char* path;
    std::function<std::string()> make;
};

class ConfigDocs : public ::testing::TestWithParam<Generated> {};

TEST_P(ConfigDocs, AreWhatTheTableSays) {
    const std::string path = std::string(SAKER_SOURCE_FOLDER) + "/" + GetParam().path;
    const std::string expected = GetParam().make();
    if (const char* update = std::getenv("SAKER_UPDATE"); update && std::string(update) == "1") {
        std::ofstream(path, std::ios::binary) << expected;
    }
    std::ostringstream found;
    found << std::ifstream(path, std::ios::binary).rdbuf();
    // One line, not a wall of text: how to proceed matters more than the difference, which git shows.
    EXPECT_TRUE(found.str() == expected)
        << GetParam().path << " is out of date; run this test with SAKER_UPDATE=1 and "
        << "look at what changed";
}

INSTANTIATE_TEST_SUITE_P(All, ConfigDocs,
                         ::testing::Values(Generated{"resources/config/saker.json", defaultConfigText},
                                           Generated{"resources/schema/saker.schema.json", configSchemaText},
                                           Generated{"resources/docs/reference/configuration.md",
                                                     configReferenceText}),
                         [](const auto& info) {
                             std::string name = info.param.path;
                             return name.substr(name.rfind('.') + 1) + std::to_string(info.index);
                         });

TEST(DefaultConfig, EveryEstablishedKeyIsInTheDefaultFileInItsOrder) {
    auto result = schema::read(defaultConfigText());
    ASSERT_TRUE(result.ok());
    const auto& members = result.document.root().members;
    ASSERT_GE(members.size(), establishedKeys().size());
    for (std::size_t i = 0; i < establishedKeys().size(); ++i) {
        EXPECT_EQ(members[i].key, establishedKeys()[i]);
    }
}

} // namespace
} // namespace saker::host
