#include "handlers/static_files/representation.h"

#include <gmock/gmock.h>

namespace saker::static_files {
namespace {

using http::Coding;

constexpr std::int64_t kTime = 784111777'500'000'000;

class RepresentationTest : public testing::Test {
protected:
    RepresentationTest() {
        rules_->defaultHeaders = {{"Server", "Saker"}, {"Cache-Control", "max-age=300"}, {"X-Default", "1"}};
        site_->rules = rules_;
    }
    Ref<Representation> make(routing::FileType type, std::string path = "a.com/x.html") {
        return makeRef<Representation>(site_, std::move(path), FileStamp{5, kTime}, std::move(type));
    }
    static routing::FileType html() { return {"text/html", {}, false, true}; }
    static http::PreparedResponse::Body body(std::string_view bytes) {
        http::PreparedResponse::Body body;
        body.bytes = bytes;
        return body;
    }
    /// Decides about all codings but identity.
    static void setCodings(Representation& representation, Variant::State state) {
        for (Coding coding : {Coding::gzip, Coding::zstd, Coding::br}) {
            representation.variant(coding).state = state;
        }
    }

    std::shared_ptr<routing::SiteRules> rules_ = std::make_shared<routing::SiteRules>();
    std::shared_ptr<routing::Site> site_ = std::make_shared<routing::Site>();
};

TEST_F(RepresentationTest, TheMoreSpecialHeaderWins) {
    auto type = html();
    type.fields = {{"cache-control", "no-cache"}, {"ETag", "mine"}, {"X-Type", "2"}};
    rules_->defaultHeaders.push_back({"Content-Type", "from/default"});
    auto representation = make(std::move(type));
    http::ResponseHead head = representation->head(Coding::identity, "\"tag\"");
    EXPECT_EQ(head.get("Cache-Control"), "no-cache") << "ExtTypes before DefaultHeaders";
    EXPECT_EQ(head.get("Content-Type"), "text/html");
    EXPECT_EQ(head.get("ETag"), "\"tag\"") << "what the server knows before both";
    EXPECT_EQ(head.get("Last-Modified"), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(head.get("X-Default"), "1");
    EXPECT_EQ(head.get("X-Type"), "2");
    EXPECT_EQ(head.get("Accept-Ranges"), "bytes");
    EXPECT_EQ(head.status, 200);
}

TEST_F(RepresentationTest, AcceptRangesMayBeSwitchedOff) {
    rules_->defaultHeaders.push_back({"accept-ranges", "none"});
    EXPECT_EQ(make(html())->head(Coding::identity, "x").get("Accept-Ranges"), "none");
}

TEST_F(RepresentationTest, VariesWhereThereIsAChoice) {
    auto representation = make(html());
    EXPECT_TRUE(representation->isNegotiated());
    EXPECT_EQ(representation->head(Coding::identity, "x").get("Vary"), "Accept-Encoding");
    EXPECT_FALSE(representation->head(Coding::identity, "x").has("Content-Encoding"));
    EXPECT_EQ(representation->head(Coding::br, "x").get("Content-Encoding"), "br");
    EXPECT_EQ(representation->head(Coding::gzip, "x").get("Content-Encoding"), "gzip");
    setCodings(*representation, Variant::State::absent);
    EXPECT_FALSE(representation->isNegotiated());
    EXPECT_EQ(representation->available(), http::CodingSet{Coding::identity});
    EXPECT_FALSE(representation->head(Coding::identity, "x").has("Vary"));
    representation->variant(Coding::gzip).state = Variant::State::unknown;
    EXPECT_EQ(representation->available(), (http::CodingSet{Coding::identity, Coding::gzip}));
    rules_->defaultHeaders.push_back({"vary", "Origin"});
    EXPECT_EQ(representation->head(Coding::identity, "x").get("Vary"), "Origin, Accept-Encoding");
}

TEST_F(RepresentationTest, NamesOfDownloads) {
    struct {
        const char *path, *expected;
    } rows[] = {
        {"a.com/x.zip", "attachment; filename=\"x.zip\""},
        {"plain.zip", "attachment; filename=\"plain.zip\""},
        {"a/two words.zip", "attachment; filename=\"two words.zip\""},
        {"a/q\"uo\\te.zip", "attachment; filename=\"q\\\"uo\\\\te.zip\""},
        {"a/line\r\nbreak.zip", "attachment; filename=\"line__break.zip\""},
        {"a/\xc3\xbc b.zip", "attachment; filename=\"__ b.zip\"; filename*=UTF-8''%C3%BC%20b.zip"},
        {"a/\xff.zip", "attachment; filename=\"_.zip\"; filename*=UTF-8''%FF.zip"},
    };
    for (const auto& row : rows) {
        auto representation =
            make({"application/zip", {{"Content-Disposition", "inline"}}, true, false}, row.path);
        EXPECT_EQ(representation->head(Coding::identity, "x").get("Content-Disposition"), row.expected)
            << row.path;
    }
    EXPECT_FALSE(make(html())->head(Coding::identity, "x").has("Content-Disposition"));
}

TEST_F(RepresentationTest, IsReadyOnceFilled) {
    auto representation = make(html());
    EXPECT_EQ(representation->variant(Coding::identity).state, Variant::State::unknown);
    representation->fill(Coding::identity, body("hello"), "\"t\"", {5, kTime + 1'000'000'000});
    const Variant& variant = representation->variant(Coding::identity);
    EXPECT_EQ(variant.state, Variant::State::ready);
    EXPECT_EQ(variant.etag, "\"t\"");
    EXPECT_EQ(variant.whole->bodySize(), 5u);
    EXPECT_EQ(variant.whole->head().get("Last-Modified"), "Sun, 06 Nov 1994 08:49:38 GMT")
        << "as it was read";
    EXPECT_EQ(variant.stamp, (FileStamp{5, kTime})) << "what the index said stays: the cache compares it";
    representation->fill(Coding::br, body("b"), "\"tb\"", {5, kTime + 2'000'000'000});
    EXPECT_EQ(representation->modifiedSeconds(), 784111778) << "of the file itself, not of a sibling";
}

TEST_F(RepresentationTest, NotModifiedSaysWhatACacheNeeds) {
    auto type = html();
    type.isDownload = true;
    auto representation = make(std::move(type));
    representation->fill(Coding::gzip, body("hello"), "\"t\"", {5, kTime});
    http::PreparedResponse& reply = representation->notModified(Coding::gzip);
    EXPECT_EQ(reply.status(), 304);
    EXPECT_EQ(&representation->notModified(Coding::gzip), &reply) << "made once";
    for (const char* name : {"ETag", "Vary", "Cache-Control", "Last-Modified", "Server"}) {
        EXPECT_TRUE(reply.head().has(name)) << name;
    }
    for (const char* name : {"Content-Type", "Content-Length", "Content-Encoding", "Content-Disposition"}) {
        EXPECT_FALSE(reply.head().has(name)) << name;
    }
    EXPECT_EQ(reply.bodySize(), 0u);
    representation->fill(Coding::gzip, body("again"), "\"u\"", {5, kTime});
    EXPECT_EQ(representation->notModified(Coding::gzip).head().get("ETag"), "\"u\"");
}

TEST_F(RepresentationTest, CountsWhatItKeeps) {
    auto representation = make(html());
    std::uint64_t empty = representation->memoryUse();
    std::string big(300'000, 'b');
    representation->fill(Coding::identity, body(big), "\"t\"", {5, kTime});
    EXPECT_GE(representation->memoryUse(), empty + big.size()) << "kept alive, whoever else forgets it";
    http::PreparedResponse::Body file;
    file.file = makeRef<FileHandle>(-1);
    file.size = 1 << 30;
    representation->fill(Coding::identity, std::move(file), "\"t\"", {5, kTime});
    EXPECT_LT(representation->memoryUse(), empty + 4096) << "a file is not in memory";
}

} // namespace
} // namespace saker::static_files
