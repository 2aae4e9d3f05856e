// EventLoop::write over every backend: chains of memory and files.
#include "loop/worker_pool.h"
#include "unit/loop/loop_fixture.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <thread>

namespace saker::loop {
namespace {

class WriteTest : public LoopFixture {
protected:
    LoopOptions options() override {
        LoopOptions options = LoopFixture::options();
        options.workers = &workers_;
        return options;
    }
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() / ("saker-write-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
        LoopFixture::SetUp();
        if (loop_) {
            Pair pair = makePair();
            peer_ = std::move(pair.peer);
            socket_ = std::make_unique<Recorder>(*loop_);
            loop_->adopt(*socket_, pair.native);
        }
    }
    void TearDown() override {
        if (socket_ && !socket_->released) {
            socket_->release();
            runUntil([&] { return socket_->released; });
        }
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    Ref<FileHandle> makeFile(const std::string& content, bool cold = false) {
        const std::filesystem::path path = folder_ / "file";
        std::ofstream(path, std::ios::binary) << content;
        const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        EXPECT_GE(fd, 0);
        if (cold) {
            ::fsync(fd);
            ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        }
        return makeRef<FileHandle>(fd);
    }
    /// Writes the chain and returns what the peer got, ended by a half-close.
    std::string deliver(BufferChain& chain) {
        const std::uint64_t size = chain.size();
        std::string got;
        std::thread reader([&] { got = peer_.receive(); });
        const Submitted submitted = socket_->write(chain);
        EXPECT_NE(submitted, Submitted::failed);
        if (submitted == Submitted::pending) {
            runUntil([&] { return socket_->written != -1; });
            EXPECT_EQ(socket_->written, 0);
            EXPECT_EQ(socket_->progress, size);
        }
        loop_->shutdownWrite(*socket_);
        reader.join();
        return got;
    }

    WorkerPool workers_{2}; // outlived by the loop's work: every test waits for its completions
    std::filesystem::path folder_;
    Peer peer_;
    std::unique_ptr<Recorder> socket_;
};
INSTANTIATE_TEST_SUITE_P(Backends, WriteTest, everyBackend(),
                         [](const auto& info) { return variantName(info.param); });

TEST_P(WriteTest, sendsOnePiece) {
    BufferChain chain;
    chain.appendStatic("hello");
    EXPECT_EQ(deliver(chain), "hello");
}

TEST_P(WriteTest, sendsNothingAtOnce) {
    BufferChain chain;
    EXPECT_EQ(socket_->write(chain), Submitted::done);
}

TEST_P(WriteTest, sendsManySmallPieces) {
    BufferChain chain;
    std::string expected;
    for (int i = 0; i < 300; ++i) {
        expected += "<" + std::to_string(i) + ">";
        chain.append("<" + std::to_string(i) + ">");
    }
    EXPECT_EQ(deliver(chain), expected);
}

TEST_P(WriteTest, sendsMoreThanTheSocketHolds) {
    BufferChain chain;
    const std::string content = pattern(20'000'000);
    chain.appendStatic(std::string_view(content).substr(0, 9'000'000));
    chain.appendStatic(std::string_view(content).substr(9'000'000));
    EXPECT_TRUE(deliver(chain) == content);
}

TEST_P(WriteTest, sendsMemoryAndFilesInOrder) {
    for (const std::size_t size : {std::size_t{1}, std::size_t{5000}, std::size_t{300'000}}) {
        const std::string content = pattern(size + 20);
        const Ref<FileHandle> file = makeFile(content);
        BufferChain chain;
        chain.append(std::string("head:"));
        chain.appendFile(file, 10, size);
        chain.append(std::string(":middle:"));
        chain.appendFile(file, 0, 7);
        chain.append(std::string(":tail"));
        BufferChain again;
        again.appendStatic("");
        std::string got;
        const std::string expected =
            "head:" + content.substr(10, size) + ":middle:" + content.substr(0, 7) + ":tail";
        std::thread reader([&] { got = peer_.receive(expected.size()); });
        socket_->written = -1;
        if (socket_->write(chain) == Submitted::pending) {
            runUntil([&] { return socket_->written != -1; });
            EXPECT_EQ(socket_->written, 0);
        }
        reader.join();
        EXPECT_TRUE(got == expected) << size;
    }
}

TEST_P(WriteTest, sendsABigColdFile) {
    const std::string content = pattern(12'000'000);
    BufferChain chain;
    chain.append(std::string("head"));
    chain.appendFile(makeFile(content, true), 0, content.size());
    EXPECT_TRUE(deliver(chain) == "head" + content);
}

TEST_P(WriteTest, breaksWhenAFileIsShorterThanPromised) {
    BufferChain chain;
    chain.append(std::string("head"));
    chain.appendFile(makeFile("short"), 0, 100'000);
    chain.append(std::string("never sent"));
    std::string got;
    std::thread reader([&] { got = peer_.receive(); });
    const Submitted submitted = socket_->write(chain);
    if (submitted == Submitted::pending) {
        runUntil([&] { return socket_->written != -1; });
        EXPECT_EQ(socket_->written, GetParam().kind == BackendKind::fault ? socket_->written : EIO);
        EXPECT_NE(socket_->written, 0);
    }
    socket_->release();
    runUntil([&] { return socket_->released; });
    turns(1);
    reader.join();
    EXPECT_EQ(got, std::string("headshort").substr(0, got.size()));
}

TEST_P(WriteTest, breaksWhenAFileShrinksWhileItIsSent) {
    const std::string content = pattern(30'000'000);
    const Ref<FileHandle> file = makeFile(content);
    BufferChain chain;
    chain.appendFile(file, 0, content.size());
    ASSERT_EQ(socket_->write(chain), Submitted::pending); // nobody reads yet
    std::filesystem::resize_file(folder_ / "file", 20'000'000);
    std::string got;
    std::thread reader([&] { got = peer_.receive(); });
    runUntil([&] { return socket_->written != -1; });
    EXPECT_NE(socket_->written, 0);
    socket_->release();
    runUntil([&] { return socket_->released; });
    turns(1);
    reader.join();
    EXPECT_LE(got.size(), 20'000'000U);
    EXPECT_TRUE(content.compare(0, got.size(), got) == 0);
}

TEST_P(WriteTest, tellsOfAPeerThatIsGone) {
    const linger now{1, 0};
    ::setsockopt(peer_.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    peer_.close();
    BufferChain chain;
    const std::string content = pattern(1'000'000);
    chain.appendStatic(content);
    const Submitted submitted = socket_->write(chain);
    ASSERT_NE(submitted, Submitted::done);
    if (submitted == Submitted::pending) {
        runUntil([&] { return socket_->written != -1; });
        EXPECT_TRUE(socket_->written == ECONNRESET || socket_->written == EPIPE) << socket_->written;
    }
}

TEST_P(WriteTest, survivesSendingAFileToAPeerThatIsGone) {
    const std::string content = pattern(1'000'000);
    const Ref<FileHandle> file = makeFile(content);
    peer_.close();
    for (int i = 0; i < 3; ++i) { // the first draws the reset, which the next ones meet
        BufferChain chain;
        chain.appendFile(file, 0, content.size());
        socket_->written = -1;
        if (socket_->write(chain) == Submitted::pending) {
            runUntil([&] { return socket_->written != -1; });
        }
        turns(2);
    }
}

TEST_P(WriteTest, endsAWriteThatIsReleased) {
    const std::string content = pattern(20'000'000);
    BufferChain chain;
    chain.appendStatic(content);
    chain.appendFile(makeFile("file"), 0, 4);
    ASSERT_EQ(socket_->write(chain), Submitted::pending);
    turns(2);
    socket_->release();
    EXPECT_EQ(socket_->written, -1);
    runUntil([&] { return socket_->released; });
    EXPECT_EQ(socket_->written, ECANCELED);
}

TEST_P(WriteTest, mayBeReleasedWhileProgressIsTold) {
    const std::string content = pattern(20'000'000);
    BufferChain chain;
    chain.appendStatic(content);
    socket_->onProgress = [&] { socket_->release(); };
    std::thread reader([&] { (void)peer_.receive(); });
    ASSERT_EQ(socket_->write(chain), Submitted::pending);
    runUntil([&] { return socket_->released; });
    turns(1);
    reader.join();
    EXPECT_EQ(socket_->written, ECANCELED);
}

TEST_P(WriteTest, keepsPiecesAliveUntilTheyHaveLeft) {
    struct Keeper final : RefCounted {
        explicit Keeper(bool& alive) : alive(alive) { alive = true; }
        ~Keeper() override { alive = false; }
        bool& alive;
        std::string bytes = pattern(5'000'000);
    };
    bool alive = false;
    BufferChain chain;
    {
        auto keeper = makeRef<Keeper>(alive);
        chain.append(std::string_view(keeper->bytes), keeper);
    }
    ASSERT_EQ(socket_->write(chain), Submitted::pending);
    turns(2);
    EXPECT_TRUE(alive);
    std::string got;
    std::thread reader([&] { got = peer_.receive(5'000'000); });
    runUntil([&] { return socket_->written == 0; });
    reader.join();
    EXPECT_FALSE(alive);
    EXPECT_TRUE(got == pattern(5'000'000));
}

TEST_P(WriteTest, writesWhileReceiving) {
    loop_->receive(*socket_, *socket_);
    const std::string content = pattern(3'000'000);
    std::string got;
    std::thread peer([&] {
        std::thread reader([&] { got = peer_.receive(content.size()); });
        peer_.send(content);
        reader.join();
    });
    BufferChain chain;
    chain.appendStatic(content);
    const Submitted submitted = socket_->write(chain);
    runUntil([&] {
        return socket_->received.size() == content.size() &&
               (submitted == Submitted::done || socket_->written == 0);
    });
    peer.join();
    EXPECT_TRUE(socket_->received == content);
    EXPECT_TRUE(got == content);
}

} // namespace
} // namespace saker::loop
