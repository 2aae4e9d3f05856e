#include "os/service_notify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace saker::os {
namespace {

using testing::MatchesRegex;

/// The service manager's end.
class Manager {
public:
    explicit Manager(const std::string& name) : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, name.data(), name.size());
        std::size_t size = offsetof(sockaddr_un, sun_path) + name.size();
        if (name[0] == '@') {
            address.sun_path[0] = '\0';
        }
        EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), static_cast<socklen_t>(size)), 0);
    }
    ~Manager() { ::close(socket_); }

    std::string next() const {
        std::string text(4096, '\0');
        ssize_t n = ::recv(socket_, text.data(), text.size(), MSG_DONTWAIT);
        text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
        return text;
    }

private:
    int socket_;
};

class ServiceNotifyTest : public testing::TestWithParam<bool> {
protected:
    ServiceNotifyTest() {
        std::string pattern = testing::TempDir() + "saker-notify-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
        name_ = (GetParam() ? "@" : "") + folder_ + "/socket";
    }
    ~ServiceNotifyTest() override { std::filesystem::remove_all(folder_); }
    std::string folder_;
    std::string name_;
};

TEST_P(ServiceNotifyTest, Messages) {
    Manager manager(name_);
    ServiceNotifier notifier(name_);
    EXPECT_TRUE(notifier.isActive());
    EXPECT_TRUE(notifier.ready());
    EXPECT_EQ(manager.next(), "READY=1");
    EXPECT_TRUE(notifier.ready("serving\nREADY=0"));
    EXPECT_EQ(manager.next(), "READY=1\nSTATUS=serving");
    EXPECT_TRUE(notifier.reloading());
    EXPECT_THAT(manager.next(), MatchesRegex("RELOADING=1\nMONOTONIC_USEC=[0-9]+"));
    EXPECT_TRUE(notifier.status("12 requests a second"));
    EXPECT_EQ(manager.next(), "STATUS=12 requests a second");
    EXPECT_TRUE(notifier.watchdog());
    EXPECT_EQ(manager.next(), "WATCHDOG=1");
    EXPECT_TRUE(notifier.mainProcess(123));
    EXPECT_EQ(manager.next(), "MAINPID=123");
    EXPECT_TRUE(notifier.stopping());
    EXPECT_EQ(manager.next(), "STOPPING=1");
}

INSTANTIATE_TEST_SUITE_P(PathAndAbstract, ServiceNotifyTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Abstract" : "Path"; });

TEST(ServiceNotify, WithoutAManagerNothingHappens) {
    EXPECT_FALSE(ServiceNotifier().ready());
    EXPECT_FALSE(ServiceNotifier("relative").ready());
    EXPECT_FALSE(ServiceNotifier("/no/such/socket").ready());
    EXPECT_FALSE(ServiceNotifier("/" + std::string(200, 'x')).ready());
}

TEST(ServiceNotify, Environment) {
    std::string pid = std::to_string(::getpid());
    struct Case {
        const char* micros;
        std::string pid;
        std::optional<std::chrono::microseconds> interval;
    };
    const Case cases[] = {{"30000000", pid, std::chrono::seconds(15)},
                          {"30000000", "", std::chrono::seconds(15)},
                          {"30000000", "1", std::nullopt},
                          {"0", pid, std::nullopt},
                          {"soon", pid, std::nullopt},
                          {"", "", std::nullopt}};
    for (const Case& each : cases) {
        ::setenv("NOTIFY_SOCKET", "/run/x", 1);
        ::setenv("WATCHDOG_USEC", each.micros, 1);
        ::setenv("WATCHDOG_PID", each.pid.c_str(), 1);
        ServiceNotifier notifier = ServiceNotifier::fromEnvironment();
        EXPECT_TRUE(notifier.isActive());
        EXPECT_EQ(notifier.watchdogInterval(), each.interval) << each.micros << " " << each.pid;
        EXPECT_EQ(std::getenv("NOTIFY_SOCKET"), nullptr);
        EXPECT_EQ(std::getenv("WATCHDOG_USEC"), nullptr);
    }
    EXPECT_FALSE(ServiceNotifier::fromEnvironment().isActive());
}

TEST(InheritedSockets, Parse) {
    auto sockets = parseInheritedSockets("42", "3", "http:https", 42);
    ASSERT_EQ(sockets.size(), 3u);
    EXPECT_EQ(sockets[0].native, 3u);
    EXPECT_EQ(sockets[0].name, "http");
    EXPECT_EQ(sockets[1].name, "https");
    EXPECT_EQ(sockets[2].native, 5u);
    EXPECT_EQ(sockets[2].name, "unknown");
    EXPECT_TRUE(parseInheritedSockets("41", "3", "", 42).empty());
    EXPECT_TRUE(parseInheritedSockets("", "", "", 42).empty());
    EXPECT_TRUE(parseInheritedSockets("42", "-1", "", 42).empty());
    EXPECT_TRUE(parseInheritedSockets("42", "99999999", "", 42).empty());
    EXPECT_TRUE(parseInheritedSockets("42", "0", "a:b", 42).empty());
}

TEST(InheritedSockets, AreTakenOnceAndNotPassedOn) {
    int kept = ::fcntl(3, F_GETFD);
    int made = kept < 0 ? ::dup2(STDERR_FILENO, 3) : 3;
    ::fcntl(3, F_SETFD, 0);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", "1", 1);
    ::setenv("LISTEN_FDNAMES", "web", 1);
    auto sockets = takeInheritedSockets();
    ASSERT_EQ(sockets.size(), 1u);
    EXPECT_EQ(sockets[0].name, "web");
    EXPECT_EQ(::fcntl(3, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    EXPECT_TRUE(takeInheritedSockets().empty());
    if (kept < 0) {
        ::close(made);
    } else {
        ::fcntl(3, F_SETFD, kept);
    }
}

} // namespace
} // namespace saker::os
