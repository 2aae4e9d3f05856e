#include "os/local_listener.h"

#include "support/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace saker::os {
namespace {

int connectTo(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    const int handle = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::connect(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(handle);
        return -1;
    }
    return handle;
}

TEST(LocalListener, IsThereForThisUserOnlyAndGoesWithTheObject) {
    const test::TempFolder folder;
    const std::string path = folder.at("a.sock");
    {
        auto listener = LocalListener::open(path);
        ASSERT_TRUE(listener) << listener.error().text();
        struct stat status {};
        ASSERT_EQ(::lstat(path.c_str(), &status), 0);
        EXPECT_EQ(status.st_mode, static_cast<mode_t>(S_IFSOCK | 0600));
        EXPECT_FALSE(LocalListener::open(path)) << "the name is taken";
        const int client = connectTo(path);
        EXPECT_GE(client, 0);
        ::close(client);
        const LocalListener moved = std::move(*listener);
        EXPECT_EQ(moved.path(), path);
        EXPECT_TRUE(std::filesystem::exists(path));
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(LocalListener, TurnsAwayWhoWaits) {
    const test::TempFolder folder;
    auto listener = LocalListener::open(folder.at("a.sock"));
    ASSERT_TRUE(listener);
    listener->turnAwayWaiting(); // nobody waits
    const int client = connectTo(listener->path());
    ASSERT_GE(client, 0);
    listener->turnAwayWaiting();
    char byte = 0;
    EXPECT_EQ(::read(client, &byte, 1), 0);
    ::close(client);
}

TEST(LocalListener, ErrorsNameThePath) {
    const test::TempFolder folder;
    auto missing = LocalListener::open(folder.at("no/such/folder"));
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().kind, ErrorKind::notFound);
    auto lengthy = LocalListener::open(folder.at(std::string(120, 'x')));
    ASSERT_FALSE(lengthy);
    EXPECT_EQ(lengthy.error().kind, ErrorKind::limit);
    EXPECT_THAT(lengthy.error().text(), ::testing::HasSubstr("xxx"));
}

} // namespace
} // namespace saker::os
