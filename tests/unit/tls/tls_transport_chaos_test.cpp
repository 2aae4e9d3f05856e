// The transport on real sockets, over every backend: against a blocking client on another thread.
#include "net/tcp_transport.h"
#include "os/file.h"
#include "support/temp_folder.h"
#include "support/test_credentials.h"
#include "tls/tls_transport.h"
#include "unit/loop/loop_fixture.h"

#include <cerrno>
#include <random>
#include <thread>

#include <openssl/err.h>

namespace saker::tls {
namespace {

using loop::makePair;
using loop::Pair;
using loop::pattern;
using loop::Submitted;

/// A blocking client of its own thread.
class BlockingClient {
public:
    BlockingClient(int fd, int version) : context_(SSL_CTX_new(TLS_client_method())) {
        SSL_CTX_set_min_proto_version(context_.get(), version);
        SSL_CTX_set_max_proto_version(context_.get(), version);
        ssl_.reset(SSL_new(context_.get()));
        SSL_set_fd(ssl_.get(), fd);
    }
    bool connect() { return SSL_connect(ssl_.get()) == 1; }
    void write(std::string_view bytes) {
        std::size_t size = 0;
        SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &size);
    }
    std::string read(std::size_t most = SIZE_MAX) {
        std::string got;
        char buffer[16384];
        std::size_t size = 0;
        while (got.size() < most &&
               SSL_read_ex(ssl_.get(), buffer, std::min(sizeof buffer, most - got.size()), &size) == 1) {
            got.append(buffer, size);
        }
        isEnded = (SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0;
        ERR_clear_error();
        return got;
    }
    void sayGoodbye() { SSL_shutdown(ssl_.get()); }
    bool isEnded = false;

private:
    SslContextPtr context_;
    SslPtr ssl_;
};

/// Sends back what it gets, and pauses now and then; a file behind a line that asks for one.
class EchoUser final : public net::TransportUser, private loop::Timer {
public:
    EchoUser(TlsTransport& transport, std::uint64_t seed, std::string file)
        : transport_(transport), random_(seed), file_(std::move(file)) {}

    bool isClosed = false;
    bool isPeerClosed = false;
    int broken = 0;
    int owed = 0; ///< onDrained after pending writes

    void onData(std::span<const char> bytes) override {
        EXPECT_FALSE(isPaused_ || isClosed || isPeerClosed);
        BufferChain chain;
        if (std::string_view(bytes.data(), bytes.size()) == "file") {
            auto file = os::openForRead(file_);
            const std::uint64_t size = file->status()->size;
            chain.appendFile(std::move(*file).share(), 0, size);
        } else {
            chain.append(std::string(bytes.data(), bytes.size()));
        }
        owed = transport_.write(chain) == Submitted::pending ? 1 : owed;
        if (random_() % 8 == 0) {
            isPaused_ = true;
            transport_.pauseReading();
            transport_.loop().timers().set(*this, transport_.loop().now() + random_() % 3);
        }
    }
    void onPeerClosed() override {
        isPeerClosed = true;
        if (owed == 0) {
            transport_.close();
        }
    }
    void onDrained() override {
        EXPECT_EQ(owed, 1);
        owed = 0;
        if (isPeerClosed) {
            transport_.close();
        }
    }
    void onBroken(int error) override {
        broken = error;
        transport_.close(true);
    }
    void onClosed() override { isClosed = true; }

private:
    void onTimer() override {
        isPaused_ = false;
        if (!isClosed) {
            transport_.resumeReading();
        }
    }

    TlsTransport& transport_;
    std::mt19937_64 random_;
    std::string file_;
    bool isPaused_ = false;
};

class TlsTransportChaosTest : public loop::LoopFixture, protected TlsAcceptor {
protected:
    void SetUp() override {
        LoopFixture::SetUp();
        if (!loop_) {
            return;
        }
        auto source = std::make_shared<test::FixedSource>();
        source->fallback.ecdsa = test::makeCredential("example.com");
        TlsContext::Parts parts;
        parts.credentials = source;
        parts.tickets = std::make_shared<SessionTickets>(std::chrono::hours(24));
        shared_ = std::make_unique<TlsLoop>(*loop_, counters_, &workers_);
        shared_->setContext(*TlsContext::make(TlsOptions(), std::move(parts)));
        folder_.write("file", pattern(2'500'000, 9));
    }
    void TearDown() override {
        if (loop_) {
            workers_.finish();
            runUntil([&] { return loop_->socketCount() == 0; });
            shared_.reset();
        }
    }
    void accept(loop::NativeSocket native) {
        TlsTransport::accept(*shared_, net::TcpTransport::open(*loop_, native, loop::SocketAddress{}), *this);
    }
    void onSecured(TlsTransport& transport) override {
        users_.push_back(std::make_unique<EchoUser>(transport, users_.size(), folder_.at("file")));
        transport.start(*users_.back());
    }
    void onUnsecured(TlsTransport&) override { ++unsecured_; }

