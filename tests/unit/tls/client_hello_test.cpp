#include "tls/client_hello.h"

#include <gtest/gtest.h>

#include <string>

namespace saker::tls {
namespace {

std::string_view nameOf(const std::string& body) {
    return serverNameOf({reinterpret_cast<const unsigned char*>(body.data()), body.size()});
}

std::string bodyOf(const std::string& name, int type = 0) {
    auto number = [](std::size_t n) {
        return std::string{static_cast<char>(n >> 8), static_cast<char>(n & 255)};
    };
    return number(name.size() + 3) + static_cast<char>(type) + number(name.size()) + name;
}

TEST(ServerName, isReadAsItWasSent) {
    for (const std::string& name : {std::string("example.com"), std::string("EXAMPLE.com"), std::string("x"),
                                    std::string(255, 'a'), std::string("nul\0inside", 10)}) {
        EXPECT_EQ(nameOf(bodyOf(name)), name);
    }
}

TEST(ServerName, isEmptyWhereTheBodyIsMalformed) {
    const std::string good = bodyOf("example.com");
    for (std::size_t cut = 0; cut < good.size(); ++cut) {
        EXPECT_EQ(nameOf(good.substr(0, cut)), "") << cut;
    }
    EXPECT_EQ(nameOf(good + "x"), "");
    EXPECT_EQ(nameOf(bodyOf("example.com", 1)), "");
    EXPECT_EQ(nameOf(bodyOf("")), "");
    std::string longer = good;
    longer[4] = static_cast<char>(longer[4] + 1); // the name is said to be longer than the list
    EXPECT_EQ(nameOf(longer), "");
}

} // namespace
} // namespace saker::tls
