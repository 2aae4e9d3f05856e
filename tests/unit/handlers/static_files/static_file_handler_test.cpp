#include "handlers/static_files/static_file_handler.h"

#include "routing/dispatcher.h"
#include "support/fake_exchange.h"
#include "unit/handlers/static_files/decode.h"
#include "unit/routing/site_fixture.h"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>

namespace saker::static_files {
namespace {

using http::Coding;
using test::FakeExchange;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

using Fields = FakeExchange::Fields;

/// A dispatcher, a handler, and what they need, on one loop that the test runs.
class StaticFileHandlerTest : public routing::SiteFixture {
protected:
    ~StaticFileHandlerTest() override {
        workers_.reset();
        settle(); // what workers have posted
    }

    /// Long ago, so that the file's time is settled; `age` in seconds tells versions apart.
    void write(std::string_view name, std::string_view content, int age = 3600) {
        folder_.write(name, content);
        using Clock = std::filesystem::file_time_type::clock;
        auto time = Clock::now() - std::chrono::seconds(age);
        // A whole number of seconds would look like a clock that counts no finer.
        std::filesystem::last_write_time(folder_.at(name), std::chrono::floor<std::chrono::seconds>(time) +
                                                               std::chrono::milliseconds(500));
    }
    void start(ContentStore::Options limits = {}) {
        if (!root_) {
            index();
        }
        store_.configure(limits);
        routing::SiteTable::Options table;
        table.folders = root_;
        table.folderRules = rules_;
        dispatcher_ = std::make_unique<routing::Dispatcher>(
            std::make_shared<const routing::SiteTable>(std::move(table)),
            std::make_shared<const routing::DispatchRules>());
        handler_ = std::make_unique<StaticFileHandler>(
            *loop_, StaticFileHandler::Shared{store_, *workers_, 1 << 20}, *dispatcher_);
        dispatcher_->setContent(*handler_);
    }
    /// Hands the request in; the answer may still be on its way.
    Ref<FakeExchange> begin(std::string_view target, const Fields& fields = {},
                            std::string_view method = "GET") {
        auto exchange = makeRef<FakeExchange>(*loop_, method, target, "a.com", fields);
        dispatcher_->handle(*exchange);
        return exchange;
    }
    Ref<FakeExchange> get(std::string_view target, const Fields& fields = {},
                          std::string_view method = "GET") {
        auto exchange = begin(target, fields, method);
        runUntil([&] { return exchange->isAnswered(); });
        return exchange;
    }
    void runUntil(const std::function<bool()>& condition) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        while (!condition()) {
            ASSERT_LT(std::chrono::steady_clock::now(), limit) << "the condition never came true";
            turn();
        }
    }
    /// Everything that workers have done is delivered. REQUIRES: no more work is coming.
    void settle() {
        for (int i = 0; i < 3; ++i) {
            turn();
        }
    }
    void turn() {
        loop_->post([this] { loop_->stop(); });
        loop_->run();
    }
    static std::string text(std::size_t size, char first = 'a') {
        std::string out;
        for (std::size_t i = 0; out.size() < size; ++i) {
            out += std::string(1, first) + " line of text, number " + std::to_string(i) + "\n";
        }
        out.resize(size);
        return out;
    }

