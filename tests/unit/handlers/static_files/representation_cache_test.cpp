#include "handlers/static_files/representation_cache.h"

#include <gmock/gmock.h>

namespace saker::static_files {
namespace {

constexpr FileStamp kStamp{5, 1000};

class RepresentationCacheTest : public testing::Test {
protected:
    RepresentationCacheTest() { site_->rules = std::make_shared<routing::SiteRules>(); }

    Ref<Representation> make(std::string path, FileStamp stamp = kStamp) {
        return makeRef<Representation>(site_, std::move(path), stamp, routing::FileType{});
    }
    void fill(RepresentationCache& cache, Representation& representation, std::size_t bytes) {
        content_.push_back(std::make_unique<std::string>(bytes, 'x'));
        http::PreparedResponse::Body body;
        body.bytes = *content_.back();
        representation.fill(http::Coding::identity, std::move(body), "\"t\"", representation.stamp());
        cache.grew(representation);
    }
    /// Which of the names are there; does not count as use.
    std::string present(RepresentationCache& cache, std::initializer_list<const char*> names) {
        std::string out;
        for (const char* name : names) {
            if (Representation* found = cache.find(*site_, name, kStamp)) {
                found->isRecentlyUsed = false;
                out += name;
            }
        }
        return out;
    }

    std::shared_ptr<routing::Site> site_ = std::make_shared<routing::Site>();
    std::vector<std::unique_ptr<std::string>> content_;
};

TEST_F(RepresentationCacheTest, FindsExactlyThatVersionUnderThatSite) {
    RepresentationCache cache(1 << 20, 10);
    auto made = make("a");
    cache.insert(made);
    EXPECT_EQ(cache.find(*site_, "a", kStamp), made.get());
    EXPECT_EQ(cache.find(*site_, "b", kStamp), nullptr);
    EXPECT_EQ(cache.find(*site_, "a", {6, 1000}), nullptr);
    EXPECT_EQ(cache.find(*site_, "a", kStamp), nullptr) << "another version is asked for: this one is over";
    cache.insert(made);
    EXPECT_EQ(cache.find(*site_, "a", {5, 1001}), nullptr);
    cache.insert(made);
    routing::Site other;
    EXPECT_EQ(cache.find(other, "a", kStamp), nullptr) << "other rules, other headers";
}

TEST_F(RepresentationCacheTest, ReplacesByPath) {
    RepresentationCache cache(1 << 20, 10);
    auto first = make("a"), second = make("a");
    cache.insert(first);
    cache.insert(second);
    EXPECT_EQ(cache.find(*site_, "a", kStamp), second.get());
    cache.drop(*first); // no longer in it
    EXPECT_EQ(cache.find(*site_, "a", kStamp), second.get());
    cache.drop(*second);
    EXPECT_EQ(cache.find(*site_, "a", kStamp), nullptr);
    cache.clear();
    cache.grew(*second); // whoever still answers with it may fill it
    EXPECT_EQ(cache.find(*site_, "a", kStamp), nullptr);
}

TEST_F(RepresentationCacheTest, IsBoundedInNumber) {
    RepresentationCache cache(1 << 20, 3);
    for (const char* name : {"a", "b", "c"}) {
        cache.insert(make(name));
    }
    EXPECT_NE(cache.find(*site_, "a", kStamp), nullptr); // used: gets a second chance
    cache.insert(make("d"));
    EXPECT_EQ(present(cache, {"a", "b", "c", "d"}), "acd");
    cache.insert(make("e"));
    EXPECT_EQ(present(cache, {"a", "b", "c", "d", "e"}), "ade") << "a chance is used up";
}

TEST_F(RepresentationCacheTest, IsBoundedInBytes) {
    RepresentationCache cache(300'000, 100);
    for (const char* name : {"a", "b", "c", "d"}) {
        auto made = make(name);
        cache.insert(made);
        fill(cache, *made, 90'000);
    }
    EXPECT_EQ(present(cache, {"a", "b", "c", "d"}), "bcd");
    auto huge = make("huge");
    cache.insert(huge);
    fill(cache, *huge, 1'000'000);
    EXPECT_EQ(present(cache, {"a", "b", "c", "d", "huge"}), "huge")
        << "the last one stays: it is being answered with";
    cache.insert(make("e"));
    EXPECT_EQ(present(cache, {"huge", "e"}), "e");
}

TEST_F(RepresentationCacheTest, AHandleKeepsNothingAlive) {
    auto cache = std::make_unique<RepresentationCache>(1 << 20, 1);
    std::weak_ptr<routing::Site> watch;
    {
        auto site = std::make_shared<routing::Site>();
        site->rules = site_->rules;
        watch = site;
        cache->insert(makeRef<Representation>(site, "a", kStamp, routing::FileType{}));
    }
    Ref<Representation::Handle> handle = cache->find(*watch.lock(), "a", kStamp)->handle;
    EXPECT_NE(handle->target, nullptr);
    auto b = make("b");
    cache->insert(b);
    cache->insert(make("c")); // "a" was used, "b" was not
    cache->insert(make("d"));
    EXPECT_EQ(handle->target, nullptr) << "evicted";
    EXPECT_TRUE(watch.expired());
    EXPECT_FALSE(b->handle);
    cache->insert(b);
    handle = b->handle;
    cache.reset();
    EXPECT_EQ(handle->target, nullptr);
}

TEST_F(RepresentationCacheTest, AFileThatChangesAllTheTimeDoesNotFillIt) {
    RepresentationCache cache(1 << 20, 4);
    for (int i = 0; i < 1000; ++i) {
        auto made = make("a", {5, 1000 + i});
        cache.insert(made);
        fill(cache, *made, 100);
        cache.drop(*made);
    }
    cache.insert(make("b"));
    EXPECT_EQ(present(cache, {"b"}), "b");
}

TEST_F(RepresentationCacheTest, WhatIsEvictedLivesOnForThoseWhoHoldIt) {
    RepresentationCache cache(1 << 20, 1);
    auto held = make("a");
    cache.insert(held);
    fill(cache, *held, 10);
    cache.insert(make("b"));
    EXPECT_EQ(present(cache, {"a", "b"}), "b");
    EXPECT_EQ(held->variant(http::Coding::identity).whole->bodySize(), 10u);
    fill(cache, *held, 500'000); // counts for nothing
    EXPECT_EQ(present(cache, {"b"}), "b");
}

} // namespace
} // namespace saker::static_files
