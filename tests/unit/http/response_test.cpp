#include "http/response.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

TEST(ResponseHead, SetReplacesEveryFieldOfThatName) {
    ResponseHead head;
    head.add("A", "1");
    head.add("B", "2");
    head.add("a", "3");
    head.set("A", "4");
    ASSERT_EQ(head.fields.size(), 2U);
    EXPECT_EQ(head.fields[0].value, "4");
    EXPECT_EQ(head.get("b"), "2");
    head.set("C", "5");
    EXPECT_EQ(head.fields.back().name, "C");
}

TEST(ResponseHead, SetDefaultKeepsWhatIsThere) {
    ResponseHead head;
    EXPECT_TRUE(head.setDefault("Server", "x"));
    EXPECT_FALSE(head.setDefault("server", "y"));
    EXPECT_EQ(head.get("SERVER"), "x");
}

TEST(ResponseHead, RemovesAndTells) {
    ResponseHead head;
    head.add("A", "");
    head.add("a", "");
    EXPECT_TRUE(head.has("A"));
    EXPECT_TRUE(head.get("A").empty());
    EXPECT_TRUE(head.remove("A"));
    EXPECT_FALSE(head.remove("A"));
    EXPECT_FALSE(head.has("A"));
}

TEST(ResponseHead, AddsToListsOnce) {
    ResponseHead head;
    head.addToList("Vary", "Accept-Encoding");
    EXPECT_EQ(head.get("Vary"), "Accept-Encoding");
    head.addToList("vary", "accept-encoding");
    EXPECT_EQ(head.get("Vary"), "Accept-Encoding");
    head.addToList("Vary", "Origin");
    EXPECT_EQ(head.get("Vary"), "Accept-Encoding, Origin");
    head.set("Vary", "*");
    head.addToList("Vary", "Origin");
    EXPECT_EQ(head.get("Vary"), "*");
    head.set("Vary", "");
    head.addToList("Vary", "Origin");
    EXPECT_EQ(head.get("Vary"), "Origin");
    EXPECT_EQ(head.fields.size(), 1U);
}

} // namespace
} // namespace saker::http