    loop::LoopOptions options_{loop::BackendKind::epoll, 1, nullptr};
    std::unique_ptr<loop::EventLoop> loop_ = std::move(*loop::EventLoop::create(options_));
    ContentStore store_;
    std::unique_ptr<loop::WorkerPool> workers_ = std::make_unique<loop::WorkerPool>(2);
    std::unique_ptr<routing::Dispatcher> dispatcher_;
    std::unique_ptr<StaticFileHandler> handler_;
};

// ---- whole files ----

TEST_F(StaticFileHandlerTest, AColdFileAndThenAHotOne) {
    write("a.com/x.txt", "hello");
    start();
    auto cold = begin("/x.txt");
    EXPECT_TRUE(cold->isRetained()) << "a worker reads it";
    EXPECT_FALSE(cold->isAnswered());
    runUntil([&] { return cold->isAnswered(); });
    EXPECT_EQ(cold->status(), 200);
    EXPECT_EQ(cold->body(), "hello");
    EXPECT_EQ(cold->field("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(cold->field("Content-Length"), "5");
    EXPECT_EQ(cold->field("Server"), "Saker");
    EXPECT_EQ(cold->field("Accept-Ranges"), "bytes");
    EXPECT_THAT(std::string(cold->field("ETag")), MatchesRegex("\"5-[0-9a-f]+\""));
    EXPECT_TRUE(cold->has("Last-Modified"));
    EXPECT_FALSE(cold->has("Vary")) << "too small to be compressed: there is no choice";
    auto hot = begin("/x.txt");
    EXPECT_TRUE(hot->isAnswered());
    EXPECT_TRUE(hot->isPrepared());
    EXPECT_FALSE(hot->isRetained());
    EXPECT_EQ(hot->body(), "hello");
    EXPECT_EQ(hot->field("ETag"), cold->field("ETag"));
}

TEST_F(StaticFileHandlerTest, WhatIsRememberedOfAnAddressHoldsNoFile) {
    write("a.com/x.bin", text(5000));
    ContentStore::Options limits;
    limits.maxIdentity = 1000;
    start(limits);
    auto openFiles = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                             std::filesystem::directory_iterator());
    };
    auto before = openFiles();
    get("/x.bin");
    EXPECT_EQ(openFiles(), before + 1);
    handler_->trimMemory();
    EXPECT_EQ(openFiles(), before);
    EXPECT_EQ(get("/x.bin")->body(), text(5000));
    EXPECT_TRUE(begin("/x.bin")->isAnswered());
}

TEST_F(StaticFileHandlerTest, EmptyFiles) {
    write("a.com/x.txt", "");
    start();
    EXPECT_EQ(get("/x.txt")->field("Content-Length"), "0");
    EXPECT_EQ(get("/x.txt", {{"Range", "bytes=0-"}})->status(), 416);
    EXPECT_EQ(get("/x.txt", {{"Range", "bytes=-5"}})->status(), 416);
}

TEST_F(StaticFileHandlerTest, HeadHasTheFieldsAndNoBody) {
    write("a.com/x.txt", "hello");
    start();
    for (int round = 0; round < 2; ++round) {
        auto exchange = get("/x.txt", {{"Range", "bytes=0-1"}}, "HEAD");
        EXPECT_EQ(exchange->status(), 200) << "a Range counts for GET only (RFC 9110, section 14.2)";
        EXPECT_EQ(exchange->field("Content-Length"), "5");
        EXPECT_EQ(exchange->body(), "");
    }
}

TEST_F(StaticFileHandlerTest, OneReadingForAllWhoWait) {
    write("a.com/x.html", text(5000));
    start();
    std::vector<Ref<FakeExchange>> waiting;
    for (int i = 0; i < 20; ++i) {
        waiting.push_back(begin("/x.html"));
    }
    runUntil([&] { return waiting.back()->isAnswered(); });
    for (const auto& exchange : waiting) {
        EXPECT_EQ(exchange->body(), text(5000));
    }
    EXPECT_EQ(store_.statistics().loads, 1u);
}

TEST_F(StaticFileHandlerTest, WhoeverIsGoneGetsNothing) {
    write("a.com/x.txt", "hello");
    start();
    auto gone = begin("/x.txt");
    auto here = begin("/x.txt");
    gone->disconnect();
    runUntil([&] { return here->isAnswered(); });
    EXPECT_FALSE(gone->isAnswered());
    // The same with an error.
    write("a.com/y.txt", "hello");
    root_->index.refresh("a.com/y.txt");
    folder_.remove("a.com/y.txt");
    auto lost = begin("/y.txt");
    lost->disconnect();
    workers_ = std::make_unique<loop::WorkerPool>(1); // waits for the one before
    settle();
    EXPECT_FALSE(lost->isAnswered());
}

TEST_F(StaticFileHandlerTest, ResultsForAHandlerThatIsGoneAreDropped) {
    write("a.com/x.html", text(5000));
    start();
    auto exchange = begin("/x.html", {{"Accept-Encoding", "br"}});
    handler_.reset();
    workers_.reset(); // its work is done
    settle();
    EXPECT_FALSE(exchange->isAnswered());
}

TEST_F(StaticFileHandlerTest, TheLastAnswerMayEndTheHandler) {
    write("a.com/x.html", text(5000));
    for (bool vanishes : {false, true}) {
        start();
        if (vanishes) {
            store_.clear();
            folder_.remove("a.com/x.html");
        }
        auto first = begin("/x.html");
        auto last = begin("/x.html");
        // After a reload, a configuration lives as long as its last exchange.
        last->onAnswered = [&] {
            handler_.reset();
            dispatcher_.reset();
        };
        runUntil([&] { return last->isAnswered(); });
        EXPECT_TRUE(first->isAnswered());
        EXPECT_EQ(last->status(), vanishes ? 404 : 200);
    }
}

TEST_F(StaticFileHandlerTest, LargeFilesAreSentFromTheFile) {
    write("a.com/x.bin", text(5000));
    ContentStore::Options limits;
    limits.maxIdentity = 1000;
    start(limits);
    for (int round = 0; round < 2; ++round) {
        auto exchange = get("/x.bin");
        EXPECT_EQ(exchange->body(), text(5000));
        EXPECT_EQ(exchange->filePieces(), 1u);
        EXPECT_EQ(exchange->field("Content-Length"), "5000");
        EXPECT_THAT(std::string(exchange->field("ETag")), MatchesRegex("\"1388-[0-9a-f]+\""));
    }
    EXPECT_EQ(store_.statistics().entries, 0u);
}

// ---- the disk is ahead of the index ----

TEST_F(StaticFileHandlerTest, AFileThatVanished) {
    write("a.com/x.txt", "hello");
    write("a.com/error404.html", "own page for ${path}");
    start();
    folder_.remove("a.com/x.txt");
    auto exchange = get("/x.txt");
    EXPECT_EQ(exchange->status(), 404);
    EXPECT_EQ(exchange->body(), "own page for /x.txt");
}

TEST_F(StaticFileHandlerTest, AFileThatChangedIsSentAsItIsNow) {
    write("a.com/x.txt", "old");
    start();
    write("a.com/x.txt", "newer content", 1800);
    auto exchange = get("/x.txt");
    EXPECT_EQ(exchange->body(), "newer content");
    EXPECT_EQ(exchange->field("Content-Length"), "13");
    EXPECT_THAT(std::string(exchange->field("ETag")), StartsWith("\"d-"));
    root_->index.refresh("a.com/x.txt");
    EXPECT_EQ(get("/x.txt")->field("ETag"), exchange->field("ETag"));
}

TEST_F(StaticFileHandlerTest, AFileThatGrewOutOfMemory) {
    write("a.com/x.bin", text(500));
    ContentStore::Options limits;
    limits.maxIdentity = 1000;
    start(limits);
    write("a.com/x.bin", text(5000), 1800);
    auto exchange = get("/x.bin");
    EXPECT_EQ(exchange->body(), text(5000));
    EXPECT_EQ(exchange->filePieces(), 1u);
}

TEST_F(StaticFileHandlerTest, AFileThatGrewBeyondCompressionIsSentAsItIs) {
    write("a.com/x.html", text(500));
    ContentStore::Options limits;
    limits.maxCompressible = 1000;
    start(limits);
    write("a.com/x.html", text(5000), 1800);
    auto exchange = get("/x.html", {{"Accept-Encoding", "br, gzip"}});
    EXPECT_FALSE(exchange->has("Content-Encoding")) << "the bytes are in no coding";
    EXPECT_EQ(exchange->body(), text(5000));
}

TEST_F(StaticFileHandlerTest, AFileThatShrankBeneathItsBoundsIsAWholeAnswer) {
    write("a.com/x.bin", text(5000));
    ContentStore::Options limits;
    limits.maxIdentity = 1000;
    start(limits);
    write("a.com/x.bin", text(10), 1800);
    auto exchange = get("/x.bin");
    EXPECT_EQ(exchange->field("Content-Length"), "10");
    EXPECT_EQ(exchange->body(), text(10));
}

TEST_F(StaticFileHandlerTest, TheNextVersionIsServedOnceTheIndexKnowsIt) {
    write("a.com/x.txt", "one");
    start();
    EXPECT_EQ(get("/x.txt")->body(), "one");
    write("a.com/x.txt", "two", 1800); // of the same size
    root_->index.refresh("a.com/x.txt");
    EXPECT_EQ(get("/x.txt")->body(), "two");
}

TEST_F(StaticFileHandlerTest, AFileJustWrittenHasAWeakTag) {
    folder_.write("a.com/x.txt", "hello");
    // As a clock that counts seconds would have it: nothing is known about the rest of this second.
    auto now = std::filesystem::file_time_type::clock::now();
    std::filesystem::last_write_time(folder_.at("a.com/x.txt"),
                                     std::chrono::floor<std::chrono::seconds>(now));
    start();
    EXPECT_THAT(std::string(get("/x.txt")->field("ETag")), StartsWith("W/\""));
}

TEST_F(StaticFileHandlerTest, FilesThatCannotBeReadBecauseNobodyHasTime) {
    write("a.com/x.html", text(5000));
    ContentStore::Options limits;
    limits.maxIdentity = 0;
    workers_ = std::make_unique<loop::WorkerPool>(1, 0); // takes no job
    start(limits);
    EXPECT_EQ(get("/x.html")->status(), 503);
    EXPECT_EQ(get("/x.html", {{"Accept-Encoding", "br"}})->status(), 503);
    workers_ = std::make_unique<loop::WorkerPool>(1);
    start(limits);
    EXPECT_EQ(get("/x.html")->status(), 200);
}

// ---- codings ----

TEST_F(StaticFileHandlerTest, CompressesOnTheFlyAndOnce) {
    const std::string page = text(20'000);
    write("a.com/x.html", page);
    start();
    std::string identityTag(get("/x.html")->field("ETag"));
    for (int round = 0; round < 2; ++round) {
        for (Coding coding : {Coding::gzip, Coding::br, Coding::zstd}) {
            auto exchange = get("/x.html", {{"Accept-Encoding", std::string(http::codingName(coding))}});
            EXPECT_EQ(exchange->field("Content-Encoding"), http::codingName(coding));
            EXPECT_EQ(exchange->field("Vary"), "Accept-Encoding");
            EXPECT_EQ(exchange->field("Content-Type"), "text/html; charset=utf-8");
            EXPECT_EQ(decode(coding, exchange->body(), page.size()), page);
            EXPECT_NE(exchange->field("ETag"), identityTag) << "another representation, another tag";
        }
    }
    EXPECT_EQ(store_.statistics().loads, 4u);
    auto identity = get("/x.html");
    EXPECT_FALSE(identity->has("Content-Encoding"));
    EXPECT_EQ(identity->field("Vary"), "Accept-Encoding");
}

TEST_F(StaticFileHandlerTest, NegotiatesPerRequest) {
    write("a.com/x.html", text(20'000));
    write("a.com/x.png", text(20'000));
    start();
    struct {
        const char *accept, *expected;
    } rows[] = {
        {"gzip", "gzip"},
        {"gzip, br", "br"},
        {"gzip, br;q=0.5", "gzip"},
        {"*", "br"},
        {"identity", ""},
        {"br;q=0, gzip", "gzip"},
        {"deflate", ""},
        {"", ""},
        {"gzip;q=0", ""},
        {"identity;q=0, x", ""}, // nothing acceptable: as it is
    };
    for (const auto& row : rows) {
        EXPECT_EQ(get("/x.html", {{"Accept-Encoding", row.accept}})->field("Content-Encoding"), row.expected)
            << row.accept;
    }
    auto picture = get("/x.png", {{"Accept-Encoding", "br"}});
    EXPECT_FALSE(picture->has("Content-Encoding"));
    EXPECT_FALSE(picture->has("Vary"));
}

TEST_F(StaticFileHandlerTest, SeveralAcceptEncodingFieldsAddUp) {
    write("a.com/x.html", text(20'000));
    start();
    auto both = [&] { return get("/x.html", {{"Accept-Encoding", "gzip"}, {"Accept-Encoding", "br"}}); };
    auto one = [&] { return get("/x.html", {{"Accept-Encoding", "gzip"}}); };
    EXPECT_EQ(both()->field("Content-Encoding"), "br");
    EXPECT_EQ(one()->field("Content-Encoding"), "gzip")
        << "what another client takes besides is its own business";
    EXPECT_EQ(both()->field("Content-Encoding"), "br");
}

TEST_F(StaticFileHandlerTest, CompressionThatDoesNotPay) {
    std::string noise(500, '\0');
    std::uint64_t state = 1;
    for (char& c : noise) {
        state = state * 6364136223846793005 + 1442695040888963407;
        c = static_cast<char>(state >> 56);
    }
    write("a.com/x.html", noise);
    start();
    for (int round = 0; round < 2; ++round) {
        auto exchange = get("/x.html", {{"Accept-Encoding", "br, gzip, zstd"}});
        EXPECT_FALSE(exchange->has("Content-Encoding"));
        EXPECT_EQ(exchange->body(), noise);
    }
    EXPECT_EQ(store_.statistics().loads, 4u) << "remembered";
}

TEST_F(StaticFileHandlerTest, CompressionMayBeSwitchedOff) {
    write("a.com/x.html", text(20'000));
    write("a.com/y.html", text(20'000));
    write("a.com/y.html.gz", "precompressed");
    rules_->compressionLevel = http::CompressionLevel::noCompression;
    start();
    auto exchange = get("/x.html", {{"Accept-Encoding", "br"}});
    EXPECT_FALSE(exchange->has("Content-Encoding"));
    EXPECT_FALSE(exchange->has("Vary"));
    EXPECT_EQ(get("/y.html", {{"Accept-Encoding", "gzip"}})->body(), "precompressed");
    rules_->precompressed = false;
    start();
    EXPECT_FALSE(get("/y.html", {{"Accept-Encoding", "gzip"}})->has("Content-Encoding"));
}

TEST_F(StaticFileHandlerTest, PrecompressedSiblings) {
    write("a.com/x.html", text(20'000));
    write("a.com/x.html.br", "made by hand");
    write("a.com/p.png", "png");
    write("a.com/p.png.gz", "gz of png");
    start();
    auto exchange = get("/x.html", {{"Accept-Encoding", "br, gzip"}});
    EXPECT_EQ(exchange->field("Content-Encoding"), "br");
    EXPECT_EQ(exchange->body(), "made by hand");
    EXPECT_EQ(exchange->field("Content-Type"), "text/html; charset=utf-8");
    EXPECT_THAT(std::string(exchange->field("ETag")), EndsWith("-br\""));
    EXPECT_EQ(get("/x.html", {{"Accept-Encoding", "gzip"}})->field("Content-Encoding"), "gzip")
        << "the others are made";
    auto picture = get("/p.png", {{"Accept-Encoding", "gzip"}});
    EXPECT_EQ(picture->body(), "gz of png") << "whoever put it there wants it sent";
    EXPECT_EQ(picture->field("Vary"), "Accept-Encoding");
    EXPECT_EQ(get("/x.html.br")->body(), "made by hand") << "a file like any other when asked for by name";
}

TEST_F(StaticFileHandlerTest, SiblingsComeAndGo) {
    write("a.com/x.html", text(20'000));
    start();
    auto br = [&] { return get("/x.html", {{"Accept-Encoding", "br"}}); };
    std::string made = br()->body();
    write("a.com/x.html.br", "by hand");
    root_->index.refresh("a.com/x.html.br");
    EXPECT_EQ(br()->body(), "by hand");
    write("a.com/x.html.br", "another", 1800); // of the same size
    root_->index.refresh("a.com/x.html.br");
    EXPECT_EQ(br()->body(), "another");
    folder_.remove("a.com/x.html.br");
    root_->index.refresh("a.com/x.html.br");
    EXPECT_EQ(br()->body(), made);
    write("a.com/unrelated.txt", "x");
    root_->index.refresh("a.com/unrelated.txt");
    auto exchange = begin("/x.html", {{"Accept-Encoding", "br"}});
    EXPECT_TRUE(exchange->isAnswered()) << "other files' changes do not make this one cold";
}

TEST_F(StaticFileHandlerTest, ASiblingThatVanishedIsMissedByNobody) {
    write("a.com/x.html", text(20'000));
    write("a.com/x.html.br", "by hand");
    start();
    folder_.remove("a.com/x.html.br");
    auto exchange = get("/x.html", {{"Accept-Encoding", "br, gzip"}});
    EXPECT_EQ(exchange->status(), 200);
    EXPECT_EQ(exchange->field("Content-Encoding"), "gzip");
    EXPECT_EQ(decode(Coding::gzip, exchange->body(), 20'000), text(20'000));
}

TEST_F(StaticFileHandlerTest, ASiblingOfAnEarlierVersionIsNone) {
    write("a.com/x.html", text(20'000), 1000);
    write("a.com/x.html.br", "of long ago", 2000);
    start();
    EXPECT_NE(get("/x.html", {{"Accept-Encoding", "br"}})->body(), "of long ago");
}

// ---- conditions ----

TEST_F(StaticFileHandlerTest, Conditions) {
    write("a.com/x.html", text(20'000));
    start();
    auto whole = get("/x.html");
    auto coded = get("/x.html", {{"Accept-Encoding", "gzip"}});
    std::string tag(whole->field("ETag")), codedTag(coded->field("ETag")),
        date(whole->field("Last-Modified"));
    struct {
        Fields fields;
        int status;
    } rows[] = {
        {{{"If-None-Match", tag}}, 304},
        {{{"If-None-Match", "W/" + tag}}, 304},
        {{{"If-None-Match", "\"x\", " + tag}}, 304},
        {{{"If-None-Match", "*"}}, 304},
        {{{"If-None-Match", "\"x\""}}, 200},
        {{{"If-None-Match", codedTag}}, 200},
        {{{"If-None-Match", codedTag}, {"Accept-Encoding", "gzip"}}, 304},
        {{{"If-None-Match", tag}, {"Accept-Encoding", "gzip"}}, 200},
        {{{"If-Modified-Since", date}}, 304},
        {{{"If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}, 200},
        {{{"If-Modified-Since", date}, {"If-None-Match", "\"x\""}}, 200},
        {{{"If-Match", tag}}, 200},
        {{{"If-Match", "\"x\""}}, 412},
        {{{"If-Match", "W/" + tag}}, 412},
        {{{"If-Unmodified-Since", "Sun, 06 Nov 1994 08:49:37 GMT"}}, 412},
        {{{"If-Unmodified-Since", date}}, 200},
        {{{"If-None-Match", tag}, {"Range", "bytes=0-1"}}, 304},
        {{{"If-Match", "\"x\""}, {"Range", "bytes=0-1"}}, 412},
    };
    for (const auto& row : rows) {
        for (std::string_view method : {"GET", "HEAD"}) {
            auto exchange = get("/x.html", row.fields, method);
            EXPECT_EQ(exchange->status(), row.status)
                << method << " " << row.fields[0].first << ": " << row.fields[0].second;
        }
    }
}

TEST_F(StaticFileHandlerTest, NotModified) {
    write("a.com/x.html", text(20'000));
    start();
    auto coded = get("/x.html", {{"Accept-Encoding", "gzip"}});
    std::string tag(coded->field("ETag"));
    auto exchange = get("/x.html", {{"Accept-Encoding", "gzip"}, {"If-None-Match", tag}});
    EXPECT_EQ(exchange->status(), 304);
    EXPECT_EQ(exchange->body(), "");
    EXPECT_EQ(exchange->field("ETag"), tag);
    EXPECT_EQ(exchange->field("Vary"), "Accept-Encoding");
    EXPECT_EQ(exchange->field("Cache-Control"), "max-age=300");
    EXPECT_FALSE(exchange->has("Content-Length"));
    EXPECT_FALSE(exchange->has("Content-Encoding"));
}

TEST_F(StaticFileHandlerTest, AConditionOnAColdFile) {
    write("a.com/x.txt", "hello");
    start();
    std::string tag(get("/x.txt")->field("ETag"));
    handler_->trimMemory();
    store_.clear();
    EXPECT_EQ(get("/x.txt", {{"If-None-Match", tag}})->status(), 304);
}

// ---- ranges ----

TEST_F(StaticFileHandlerTest, RangesOfMemoryAndOfFiles) {
    const std::string content = text(5000);
    write("a.com/x.bin", content);
    for (std::uint64_t most : {1u << 20, 1000u}) {
        ContentStore::Options limits;
        limits.maxIdentity = most;
        start(limits);
        auto part = get("/x.bin", {{"Range", "bytes=10-19"}});
        EXPECT_EQ(part->status(), 206);
        EXPECT_EQ(part->body(), content.substr(10, 10));
        EXPECT_EQ(part->field("Content-Range"), "bytes 10-19/5000");
        EXPECT_EQ(part->field("Content-Length"), "10");
        EXPECT_EQ(part->field("Content-Type"), "application/octet-stream");
        EXPECT_TRUE(part->has("ETag"));
        EXPECT_TRUE(part->has("Last-Modified"));
        EXPECT_EQ(part->filePieces(), most == 1000 ? 1u : 0u);
        EXPECT_EQ(get("/x.bin", {{"Range", "bytes=-7"}})->body(), content.substr(4993));
        EXPECT_EQ(get("/x.bin", {{"Range", "bytes=4990-99999"}})->field("Content-Range"),
                  "bytes 4990-4999/5000");
        EXPECT_EQ(get("/x.bin", {{"Range", "bytes=0-"}})->status(), 206);
        EXPECT_EQ(get("/x.bin", {{"Range", "lines=0-1"}})->status(), 200);
        EXPECT_EQ(get("/x.bin", {{"Range", "bytes=9-1"}})->status(), 200);

        auto parts = get("/x.bin", {{"Range", "bytes=0-4,1000-1004,-3"}});
        EXPECT_EQ(parts->status(), 206);
        std::string type(parts->field("Content-Type"));
        ASSERT_THAT(type, StartsWith("multipart/byteranges; boundary="));
        std::string boundary = type.substr(type.find('=') + 1);
        EXPECT_FALSE(parts->has("Content-Range"));
        EXPECT_EQ(parts->field("Content-Length"), std::to_string(parts->body().size()));
        EXPECT_THAT(parts->body(), HasSubstr("Content-Range: bytes 0-4/5000\r\n\r\n" + content.substr(0, 5) +
                                             "\r\n--" + boundary));
        EXPECT_THAT(parts->body(), HasSubstr("Content-Type: application/octet-stream\r\n"));
        EXPECT_THAT(parts->body(),
                    HasSubstr("bytes 1000-1004/5000\r\n\r\n" + content.substr(1000, 5) + "\r\n"));
        EXPECT_THAT(parts->body(), EndsWith(content.substr(4997) + "\r\n--" + boundary + "--\r\n"));
        EXPECT_EQ(parts->filePieces(), most == 1000 ? 3u : 0u);
        EXPECT_NE(get("/x.bin", {{"Range", "bytes=0-4,-3"}})->field("Content-Type"), "");
    }
}

TEST_F(StaticFileHandlerTest, ARangeThatLiesOutside) {
    write("a.com/x.zip", text(100));
    rules_->fileTypes = std::make_shared<routing::FileTypes>(
        std::vector<std::pair<std::string, std::vector<std::string>>>{}, std::vector<std::string>{"zip"});
    start();
    EXPECT_TRUE(get("/x.zip")->has("Content-Disposition"));
    auto exchange = get("/x.zip", {{"Range", "bytes=100-"}});
    EXPECT_EQ(exchange->status(), 416);
    EXPECT_EQ(exchange->field("Content-Range"), "bytes */100");
    for (const char* name : {"ETag", "Last-Modified", "Content-Disposition", "Content-Encoding"}) {
        EXPECT_FALSE(exchange->has(name)) << name;
    }
    EXPECT_EQ(exchange->field("Cache-Control"), "no-store");
    EXPECT_EQ(exchange->field("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(exchange->field("Content-Length"), std::to_string(exchange->body().size()));
}

TEST_F(StaticFileHandlerTest, RangesOfACodedAnswer) {
    write("a.com/x.html", text(20'000));
    start();
    auto whole = get("/x.html", {{"Accept-Encoding", "gzip"}});
    auto part = get("/x.html", {{"Accept-Encoding", "gzip"}, {"Range", "bytes=5-9"}});
    EXPECT_EQ(part->status(), 206);
    EXPECT_EQ(part->body(), whole->body().substr(5, 5));
    EXPECT_EQ(part->field("Content-Encoding"), "gzip");
    EXPECT_EQ(part->field("Vary"), "Accept-Encoding");
    EXPECT_EQ(part->field("ETag"), whole->field("ETag"));
}

TEST_F(StaticFileHandlerTest, IfRange) {
    write("a.com/x.txt", text(5000));
    start();
    auto whole = get("/x.txt");
    std::string tag(whole->field("ETag")), date(whole->field("Last-Modified"));
    auto status = [&](std::string_view condition) {
        return get("/x.txt", {{"Range", "bytes=0-9"}, {"If-Range", std::string(condition)}})->status();
    };
    EXPECT_EQ(status(tag), 206);
    EXPECT_EQ(status(date), 206);
    EXPECT_EQ(status("W/" + tag), 200);
    EXPECT_EQ(status("\"x\""), 200);
    EXPECT_EQ(status("Sun, 06 Nov 1994 08:49:37 GMT"), 200);
}

TEST_F(StaticFileHandlerTest, ARangeOutlivesTheCache) {
    const std::string content = text(200'000);
    write("a.com/x.bin", content);
    start();
    get("/x.bin");
    BufferChain chain;
    {
        // What a slow client is still being sent.
        auto exchange = begin("/x.bin", {{"Range", "bytes=100000-199999"}});
        EXPECT_EQ(exchange->body(), content.substr(100'000));
    }
    handler_->trimMemory();
    store_.clear();
    EXPECT_EQ(get("/x.bin", {{"Range", "bytes=100000-199999"}})->body(), content.substr(100'000));
}

// ---- headers of types ----

TEST_F(StaticFileHandlerTest, HeadersOfExtensions) {
    write("a.com/x.foo", "hello");
    rules_->fileTypes = std::make_shared<routing::FileTypes>(
        std::vector<std::pair<std::string, std::vector<std::string>>>{
            {"foo", {"Content-Type: text/x-foo", "Cache-Control: no-cache", "X-Foo: 1"}}},
        std::vector<std::string>{});
    start();
    auto exchange = get("/x.foo");
    EXPECT_EQ(exchange->field("Content-Type"), "text/x-foo");
    EXPECT_EQ(exchange->field("Cache-Control"), "no-cache");
    EXPECT_EQ(exchange->field("X-Foo"), "1");
    EXPECT_EQ(exchange->field("Server"), "Saker");
}

// ---- listings and error pages ----

TEST_F(StaticFileHandlerTest, Listings) {
    write("a.com/d/b.txt", "hello");
    write("a.com/d/.hidden", "x");
    write("a.com/d/page.php", "x");
    folder_.makeFolder("a.com/d/sub");
    rules_->directoryListing = true;
    start();
    auto exchange = get("/d/");
    EXPECT_EQ(exchange->status(), 200);
    EXPECT_THAT(exchange->body(), AllOf(HasSubstr("b.txt"), HasSubstr("sub/"), Not(HasSubstr(".hidden")),
                                        Not(HasSubstr("page.php"))));
    EXPECT_EQ(exchange->field("Cache-Control"), "no-cache");
    EXPECT_EQ(exchange->field("Vary"), "Accept");
    EXPECT_FALSE(exchange->has("Accept-Ranges"));
    EXPECT_THAT(std::string(get("/d/", {{"Accept", "application/json"}})->field("Content-Type")),
                StartsWith("application/json"));
    EXPECT_EQ(get("/d/", {}, "HEAD")->body(), "");
}

TEST_F(StaticFileHandlerTest, ErrorPagesAreFilledInAndNeverCached) {
    write("a.com/error404.html", "<p>${0} ${path} ${status}");
    write("a.com/error4xx.html", "any ${status}");
    start();
    for (int round = 0; round < 2; ++round) {
        auto exchange = get("/none?<b>", {{"Referer", "http://x/\"><script>"},
                                          {"If-None-Match", "*"},
                                          {"Range", "bytes=0-1"},
                                          {"Accept-Encoding", "br"}});
        EXPECT_EQ(exchange->status(), 404) << "conditions and ranges are about what was asked for";
        EXPECT_EQ(exchange->body(), "<p>http://x/&quot;&gt;&lt;script&gt; /none 404");
        EXPECT_EQ(exchange->field("Cache-Control"), "no-store");
        EXPECT_EQ(exchange->field("Content-Type"), "text/html; charset=utf-8");
        EXPECT_EQ(exchange->field("Server"), "Saker");
        for (const char* name : {"ETag", "Last-Modified", "Content-Encoding", "Accept-Ranges"}) {
            EXPECT_FALSE(exchange->has(name)) << name;
        }
    }
    auto post = get("/none", {}, "POST");
    EXPECT_EQ(post->body(), "any 405");
    EXPECT_EQ(post->field("Allow"), "GET, HEAD, OPTIONS");
    EXPECT_EQ(get("/error404.html")->status(), 200) << "a page like any other when asked for";
    EXPECT_EQ(get("/error404.html")->body(), "<p>${0} ${path} ${status}");
}

TEST_F(StaticFileHandlerTest, ErrorPagesNeedNoCache) {
    write("a.com/error404.html", "own ${status}" + text(5000));
    ContentStore::Options limits;
    limits.maxIdentity = 0;
    start(limits);
    for (int round = 0; round < 2; ++round) {
        EXPECT_THAT(get("/none")->body(), StartsWith("own 404a line"));
    }
    EXPECT_THAT(get("/error404.html")->body(), StartsWith("own ${status}"));
    start(limits); // now as a file first
    auto file = get("/error404.html");
    EXPECT_EQ(file->filePieces(), 1u);
    EXPECT_THAT(get("/none")->body(), StartsWith("own 404a line"));
}

TEST_F(StaticFileHandlerTest, AnErrorPageThatCannotBeReadLeavesTheStatus) {
    write("a.com/x.txt", "hello");
    write("a.com/error412.html", "own");
    start();
    folder_.remove("a.com/error412.html");
    auto exchange = get("/x.txt", {{"If-Match", "\"x\""}});
    EXPECT_EQ(exchange->status(), 412) << "not 404: that is the page's, not the request's";
    EXPECT_THAT(exchange->body(), HasSubstr("412"));
}

TEST_F(StaticFileHandlerTest, AFileIsNoErrorPageWhenItIsTooLong) {
    write("a.com/error404.html", std::string((1 << 20) + 1, 'x'));
    start();
    auto exchange = get("/none");
    EXPECT_EQ(exchange->status(), 404);
    EXPECT_LT(exchange->body().size(), 100'000u);
}

} // namespace
} // namespace saker::static_files
