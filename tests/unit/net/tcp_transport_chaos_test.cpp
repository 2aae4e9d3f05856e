// Connections whose both sides do what comes to their mind. Nothing is asserted but that every byte that
// arrives is the right one, that every transport ends, and (by the sanitizers) that nobody touches what is
// gone.
#include "net/tcp_transport.h"
#include "unit/loop/loop_fixture.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

namespace saker::net {
namespace {

using loop::makePair;
using loop::Pair;
using loop::pattern;
using loop::Peer;
using loop::Submitted;

class Chaos;

class Restless final : public TransportUser {
public:
    Restless(Chaos& chaos, TcpTransport& transport) : chaos_(chaos), transport_(transport) {}
    void onData(std::span<const char>) override { act(); }
    void onPeerClosed() override { act(true); }
    void onDrained() override { act(); }
    void onBroken(int) override { transport_.close(); }
    void onClosed() override;

private:
    void act(bool last = false);

    Chaos& chaos_;
    TcpTransport& transport_;
    std::uint64_t sent_ = 0;
};

class Chaos : public loop::LoopFixture {
public:
    std::mt19937_64 random_{GetParam().seed};
    std::string content_ = pattern(400'000);
    Ref<FileHandle> file_;
    std::vector<std::unique_ptr<Restless>> users_;

    unsigned roll(unsigned sides) { return static_cast<unsigned>(random_() % sides); }

protected:
    void SetUp() override {
        LoopFixture::SetUp();
        const auto path =
            std::filesystem::temp_directory_path() / ("saker-chaos-" + std::to_string(::getpid()));
        std::ofstream(path, std::ios::binary) << content_;
        file_ = makeRef<FileHandle>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        std::filesystem::remove(path);
    }
};
INSTANTIATE_TEST_SUITE_P(Backends, Chaos, loop::everyBackend(),
                         [](const auto& info) { return loop::variantName(info.param); });

void Restless::onClosed() {
    auto& users = chaos_.users_;
    users.erase(
        std::find_if(users.begin(), users.end(), [this](const auto& user) { return user.get() == this; }));
}

void Restless::act(bool last) {
    switch (chaos_.roll(last ? 4 : 12)) {
    case 0:
        transport_.close();
        return;
    case 1:
        transport_.close(true);
        return;
    case 2:
        transport_.lingerAndClose();
        return;
    case 3:
        transport_.shutdownWrite();
        if (last) {
            transport_.close();
        }
        return;
    case 4:
        transport_.pauseReading();
        transport_.resumeReading();
        return;
    default:
        break;
    }
    // Whatever is written continues the same endless pattern.
    BufferChain chain;
    for (unsigned i = chaos_.roll(4); i > 0; --i) {
        const std::uint64_t at = sent_ % chaos_.content_.size();
        const std::uint64_t size =
            std::min<std::uint64_t>(1 + chaos_.roll(1U << chaos_.roll(18)), chaos_.content_.size() - at);
        if (chaos_.roll(3) == 0) {
            chain.appendFile(chaos_.file_, at, size);
        } else {
            chain.appendStatic(std::string_view(chaos_.content_).substr(at, size));
        }
        sent_ += size;
    }
    if (transport_.write(chain) == Submitted::failed && chaos_.roll(2) == 0) {
        transport_.close(); // otherwise onBroken or the receiving side ends it
    }
}

TEST_P(Chaos, endsWell) {
    std::vector<std::thread> peers;
    for (unsigned i = 0; i < 60; ++i) {
        Pair pair = makePair();
        TcpTransport& transport = TcpTransport::open(*loop_, pair.native, loop::SocketAddress{});
        users_.push_back(std::make_unique<Restless>(*this, transport));
        transport.start(*users_.back());
        peers.emplace_back([peer = std::move(pair.peer), seed = roll(1000), this]() mutable {
            std::mt19937_64 random(seed);
            timeval patience{0, 20'000};
            ::setsockopt(peer.fd(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
            ::setsockopt(peer.fd(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
            std::uint64_t got = 0;
            for (unsigned step = 0; step < 15; ++step) {
                peer.send(std::string(1 + random() % 3000, 'x'));
                const std::string bytes = peer.receive(random() % 200'000);
                for (std::size_t k = 0; k < bytes.size(); k += 97) {
                    EXPECT_EQ(bytes[k], content_[(got + k) % content_.size()]);
                }
                got += bytes.size();
            }
            if (random() % 2 == 0) {
                const linger now{1, 0};
                ::setsockopt(peer.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
            }
        });
    }
    runUntil([&] { return users_.empty(); });
    for (std::thread& peer : peers) {
        peer.join();
    }
    EXPECT_EQ(loop_->socketCount(), 0U);
}

} // namespace
} // namespace saker::net
