#include "host/listen_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace saker::host {
namespace {

using loop::SocketAddress;
using net::ListenSocket;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

SocketAddress address(std::string_view host, std::uint16_t port) {
    return *SocketAddress::parse(host, port);
}

ListenPoint plain(std::string_view host, std::uint16_t port) {
    return {address(host, port), false};
}
ListenPoint secure(std::string_view host, std::uint16_t port) {
    return {address(host, port), true};
}

bool hasIpv6() {
    return static_cast<bool>(ListenSocket::bind(address("::1", 0)));
}

/// A port of an address that is in use for as long as this lives.
struct Taken {
    explicit Taken(std::string_view host = "127.0.0.1")
        : socket(std::move(*ListenSocket::bind(address(host, 0)))) {
        EXPECT_TRUE(socket.listen());
    }
    std::uint16_t port() const { return socket.address().port; }
    ListenSocket socket;
};

/// A port that nobody uses just now.
std::uint16_t freePort(std::string_view host = "127.0.0.1") {
    return Taken(host).port();
}

net::ListenOptions options(std::vector<std::uint16_t> ports,
                           std::vector<std::string> addresses = {"127.0.0.1"}) {
    net::ListenOptions options;
    options.httpPorts = std::move(ports);
    options.httpsPorts.clear();
    options.listenAddresses = std::move(addresses);
    return options;
}

TEST(ListenPlan, OpensKeepsAndCloses) {
    std::uint16_t one = freePort(), two = freePort();
    auto plan = planListeners(options({one, two}), {true, true}, {}, 3);
    ASSERT_TRUE(plan) << plan.error().text();
    ASSERT_THAT(plan->open, SizeIs(2));
    EXPECT_EQ(plan->open[0].point.address, address("127.0.0.1", one));
    EXPECT_THAT(plan->open[0].sockets, SizeIs(3));
    for (const ListenSocket& socket : plan->open[0].sockets) {
        EXPECT_EQ(socket.address(), address("127.0.0.1", one));
    }
    EXPECT_THAT(plan->keep, IsEmpty());
    EXPECT_THAT(plan->close, IsEmpty());

    std::uint16_t three = freePort();
    auto next = planListeners(options({two, three}), {true, true},
                              {plain("127.0.0.1", one), plain("127.0.0.1", two)}, 1);
    ASSERT_TRUE(next) << next.error().text();
    ASSERT_THAT(next->open, SizeIs(1));
    EXPECT_EQ(next->open[0].point.address.port, three);
    EXPECT_THAT(next->keep, testing::ElementsAre(plain("127.0.0.1", two)));
    EXPECT_THAT(next->close, testing::ElementsAre(plain("127.0.0.1", one)));
}

TEST(ListenPlan, FromOneAddressToEveryOneAndBack) {
    Taken one;
    const ListenPoint narrow = plain("127.0.0.1", one.port());
    const ListenPoint wide = plain("0.0.0.0", one.port());
    auto wider = planListeners(options({one.port()}, {"0.0.0.0"}), {true, true}, {narrow}, 2);
    ASSERT_TRUE(wider) << wider.error().text();
    ASSERT_THAT(wider->open, SizeIs(1));
    EXPECT_EQ(wider->open[0].point, wide);
    EXPECT_THAT(wider->close, testing::ElementsAre(narrow));
    for (ListenSocket& socket : wider->open[0].sockets) {
        EXPECT_TRUE(socket.listen());
    }
    auto both = planListeners(options({one.port()}, {"127.0.0.1", "127.0.0.2"}), {true, true}, {wide}, 1);
    ASSERT_TRUE(both) << both.error().text();
    EXPECT_THAT(both->open, SizeIs(2));
    EXPECT_THAT(both->close, testing::ElementsAre(wide));
}

TEST(ListenPlan, EveryAddressBesidesOneOfThem) {
    auto plan = planListeners(options({freePort()}, {"0.0.0.0", "127.0.0.1"}), {true, true}, {}, 1);
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_THAT(plan->open, SizeIs(2));
}

TEST(ListenPlan, APortThatTheUserNamedMustBeHad) {
    Taken taken;
    auto plan = planListeners(options({freePort(), taken.port()}), {true, true}, {}, 1);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::cannotBind);
    EXPECT_THAT(plan.error().text(), HasSubstr("cannot listen on port " + std::to_string(taken.port())));
    EXPECT_THAT(plan.error().text(), testing::EndsWith("."));
    EXPECT_THAT(plan.error().text(),
                HasSubstr("another port. Port " + std::to_string(taken.port()) + " is held by "));
}

