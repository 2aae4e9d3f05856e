#include "http/outgoing_body.h"

#include <gtest/gtest.h>

#include <deque>

namespace saker::http {
namespace {

using Pull = BodySource::Pull;

class PartsSource final : public BodySource {
public:
    PartsSource(std::deque<std::string> parts, Pull last, bool& isGone)
        : parts_(std::move(parts)), last_(last), isGone_(isGone) {}
    ~PartsSource() override { isGone_ = true; }
    Pull pull(BufferChain& chain, std::size_t) override {
        if (!parts_.empty()) {
            chain.append(std::move(parts_.front()));
            parts_.pop_front();
        }
        return parts_.empty() ? last_ : Pull::more;
    }

private:
    std::deque<std::string> parts_;
    Pull last_;
    bool& isGone_;
};

struct Case {
    const char* what;
    std::deque<std::string> parts;
    Pull last;
    std::optional<std::uint64_t> length;
    Pull result;
};

TEST(OutgoingBody, HoldsTheSourceToItsWord) {
    const Case cases[] = {
        {"unknown length", {"abc", "def"}, Pull::end, std::nullopt, Pull::end},
        {"as promised", {"abc", "def"}, Pull::end, 6, Pull::end},
        {"nothing, as promised", {}, Pull::end, 0, Pull::end},
        {"too short", {"abc", "de"}, Pull::end, 6, Pull::failed},
        {"too long at its end", {"abc", "defg"}, Pull::end, 6, Pull::failed},
        {"too long before its end", {"abc", "defg", "h"}, Pull::end, 6, Pull::failed},
        {"it says so itself", {"abc"}, Pull::failed, std::nullopt, Pull::failed},
        {"it waits", {"abc"}, Pull::wait, 6, Pull::wait},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.what);
        bool isGone = false;
        OutgoingBody body;
        body.start(std::make_unique<PartsSource>(c.parts, c.last, isGone), c.length, [] {});
        BufferChain chain;
        chain.appendStatic("what was there before does not count");
        Pull pull = Pull::more;
        while (pull == Pull::more) {
            ASSERT_TRUE(body);
            pull = body.pull(chain, 10);
        }
        EXPECT_EQ(pull, c.result);
        EXPECT_EQ(static_cast<bool>(body), c.result == Pull::wait);
        EXPECT_EQ(isGone, c.result != Pull::wait);
    }
}

TEST(OutgoingBody, StoppingCancels) {
    bool isGone = false;
    OutgoingBody body;
    body.start(std::make_unique<PartsSource>(std::deque<std::string>{"a"}, Pull::end, isGone), std::nullopt,
               [] {});
    body.reset();
    EXPECT_TRUE(isGone);
    EXPECT_FALSE(body);
}

} // namespace
} // namespace saker::http
