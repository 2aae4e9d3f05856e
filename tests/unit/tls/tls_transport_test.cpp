#include "tls/tls_transport.h"

#include "os/file.h"
#include "support/tls_server.h"
#include "unit/loop/loop_fixture.h"

#include <cerrno>

namespace saker::tls {
namespace {

using loop::pattern;
using loop::Submitted;
using test::TlsClient;
using test::TlsEnd;

class TlsTransportTest : public test::TlsFixture {};

Ref<FileHandle> openShared(const std::string& path) {
    auto file = os::openForRead(path);
    EXPECT_TRUE(file);
    return std::move(*file).share();
}

TEST_F(TlsTransportTest, carriesBytesBothWaysInEveryVersion) {
    for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        TlsClient client({version});
        auto server = connect(client);
        ASSERT_TRUE(server->isSecured() && client.isConnected()) << client.failure;
        EXPECT_TRUE(server->transport().isEncrypted());
        EXPECT_EQ(shared->handshakeCount(), 0U);
        client.write("ping");
        server->exchange(client);
        EXPECT_EQ(server->user.received, "ping");
        EXPECT_EQ(server->write("pong"), Submitted::done);
        server->exchange(client);
        EXPECT_EQ(client.received, "pong");
        EXPECT_EQ(server->user.drained, 0);
    }
    const observe::CounterTotals totals = counters.read();
    EXPECT_EQ(totals.tlsHandshakes, (std::array<std::uint64_t, 3>{0, 1, 1}));
    EXPECT_EQ(totals.tlsFailed, 0U);
}

TEST_F(TlsTransportTest, takesAHandshakeByteByByte) {
    for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        TlsClient client({version});
        auto server = end();
        server->exchange(client, 1);
        ASSERT_TRUE(server->isSecured()) << client.failure;
        client.write("cut into bytes");
        server->exchange(client, 1);
        EXPECT_EQ(server->user.received, "cut into bytes");
    }
}

TEST_F(TlsTransportTest, takesTheClientsWholeFlightCutAtEveryByte) {
    TlsClient first({});
    first.take({});
    const std::size_t helloSize = first.give().size();
    for (std::size_t cut = 1; cut < helloSize; ++cut) {
        TlsClient client({});
        client.take({});
        const std::string hello = client.give();
        auto server = end();
        server->lower.receive(std::string_view(hello).substr(0, cut));
        server->lower.receive(std::string_view(hello).substr(cut));
        server->deliver(client);
        client.write("data behind the handshake"); // leaves with the client's last flight
        server->exchange(client, cut);
        ASSERT_EQ(server->user.received, "data behind the handshake") << cut;
    }
}