TEST(ListenPlan, ADefaultPortIsAWarningWhileAnotherIsLeft) {
    Taken taken;
    auto plan = planListeners(options({taken.port(), freePort()}), {}, {}, 1);
    ASSERT_TRUE(plan);
    EXPECT_THAT(plan->open, SizeIs(1));
    EXPECT_THAT(plan->warnings, testing::ElementsAre(HasSubstr("port " + std::to_string(taken.port()))));
    auto none = planListeners(options({taken.port()}), {}, {}, 1);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::cannotBind);
    // One that is there already is one that is left.
    auto kept = planListeners(options({taken.port(), 7}), {}, {plain("127.0.0.1", 7)}, 1);
    ASSERT_TRUE(kept);
    EXPECT_THAT(kept->open, IsEmpty());
    EXPECT_THAT(kept->warnings, SizeIs(1));
}

TEST(ListenPlan, NoPortAtAll) {
    auto plan = planListeners(options({}), {true, true}, {plain("127.0.0.1", 7)}, 1);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::configuration);
    EXPECT_THAT(plan.error().message, HasSubstr("HttpPorts and HttpsPorts are empty"));
}

TEST(ListenPlan, EveryAddressIsBothFamilies) {
    std::uint16_t port = freePort("0.0.0.0");
    auto plan = planListeners(options({port}, {}), {true, true}, {}, 1);
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_THAT(plan->open, SizeIs(hasIpv6() ? 2 : 1));
    EXPECT_EQ(plan->open[0].point.address, address("0.0.0.0", port));
}

TEST(ListenPlan, HalfAPortIsNotHad) {
    if (!hasIpv6()) {
        GTEST_SKIP() << "this machine has no IPv6";
    }
    for (const char* any : {"0.0.0.0", "::"}) {
        Taken taken(any); // by somebody whom visitors of the other kind would not reach
        auto plan = planListeners(options({taken.port()}, {}), {true, true}, {}, 1);
        ASSERT_FALSE(plan) << any;
        EXPECT_THAT(plan.error().text(), HasSubstr(any));
        // A port that is free now may be somebody else's in a moment.
        auto byDefault = planListeners(options({taken.port(), freePort("0.0.0.0")}, {}), {}, {}, 1);
        for (int tries = 0; tries < 20 && byDefault && byDefault->open.size() != 2; ++tries) {
            byDefault = planListeners(options({taken.port(), freePort("0.0.0.0")}, {}), {}, {}, 1);
        }
        ASSERT_TRUE(byDefault);
        EXPECT_THAT(byDefault->warnings, SizeIs(1)) << any;
        EXPECT_THAT(byDefault->open, SizeIs(2)) << "the other port, on both";
    }
}

TEST(ListenPlan, AnAddressNamedTwiceIsOne) {
    std::uint16_t port = freePort();
    auto plan = planListeners(options({port}, {"127.0.0.1", "127.0.0.2", "127.0.0.1"}), {true, true}, {}, 1);
    ASSERT_TRUE(plan) << plan.error().text();
    EXPECT_THAT(plan->open, SizeIs(2));
}

TEST(ListenPlan, EveryNamedAddressMustBeHad) {
    Taken taken;
    auto plan = planListeners(options({taken.port()}, {"127.0.0.2", "127.0.0.1"}), {true, true}, {}, 1);
    ASSERT_FALSE(plan);
    EXPECT_THAT(plan.error().text(), HasSubstr("127.0.0.1"));
    auto none = planListeners(options({freePort()}, {"no address"}), {true, true}, {}, 1);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::configuration);
}

TEST(ListenPlan, AFreePortIsAskedForAsZero) {
    auto plan = planListeners(options({0}), {true, true}, {}, 2);
    ASSERT_TRUE(plan);
    ASSERT_THAT(plan->open, SizeIs(1));
    EXPECT_EQ(plan->open[0].point.address.port, 0);
    std::uint16_t chosen = plan->open[0].sockets[0].address().port;
    EXPECT_NE(chosen, 0);
    EXPECT_EQ(plan->open[0].sockets[1].address().port, chosen) << "the loops share it";
    auto again = planListeners(options({0}), {true, true}, {plan->open[0].point}, 2);
    ASSERT_TRUE(again);
    EXPECT_THAT(again->open, IsEmpty()) << "a reload keeps the port it got";
}

TEST(ListenPlan, AFreePortIsOneForAllAddresses) {
    auto ports = options({0, 0}, {"127.0.0.1", "127.0.0.2"});
    if (hasIpv6()) {
        ports.listenAddresses.emplace_back("::1");
    }
    const std::size_t addresses = ports.listenAddresses.size();
    ports.httpsPorts = {0};
    auto plan = planListeners(ports, {true, true}, {}, 2);
    ASSERT_TRUE(plan) << plan.error().text();
    ASSERT_THAT(plan->open, SizeIs(3 * addresses));
    std::set<std::uint16_t> chosen;
    for (std::size_t i = 0; i < plan->open.size(); ++i) {
        const std::uint16_t first = plan->open[i / addresses * addresses].sockets[0].address().port;
        EXPECT_EQ(plan->open[i].sockets[0].address().port, first);
        EXPECT_EQ(plan->open[i].sockets[1].address().port, first);
        EXPECT_EQ(plan->open[i].point.address.port, 0);
        chosen.insert(first);
    }
    EXPECT_THAT(chosen, SizeIs(3));
}