    test::TempFolder folder_;
    observe::LoopCounters counters_{0};
    loop::WorkerPool workers_{2};
    std::unique_ptr<TlsLoop> shared_;
    std::vector<std::unique_ptr<EchoUser>> users_;
    int unsecured_ = 0;
};
INSTANTIATE_TEST_SUITE_P(Backends, TlsTransportChaosTest, loop::everyBackend(),
                         [](const auto& info) { return loop::variantName(info.param); });

TEST_P(TlsTransportChaosTest, echoesWhateverIsSentAndServesFiles) {
    constexpr std::size_t kClients = 6;
    const std::string file = pattern(2'500'000, 9);
    std::vector<Pair> pairs;
    std::vector<std::thread> threads;
    std::array<std::string, kClients> problems;
    std::atomic<std::size_t> done{0};
    for (std::size_t i = 0; i < kClients; ++i) {
        pairs.push_back(makePair());
        accept(pairs.back().native);
    }
    for (std::size_t i = 0; i < kClients; ++i) {
        threads.emplace_back([&, i] {
            std::string& problem = problems[i];
            BlockingClient client(pairs[i].peer.fd(), i % 2 == 0 ? TLS1_3_VERSION : TLS1_2_VERSION);
            if (!client.connect()) {
                problem = "no handshake";
            }
            std::mt19937_64 random(i);
            for (int round = 0; round < 4 && problem.empty(); ++round) {
                const std::string sent = pattern(1 + random() % 200'000, i * 10 + 1);
                for (std::size_t at = 0; at < sent.size();) {
                    const std::size_t n = std::min<std::size_t>(sent.size() - at, 1 + random() % 40'000);
                    client.write(std::string_view(sent).substr(at, n));
                    at += n;
                }
                if (client.read(sent.size()) != sent) {
                    problem = "another echo";
                }
            }
            client.write("file");
            if (problem.empty() && client.read(file.size()) != file) {
                problem = "another file";
            }
            client.sayGoodbye();
            if (problem.empty() && (!client.read().empty() || !client.isEnded)) {
                problem = "no proper end";
            }
            pairs[i].peer.close();
            ++done;
            loop_->post([] {}); // the condition is looked at between turns
        });
    }
    runUntil([&] { return done == kClients && loop_->socketCount() == 0; });
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::string& problem : problems) {
        EXPECT_EQ(problem, "");
    }
    for (const auto& user : users_) {
        EXPECT_TRUE(user->isClosed && user->isPeerClosed);
        EXPECT_EQ(user->broken, 0);
    }
    EXPECT_EQ(unsecured_, 0);
}

TEST_P(TlsTransportChaosTest, survivesClientsThatGoAwayAnywhere) {
    std::vector<Pair> pairs;
    for (int i = 0; i < 30; ++i) {
        pairs.push_back(makePair());
        accept(pairs.back().native);
    }
    std::thread thread([&] {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const loop::Peer& peer = pairs[i].peer;
            if (i % 5 == 0) {
                peer.send("\x16\x03\x01\x02");
            } else if (i % 5 == 1) {
                peer.send("GET / HTTP/1.1\r\n");
            } else if (i % 5 == 2) {
                peer.send(pattern(1000, i));
            } else if (i % 5 == 3) {
                BlockingClient client(peer.fd(), TLS1_3_VERSION);
                client.connect();
                client.write("file"); // never read
            }
            if (i % 2 == 0) {
                const linger now{1, 0};
                ::setsockopt(peer.fd(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
            }
            pairs[i].peer.close();
        }
    });
    runUntil([&] { return loop_->socketCount() == 0; });
    thread.join();
    EXPECT_EQ(shared_->handshakeCount(), 0U);
    for (const auto& user : users_) {
        EXPECT_TRUE(user->isClosed);
    }
}

} // namespace
} // namespace saker::tls
