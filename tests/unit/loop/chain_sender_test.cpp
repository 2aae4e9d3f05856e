#include "loop/chain_sender.h"

#include "unit/loop/loop_fixture.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

namespace saker::loop {
namespace {

using Stop = SendProgress::Stop;

class ChainSenderTest : public ::testing::Test {
protected:
    void SetUp() override {
        path_ = std::filesystem::temp_directory_path() / ("saker-sender-" + std::to_string(::getpid()));
        Pair pair = makePair();
        peer_ = std::move(pair.peer);
        socket_ = Peer(static_cast<int>(pair.native));
    }
    void TearDown() override {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    Ref<FileHandle> makeFile(std::string_view content) {
        std::ofstream(path_, std::ios::binary) << content;
        return makeRef<FileHandle>(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    }

    std::filesystem::path path_;
    Peer peer_;
    Peer socket_;
};

TEST_F(ChainSenderTest, finishesAndReportsWhatLeft) {
    BufferChain chain;
    chain.appendStatic("head");
    chain.appendFile(makeFile("0123456789"), 2, 5);
    const SendProgress progress = sendChain(socket_.fd(), chain, {.budget = 1'000'000, .askMemory = true});
    EXPECT_EQ(progress.stop, Stop::finished);
    EXPECT_EQ(progress.sent, 9U);
    EXPECT_TRUE(chain.empty());
    EXPECT_EQ(peer_.receive(9), "head23456");
}

TEST_F(ChainSenderTest, stopsWhenTheSocketIsFullOrTheTurnIsOver) {
    const std::string content = pattern(30'000'000);
    BufferChain chain;
    for (std::size_t i = 0; i < 3000; ++i) {
        chain.appendStatic(std::string_view(content).substr(i * 10'000, 10'000));
    }
    const SendProgress turn = sendChain(socket_.fd(), chain, {.budget = 1000, .askMemory = true});
    EXPECT_EQ(turn.stop, Stop::budget);
    EXPECT_GE(turn.sent, 1000U);
    const SendProgress rest = sendChain(socket_.fd(), chain, {.budget = UINT64_MAX, .askMemory = true});
    EXPECT_EQ(rest.stop, Stop::full);
    EXPECT_EQ(turn.sent + rest.sent + chain.size(), content.size());
    EXPECT_TRUE(peer_.receive(turn.sent + rest.sent) == content.substr(0, turn.sent + rest.sent));
}

TEST_F(ChainSenderTest, breaksOnAShortFileAndOnADeadSocket) {
    BufferChain chain;
    chain.appendFile(makeFile("abc"), 0, 4);
    const SendProgress shortened = sendChain(socket_.fd(), chain, {.budget = UINT64_MAX, .askMemory = true});
    EXPECT_EQ(shortened.stop, Stop::broken);
    EXPECT_EQ(shortened.error, EIO);
    EXPECT_EQ(shortened.sent, 3U);

    ::shutdown(socket_.fd(), SHUT_WR);
    chain.clear();
    chain.appendStatic("x");
    const SendProgress dead = sendChain(socket_.fd(), chain, {.budget = UINT64_MAX, .askMemory = true});
    EXPECT_EQ(dead.stop, Stop::broken);
    EXPECT_EQ(dead.error, EPIPE);
}

TEST_F(ChainSenderTest, headAndFileShareAPacket) {
    // Without MSG_MORE the head would be a packet of its own: the socket has no delay.
    const int one = 1;
    ::setsockopt(socket_.fd(), IPPROTO_TCP, 1 /* TCP_NODELAY */, &one, sizeof one);
    BufferChain chain;
    chain.appendStatic("head");
    const SendProgress head = sendChain(socket_.fd(), chain, {.budget = UINT64_MAX, .askMemory = true});
    ASSERT_EQ(head.stop, Stop::finished);
    EXPECT_EQ(peer_.receive(4), "head");
    chain.appendStatic("head");
    chain.appendFile(makeFile("file"), 0, 4);
    ASSERT_EQ(sendChain(socket_.fd(), chain, {.budget = UINT64_MAX, .askMemory = true}).stop, Stop::finished);
    std::string got(8, '\0');
    EXPECT_EQ(::recv(peer_.fd(), got.data(), got.size(), 0), 8);
    EXPECT_EQ(got, "headfile");
}

TEST_F(ChainSenderTest, corksALongFileUntilItHasLeft) {
    const std::string content = pattern(2 * kFileWindow + 1);
    BufferChain chain;
    chain.appendFile(makeFile(content), 0, content.size());
    bool corked = false;
    ASSERT_EQ(sendChain(socket_.fd(), chain, {.budget = kFileWindow, .corked = &corked}).stop, Stop::budget);
    EXPECT_TRUE(corked);
    int option = 0;
    socklen_t size = sizeof option;
    ::getsockopt(socket_.fd(), IPPROTO_TCP, 3 /* TCP_CORK */, &option, &size);
    EXPECT_EQ(option, 1);
    std::string got = peer_.receive(kFileWindow / 2); // makes room for the rest
    while (sendChain(socket_.fd(), chain, {.corked = &corked}).stop != Stop::finished) {
        got += peer_.receive(1);
    }
    EXPECT_FALSE(corked);
    ::getsockopt(socket_.fd(), IPPROTO_TCP, 3, &option, &size);
    EXPECT_EQ(option, 0);
    EXPECT_TRUE(got + peer_.receive(content.size() - got.size()) == content);
}

TEST_F(ChainSenderTest, doesNotTouchAFileThatIsNotInMemory) {
    const std::string content = pattern(4'000'000);
    const Ref<FileHandle> file = makeFile(content);
    const int fd = static_cast<int>(file->native());
    ::fsync(fd);
    ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    BufferChain chain;
    chain.appendStatic("head");
    chain.appendFile(file, 1'000'000, 1'000'000);
    const SendProgress cold = sendChain(socket_.fd(), chain, {.budget = UINT64_MAX, .askMemory = true});
    if (cold.stop != Stop::cold) {
        GTEST_SKIP() << "this file system keeps every file in memory or cannot say";
    }
    EXPECT_EQ(cold.sent, 4U);
    EXPECT_EQ(chain.size(), 1'000'000U);
    // Read meanwhile: one window goes without being asked about, whatever has become of it.
    const SendProgress warm = sendChain(socket_.fd(), chain, {.budget = 1, .warm = true, .askMemory = true});
    EXPECT_EQ(warm.stop, Stop::budget);
    EXPECT_GT(warm.sent, 0U);
    EXPECT_EQ(peer_.receive(4 + warm.sent), "head" + content.substr(1'000'000, warm.sent));
}

} // namespace
} // namespace saker::loop
