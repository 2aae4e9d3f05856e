// The device on real descriptors: what standard input may be when a program is started.
#include "host/console_device.h"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

namespace saker::host {
namespace {

struct Pipe {
    Pipe() { EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0); }
    ~Pipe() {
        close(0);
        close(1);
    }
    void close(int end) {
        if (ends[end] >= 0) {
            ::close(ends[end]);
            ends[end] = -1;
        }
    }
    int ends[2];
};

class ConsoleDeviceTest : public ::testing::Test {
protected:
    ConsoleDeviceTest() { std::signal(SIGPIPE, SIG_IGN); }
    std::string read(ConsoleDevice& device) {
        char buffer[64];
        return std::string(buffer, device.read(buffer));
    }
    Pipe in, out;
};

TEST_F(ConsoleDeviceTest, readsAPipeUntilItsEnd) {
    auto device = makeConsoleDevice(in.ends[0], out.ends[1]);
    ASSERT_EQ(::write(in.ends[1], "help\n", 5), 5);
    EXPECT_EQ(read(*device), "help\n");
    in.close(1);
    EXPECT_EQ(read(*device), "");
    EXPECT_FALSE(device->isInteractive());
}

TEST_F(ConsoleDeviceTest, theNullDeviceEndsAtOnce) {
    int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    EXPECT_EQ(read(*makeConsoleDevice(null, null)), "");
    ::close(null);
}

TEST_F(ConsoleDeviceTest, aClosedDescriptorEndsAtOnce) {
    int closed = ::fcntl(in.ends[0], F_DUPFD_CLOEXEC, 500); // a number that nothing else takes meanwhile
    ::close(closed);
    auto device = makeConsoleDevice(closed, closed);
    EXPECT_EQ(read(*device), "");
    EXPECT_FALSE(device->write("x"));
}

TEST_F(ConsoleDeviceTest, aDirectoryEndsAtOnce) {
    int folder = ::open("/", O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(read(*makeConsoleDevice(folder, out.ends[1])), "");
    ::close(folder);
}

TEST_F(ConsoleDeviceTest, interruptEndsAWaitForInputAndAllLaterOnes) {
    auto device = makeConsoleDevice(in.ends[0], out.ends[1]);
    std::thread reader([&] { EXPECT_EQ(read(*device), ""); });
    device->interrupt();
    reader.join();
    ASSERT_EQ(::write(in.ends[1], "x", 1), 1);
    EXPECT_EQ(read(*device), "");
}

TEST_F(ConsoleDeviceTest, interruptEndsAWriteThatNobodyReads) {
    auto device = makeConsoleDevice(in.ends[0], out.ends[1]);
    std::thread writer([&] { EXPECT_FALSE(device->write(std::string(1 << 22, 'x'))); });
    device->interrupt();
    writer.join();
}

TEST_F(ConsoleDeviceTest, writesAllWhileSomebodyReads) {
    auto device = makeConsoleDevice(in.ends[0], out.ends[1]);
    std::string text(300000, 'y'), got;
    std::thread reader([&] {
        char buffer[5000];
        while (got.size() < text.size()) {
            ssize_t size = ::read(out.ends[0], buffer, sizeof buffer);
            ASSERT_GT(size, 0);
            got.append(buffer, static_cast<std::size_t>(size));
        }
    });
    EXPECT_TRUE(device->write(text));
    reader.join();
    EXPECT_EQ(got, text);
}

TEST_F(ConsoleDeviceTest, aReaderThatLeftIsNoticed) {
    out.close(0);
    EXPECT_FALSE(makeConsoleDevice(in.ends[0], out.ends[1])->write("x"));
}

} // namespace
} // namespace saker::host