TEST(ListenPlan, AllDefaultPortsThatCannotBeHadAreNamed) {
    Taken one, two;
    net::ListenOptions both = options({one.port()});
    both.httpsPorts = {two.port()};
    auto plan = planListeners(both, {false, false}, {}, 1);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::cannotBind);
    EXPECT_THAT(plan.error().text(), HasSubstr(fmt::format("port {}: another program", one.port())));
    EXPECT_THAT(plan.error().text(), HasSubstr(fmt::format("port {}: another program", two.port())));
}

TEST(ListenPlan, KeepsHttpAndHttpsApart) {
    const std::uint16_t one = freePort(), two = freePort();
    net::ListenOptions both = options({one});
    both.httpsPorts = {two};
    auto plan = planListeners(both, {true, true}, {}, 1);
    ASSERT_TRUE(plan) << plan.error().text();
    ASSERT_THAT(plan->open, SizeIs(2));
    EXPECT_EQ(plan->open[0].point, plain("127.0.0.1", one));
    EXPECT_EQ(plan->open[1].point, secure("127.0.0.1", two));
    // The ports change places: joined while the old listeners close.
    ASSERT_TRUE(plan->open[0].sockets[0].listen());
    ASSERT_TRUE(plan->open[1].sockets[0].listen());
    std::swap(both.httpPorts, both.httpsPorts);
    auto next = planListeners(both, {true, true}, {plain("127.0.0.1", one), secure("127.0.0.1", two)}, 1);
    ASSERT_TRUE(next) << next.error().text();
    EXPECT_THAT(next->open, SizeIs(2));
    EXPECT_THAT(next->close, testing::ElementsAre(plain("127.0.0.1", one), secure("127.0.0.1", two)));
}

TEST(ListenPlan, ADefaultHttpsPortThatIsNotHadIsAWarning) {
    Taken taken;
    net::ListenOptions both = options({freePort()});
    both.httpsPorts = {taken.port()};
    auto plan = planListeners(both, {true, false}, {}, 1);
    ASSERT_TRUE(plan);
    EXPECT_THAT(plan->open, SizeIs(1));
    EXPECT_THAT(plan->warnings, SizeIs(1));
    EXPECT_FALSE(planListeners(both, {false, true}, {}, 1));
    both.httpPorts.clear();
    both.httpsPorts = {freePort()};
    EXPECT_TRUE(planListeners(both, {true, true}, {}, 1)) << "HTTPS alone will do";
}

TEST(ListenPlan, PairsThePortsForRedirects) {
    net::ListenOptions ports = options({80, 8080, 9080});
    ports.httpsPorts = {443, 8443};
    auto at = [](std::uint16_t port, bool tls, std::uint16_t actual = 0) {
        return BoundPoint{{address("127.0.0.1", port), tls},
                          address("127.0.0.1", actual != 0 ? actual : port)};
    };
    using Pairs = std::unordered_map<std::uint16_t, std::uint16_t>;
    const std::vector<BoundPoint> all{at(80, false), at(8080, false), at(9080, false), at(443, true),
                                      at(8443, true)};
    EXPECT_EQ(pairPorts(ports, all), (Pairs{{80, 443}, {8080, 8443}, {9080, 443}}));
    EXPECT_EQ(pairPorts(ports, std::vector{at(8080, false), at(8443, true)}), (Pairs{{8080, 8443}}));
    EXPECT_EQ(pairPorts(ports, std::vector{at(80, false), at(8443, true)}), (Pairs{{80, 8443}}));
    EXPECT_EQ(pairPorts(ports, std::vector{at(80, false)}), Pairs());
    ports.httpPorts = {0};
    ports.httpsPorts = {0};
    EXPECT_EQ(pairPorts(ports, std::vector{at(0, false, 50001), at(0, true, 50002)}),
              (Pairs{{50001, 50002}}));
}

TEST(ListenPlan, APlanThatIsNotCarriedOutLeavesNothing) {
    std::uint16_t port = freePort();
    { auto plan = planListeners(options({port}), {true, true}, {}, 2); }
    EXPECT_TRUE(ListenSocket::bind(address("127.0.0.1", port)));
}

} // namespace
} // namespace saker::host