TEST_F(TlsTransportTest, answersInOneRecordAndOneWrite) {
    TlsClient client({});
    auto server = connect(client);
    const std::size_t writes = server->lower.writes;
    const std::size_t records = client.records;
    BufferChain chain;
    chain.appendStatic("HTTP/1.1 200 OK\r\n");
    chain.append("Content-Length: 12000\r\n\r\n" + std::string());
    const std::string body = pattern(12'000);
    chain.append(body, {});
    EXPECT_EQ(server->transport().write(chain), Submitted::done);
    server->exchange(client);
    EXPECT_EQ(server->lower.writes, writes + 1);
    EXPECT_EQ(client.records, records + 1);
    EXPECT_TRUE(client.received.ends_with(body));
}

TEST_F(TlsTransportTest, sendsTicketsWithTheFirstAnswer) {
    TlsClient client({});
    auto server = end();
    server->onReady = [&] { server->user.onBytes = [&] { server->write("answer"); }; };
    client.take({});
    server->lower.receive(client.give());
    server->deliver(client);
    client.write("request");
    const std::size_t writes = server->lower.writes;
    server->lower.receive(client.give());
    EXPECT_EQ(server->lower.writes, writes + 1);
    server->deliver(client);
    EXPECT_EQ(client.received, "answer");
    EXPECT_NE(client.session, nullptr);
}

TEST_F(TlsTransportTest, holdsBackWhatIsNotTakenBelow) {
    TlsClient client({});
    auto server = connect(client);
    const std::string content = pattern(3'000'000);
    server->lower.holds = true;
    BufferChain chain;
    chain.append(content, {});
    EXPECT_EQ(server->transport().write(chain), Submitted::pending);
    EXPECT_EQ(server->write("the end"), Submitted::pending);
    EXPECT_LT(server->lower.bytesPending(), 300'000U);
    EXPECT_GE(server->transport().bytesPending(), content.size());
    int rounds = 0;
    while (server->user.drained == 0 && ++rounds < 1000) {
        EXPECT_LT(server->lower.bytesPending(), 300'000U);
        server->lower.drain();
        server->exchange(client);
        turns(1);
    }
    EXPECT_GT(rounds, 10);
    EXPECT_EQ(server->user.drained, 1);
    EXPECT_EQ(client.received, content + "the end");
    EXPECT_EQ(server->transport().bytesPending(), 0U);
    EXPECT_EQ(server->write("again"), Submitted::pending);
}

TEST_F(TlsTransportTest, encryptsSoMuchATurnOnly) {
    TlsClient client({});
    auto server = connect(client);
    const std::string content = pattern(5'000'000);
    BufferChain chain;
    chain.append(content, {});
    EXPECT_EQ(server->transport().write(chain), Submitted::pending);
    EXPECT_LT(server->lower.sent.size(), 700'000U);
    runUntil([&] { return server->user.drained == 1; });
    server->exchange(client);
    EXPECT_EQ(client.received, content);
}

TEST_F(TlsTransportTest, sendsPartsOfFiles) {
    test::TempFolder folder;
    const std::string content = pattern(1'000'000);
    folder.write("file", content);
    loop::WorkerPool workers(1);
    TlsLoop withWorkers(*loop_, counters, &workers);
    withWorkers.setContext(*TlsContext::make(options, parts));
    TlsClient client({});
    TlsEnd server(*loop_, withWorkers);
    server.exchange(client);
    BufferChain chain;
    chain.appendStatic("head");
    chain.appendFile(openShared(folder.at("file")), 5, 900'000);
    chain.appendStatic("tail");
    if (server.transport().write(chain) == Submitted::pending) {
        runUntil([&] { return server.user.drained == 1; });
    }
    server.exchange(client);
    EXPECT_EQ(client.received, "head" + content.substr(5, 900'000) + "tail");
    workers.finish();
}

TEST_F(TlsTransportTest, breaksWhenAFileIsShorterThanPromised) {
    test::TempFolder folder;
    folder.write("file", pattern(100));
    TlsClient client({});
    auto server = connect(client);
    BufferChain chain;
    chain.appendFile(openShared(folder.at("file")), 0, 101);
    EXPECT_EQ(server->transport().write(chain), Submitted::failed);
    EXPECT_EQ(server->write("more"), Submitted::failed);
    server->transport().close(true);
    EXPECT_TRUE(server->lower.wasReset);
}

TEST_F(TlsTransportTest, tellsTheClientsEndFromACut) {
    {
        TlsClient client({});
        auto server = connect(client);
        client.write("last words");
        client.sayGoodbye();
        server->exchange(client);
        EXPECT_EQ(server->user.received, "last words");
        EXPECT_TRUE(server->user.isPeerClosed);
        EXPECT_FALSE(server->transport().isTruncated());
        EXPECT_EQ(server->write("still here"), Submitted::done);
        server->lower.peerCloses();
        EXPECT_FALSE(server->transport().isTruncated());
    }
    {
        TlsClient client({});
        auto server = connect(client);
        server->lower.peerCloses();
        EXPECT_TRUE(server->user.isPeerClosed);
        EXPECT_TRUE(server->transport().isTruncated());
        EXPECT_EQ(server->write("still here"), Submitted::done);
    }
    {
        TlsClient client({});
        auto server = connect(client);
        client.write("cut off in the middle");
        const std::string record = client.give();
        server->lower.receive(std::string_view(record).substr(0, record.size() - 1));
        server->lower.peerCloses();
        EXPECT_FALSE(server->user.isPeerClosed);
        EXPECT_EQ(server->user.broken, ECONNRESET);
    }
}

TEST_F(TlsTransportTest, refusesWhatIsNotTls) {
    using namespace std::string_view_literals;
    for (std::string_view junk : {"\x16\x03\x01\x00\x05junk!"sv, "{\x4e\x57\x00\x00"sv,
                                  "\x16\x03\x01\xff\xff"sv, "\x17\x03\x03\x00\x02hi"sv}) {
        auto server = end();
        server->lower.receive(junk);
        EXPECT_TRUE(server->lower.isClosed && server->lower.wasLingering) << junk;
        const bool isLikeTls = junk[1] == '\x03';
        EXPECT_EQ(server->lower.sent.substr(0, 1), isLikeTls ? "\x15" : "") << junk; // an alert
        EXPECT_EQ(shared->handshakeCount(), 1U);
        server->finishClose();
        EXPECT_TRUE(server->isGone);
        EXPECT_EQ(shared->handshakeCount(), 0U);
        EXPECT_EQ(ERR_peek_error(), 0U);
    }
    EXPECT_EQ(counters.read().tlsFailed, 4U);
}

TEST_F(TlsTransportTest, breaksOnATamperedRecordAndSaysSo) {
    TlsClient client({});
    auto server = connect(client);
    client.write("something");
    std::string record = client.give();
    record.back() = static_cast<char>(record.back() ^ 1);
    server->lower.receive(record);
    EXPECT_EQ(server->user.broken, EPROTO);
    EXPECT_EQ(server->user.received, "");
    server->transport().close(true);
    EXPECT_TRUE(server->lower.wasLingering); // the alert gets through
    server->deliver(client);
    EXPECT_TRUE(client.hasFailed);
    EXPECT_EQ(ERR_peek_error(), 0U);
}

TEST_F(TlsTransportTest, doesNotTakeAnotherOnesErrorForItsOwn) {
    TlsClient client({});
    auto server = connect(client);
    client.write("a record");
    const std::string record = client.give();
    ERR_raise(ERR_LIB_SSL, SSL_R_BAD_DATA);
    server->lower.receive(std::string_view(record).substr(0, 7));
    ERR_raise(ERR_LIB_SSL, SSL_R_BAD_DATA);
    server->lower.receive(std::string_view(record).substr(7));
    EXPECT_EQ(server->user.received, "a record");
    EXPECT_EQ(server->user.broken, 0);
}

TEST_F(TlsTransportTest, answersPlainHttpWithTheWayToGo) {
    const std::string request = "GET /a?b=<c> HTTP/1.1\r\nHost: example.com\r\nAccept: */*\r\n\r\n";
    for (std::size_t cut = 1; cut < request.size(); ++cut) {
        auto server = end();
        server->lower.receive(request.substr(0, cut));
        EXPECT_FALSE(server->lower.isClosed);
        server->lower.receive(request.substr(cut));
        EXPECT_TRUE(server->lower.wasLingering);
        EXPECT_TRUE(server->lower.sent.starts_with("HTTP/1.1 400 "));
        EXPECT_NE(server->lower.sent.find("https://example.com:80/a?b=&lt;c&gt;"), std::string::npos);
    }
    EXPECT_EQ(counters.read().plainOnTlsPort, request.size() - 1);
}

TEST_F(TlsTransportTest, givesUpOnSlowHandshakes) {
    options.handshakeTimeout = std::chrono::milliseconds(2);
    renew();
    auto silent = end();
    auto slow = end();
    slow->lower.receive("\x16\x03");
    auto plain = end();
    plain->lower.receive("GET / HT");
    runUntil([&] { return silent->lower.isClosed && slow->lower.isClosed && plain->lower.isClosed; });
    EXPECT_EQ(silent->lower.sent + slow->lower.sent, "");
    EXPECT_TRUE(plain->lower.sent.starts_with("HTTP/1.1 400 "));
    EXPECT_EQ(counters.read().tlsFailed, 1U);
}

TEST_F(TlsTransportTest, deliversNothingWhilePaused) {
    TlsClient client({});
    auto server = connect(client);
    server->user.onBytes = [&] { server->transport().pauseReading(); };
    for (int i = 0; i < 3; ++i) {
        client.write(std::string(1, static_cast<char>('a' + i)));
    }
    const std::string records = client.give();
    server->lower.receive(records);
    EXPECT_TRUE(server->lower.isPaused);
    for (const char* expected : {"a", "ab", "abc"}) {
        turns();
        EXPECT_EQ(server->user.received, expected);
        EXPECT_TRUE(server->lower.isPaused);
        server->transport().resumeReading();
        EXPECT_EQ(server->user.received, expected); // not from within the call
    }
    turns();
    EXPECT_FALSE(server->lower.isPaused);
}

TEST_F(TlsTransportTest, tellsTheEndBehindWhatWasKept) {
    TlsClient client({});
    auto server = connect(client);
    server->user.onBytes = [&] { server->transport().pauseReading(); };
    client.write("one");
    client.write("two");
    server->lower.receive(client.give());
    server->lower.peerCloses();
    EXPECT_FALSE(server->user.isPeerClosed);
    server->user.onBytes = [] {};
    server->transport().resumeReading();
    turns();
    EXPECT_EQ(server->user.received, "onetwo");
    EXPECT_TRUE(server->user.isPeerClosed);
}

TEST_F(TlsTransportTest, saysGoodbyeWhenItCloses) {
    TlsClient client({});
    auto server = connect(client);
    server->write("bye");
    server->transport().close();
    EXPECT_TRUE(server->lower.isClosed);
    EXPECT_FALSE(server->lower.wasReset);
    EXPECT_EQ(server->write("too late"), Submitted::failed);
    server->deliver(client);
    EXPECT_EQ(client.received, "bye");
    EXPECT_TRUE(client.isEnded);
    EXPECT_FALSE(server->user.isClosed);
    server->finishClose();
    EXPECT_TRUE(server->user.isClosed);
}

TEST_F(TlsTransportTest, saysGoodbyeWithinACall) {
    for (int way = 0; way < 3; ++way) {
        TlsClient client({});
        auto server = connect(client);
        server->user.onBytes = [&] {
            server->write("bye");
            if (way == 0) {
                server->transport().close();
            } else if (way == 1) {
                server->transport().lingerAndClose();
            } else {
                server->transport().shutdownWrite();
            }
        };
        client.write("the last question");
        client.write("and more"); // discarded once it is closed
        server->lower.receive(client.give());
        server->deliver(client);
        EXPECT_EQ(client.received, "bye");
        EXPECT_TRUE(client.isEnded);
        EXPECT_EQ(server->user.calls, way == 2 ? 2U : 1U);
    }
}

TEST_F(TlsTransportTest, leavesAnUnfinishedStreamWithoutGoodbye) {
    TlsClient client({});
    auto server = connect(client);
    server->lower.holds = true;
    server->write(pattern(2'000'000));
    server->transport().close();
    server->lower.drain();
    server->deliver(client);
    EXPECT_FALSE(client.isEnded);
}

TEST_F(TlsTransportTest, halfClosesBehindWhatWasWritten) {
    TlsClient client({});
    auto server = connect(client);
    const std::string content = pattern(1'000'000);
    server->lower.holds = true;
    server->write(content);
    server->transport().shutdownWrite();
    EXPECT_EQ(server->write("too late"), Submitted::failed);
    EXPECT_FALSE(server->lower.isWriteShut);
    for (int i = 0; i < 100 && server->user.drained == 0; ++i) {
        server->lower.drain();
        turns(1);
    }
    server->lower.drain();
    EXPECT_TRUE(server->lower.isWriteShut);
    server->deliver(client);
    EXPECT_EQ(client.received, content);
    EXPECT_TRUE(client.isEnded);
    client.write("still talking");
    server->lower.receive(client.give());
    EXPECT_EQ(server->user.received, "still talking");
}

TEST_F(TlsTransportTest, lingersUntilAllHasLeft) {
    TlsClient client({});
    auto server = connect(client);
    const std::string content = pattern(1'000'000);
    server->lower.holds = true;
    server->write(content);
    server->transport().lingerAndClose();
    EXPECT_FALSE(server->lower.isClosed);
    client.write("ignored");
    server->lower.receive(client.give());
    for (int i = 0; i < 100 && !server->lower.isClosed; ++i) {
        server->lower.drain();
        turns(1);
    }
    EXPECT_TRUE(server->lower.wasLingering);
    server->lower.drain();
    server->deliver(client);
    EXPECT_EQ(client.received, content);
    EXPECT_TRUE(client.isEnded);
    EXPECT_EQ(server->user.received, "");
    EXPECT_EQ(server->user.drained, 0);
}

TEST_F(TlsTransportTest, servesOneConnectionWithinACallOfAnother) {
    TlsClient client({});
    auto server = connect(client);
    TlsClient other({});
    auto otherServer = connect(other);
    server->user.onBytes = [&] {
        server->write("before;");
        otherServer->write("across");
        server->write("after");
    };
    client.write("1");
    client.write("2");
    server->exchange(client);
    otherServer->exchange(other);
    EXPECT_EQ(client.received, "before;afterbefore;after");
    EXPECT_EQ(other.received, "acrossacross");
}

TEST_F(TlsTransportTest, refusesToRenegotiate) {
    TlsClient client({TLS1_2_VERSION});
    auto server = connect(client);
    SSL_renegotiate(client.ssl());
    SSL_do_handshake(client.ssl());
    server->exchange(client);
    EXPECT_TRUE(client.hasFailed);
    EXPECT_EQ(client.failure, "no renegotiation");
}

TEST_F(TlsTransportTest, closesSilentConnectionsWhenTheServerEnds) {
    auto silent = end();
    auto shaking = end();
    shaking->lower.receive("\x16");
    shared->drain();
    EXPECT_TRUE(silent->lower.isClosed);
    EXPECT_FALSE(shaking->lower.isClosed);
    shared->abortAll();
    EXPECT_TRUE(shaking->lower.wasReset);
}

TEST_F(TlsTransportTest, isClosedAtOnceWithoutAContext) {
    shared->setContext(nullptr);
    EXPECT_TRUE(end()->lower.wasReset);
}

TEST_F(TlsTransportTest, keepsBlocksApartThatAreStillUnderWay) {
    TlsClient client({});
    auto server = connect(client);
    server->lower.holds = true;
    std::string expected;
    for (int i = 0; i < 40; ++i) { // far more than a block holds
        std::string part = pattern(10'000, static_cast<std::uint64_t>(i + 1));
        expected += part;
        server->write(std::move(part));
    }
    for (int i = 0; i < 10; ++i) {
        server->lower.drain();
    }
    server->exchange(client);
    EXPECT_EQ(client.received, expected);
}

} // namespace
} // namespace saker::tls
