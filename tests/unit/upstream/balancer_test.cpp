#include "upstream/balancer.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace saker::upstream {
namespace {

const std::vector<Balancer::Server> kThree{{"a", 5}, {"b", 1}, {"c", 1}};

std::string choices(Balancer& balancer, int count, std::uint64_t now = 0, const Balancer::Wish& wish = {}) {
    std::string made;
    for (int i = 0; i < count; ++i) {
        const auto server = balancer.begin(wish, now);
        made += server ? static_cast<char>('a' + *server) : '-';
        if (server) {
            balancer.end(*server);
        }
    }
    return made;
}

TEST(BalancerTest, GoesRoundSmoothlyByWeight) {
    Balancer balancer({}, kThree);
    EXPECT_EQ(choices(balancer, 14), "aabacaaaabacaa");
}

TEST(BalancerTest, PassesOverWhatWasTriedAndEndsWhenAllWere) {
    Balancer balancer({}, kThree);
    EXPECT_EQ(choices(balancer, 3, 0, {{}, {}, 0b011}), "ccc");
    EXPECT_EQ(choices(balancer, 1, 0, {{}, {}, 0b111}), "-");
}

TEST(BalancerTest, PrefersTheIdlest) {
    Balancer balancer({BalancePolicy::leastConnections}, {{"a", 2}, {"b", 1}});
    std::map<std::size_t, int> under;
    for (int i = 0; i < 9; ++i) {
        ++under[*balancer.begin({}, 0)];
    }
    EXPECT_EQ(under[0], 6);
    EXPECT_EQ(under[1], 3);
    balancer.end(1);
    EXPECT_EQ(balancer.begin({}, 0), 1u);
}

TEST(BalancerTest, KeepsClientsByAddressAndMovesFewWhenOneIsDown) {
    Balancer balancer({BalancePolicy::clientAddress, 1, 1000}, {{"a", 1}, {"b", 1}, {"c", 1}});
    std::map<std::string, char> before;
    std::set<char> used;
    for (int i = 0; i < 60; ++i) {
        const std::string client = "10.0.0." + std::to_string(i);
        const std::string twice = choices(balancer, 2, 0, {client});
        EXPECT_EQ(twice[0], twice[1]);
        used.insert(before[client] = twice[0]);
    }
    EXPECT_EQ(used.size(), 3u);
    EXPECT_TRUE(balancer.failed(1, 0));
    for (const auto& [client, server] : before) {
        const char now = choices(balancer, 1, 1, {client})[0];
        EXPECT_EQ(now == server, server != 'b') << client;
    }
}

TEST(BalancerTest, FollowsACookieWhileItsServerIsUp) {
    Balancer balancer({BalancePolicy::cookie, 1, 1000}, {{"a", 1}, {"b", 1}});
    Balancer other({BalancePolicy::cookie}, {{"b", 1}, {"a", 1}});
    EXPECT_EQ(balancer.cookieOf(0), other.cookieOf(1)) << "the same wherever it stands";
    EXPECT_EQ(choices(balancer, 3, 0, {{}, balancer.cookieOf(1)}), "bbb");
    EXPECT_EQ(choices(balancer, 2, 0, {{}, "made up"}), "ab");
    balancer.failed(1, 0);
    EXPECT_EQ(choices(balancer, 2, 0, {{}, balancer.cookieOf(1)}), "aa");
}

TEST(BalancerTest, LeavesOutWhoFailsAndLetsOneTryAgain) {
    Balancer balancer({BalancePolicy::roundRobin, 2, 1000}, {{"a", 1}, {"b", 1}});
    EXPECT_FALSE(balancer.failed(0, 0));
    balancer.succeeded(0);
    EXPECT_FALSE(balancer.failed(0, 0));
    EXPECT_TRUE(balancer.failed(0, 0));
    EXPECT_FALSE(balancer.failed(0, 0)) << "known already";
    EXPECT_EQ(choices(balancer, 3, 999), "bbb");
    EXPECT_EQ(choices(balancer, 4, 1000), "abbb") << "one may try";
    balancer.succeeded(0);
    EXPECT_NE(choices(balancer, 2, 1001).find("a"), std::string::npos) << "it takes its turns again";
}

TEST(BalancerTest, AsksSomebodyWhenAllAreDown) {
    Balancer balancer({BalancePolicy::roundRobin, 1, 1000}, {{"a", 1}, {"b", 1}});
    balancer.failed(0, 0);
    balancer.failed(1, 100);
    EXPECT_EQ(choices(balancer, 1, 200), "a");
    EXPECT_EQ(choices(balancer, 1, 200), "b");
    Balancer never({BalancePolicy::roundRobin, 0, 1000}, {{"a", 1}});
    EXPECT_FALSE(never.failed(0, 0));
}

} // namespace
} // namespace saker::upstream
