#include "os/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace saker::os {
namespace {

TEST(Process, UsageIsPlausible) {
    ProcessUsage before = processUsage();
    EXPECT_GT(before.residentBytes, 100'000u);
    EXPECT_GE(before.threads, 1u);
    ProcessUsage after;
    do { // until the clocks have moved
        after = processUsage();
    } while (after.takenMicros < before.takenMicros + 2000 || after.cpuMicros == before.cpuMicros);
    EXPECT_GT(cpuPercent(before, after), 0);
}

TEST(Process, CpuPercent) {
    ProcessUsage before;
    before.takenMicros = 1'000'000;
    before.cpuMicros = 500'000;
    ProcessUsage after = before;
    EXPECT_EQ(cpuPercent(before, after), 0);
    after.takenMicros += 1'000'000;
    after.cpuMicros += 1'500'000;
    EXPECT_DOUBLE_EQ(cpuPercent(before, after), 150);
    EXPECT_EQ(cpuPercent(after, before), 0);
}

TEST(Process, StartAndUptimeAgree) {
    EXPECT_EQ(processId(), static_cast<std::uint64_t>(::getpid()));
    std::int64_t now = ::time(nullptr);
    EXPECT_NEAR(static_cast<double>(processStartTime() + static_cast<std::int64_t>(uptimeSeconds())),
                static_cast<double>(now), 2);
}

TEST(Process, DescriptorLimitIsRaised) {
    struct rlimit limit {};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    struct rlimit low = limit;
    low.rlim_cur = std::min<rlim_t>(limit.rlim_max, 64);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
    auto raised = raiseDescriptorLimit();
    ASSERT_TRUE(raised.ok()) << raised.error().text();
    EXPECT_EQ(raised->before, low.rlim_cur);
    EXPECT_EQ(raised->now, limit.rlim_max);
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

TEST(Process, PortHolderNamesThisProcess) {
    for (int family : {AF_INET, AF_INET6}) {
        int listener = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (listener < 0) {
            continue; // no IPv6 here
        }
        sockaddr_in four{};
        sockaddr_in6 six{};
        four.sin_family = AF_INET;
        four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        six.sin6_family = AF_INET6;
        six.sin6_addr = in6addr_loopback;
        auto* address =
            family == AF_INET ? reinterpret_cast<sockaddr*>(&four) : reinterpret_cast<sockaddr*>(&six);
        socklen_t size = family == AF_INET ? sizeof four : sizeof six;
        if (::bind(listener, address, size) == 0 && ::listen(listener, 1) == 0 &&
            ::getsockname(listener, address, &size) == 0) {
            std::uint16_t port = ntohs(family == AF_INET ? four.sin_port : six.sin6_port);
            EXPECT_THAT(portHolder(port), testing::EndsWith(fmt::format("(pid {})", ::getpid())));
        }
        ::close(listener);
    }
    EXPECT_EQ(portHolder(1), "");
}

} // namespace
} // namespace saker::os
