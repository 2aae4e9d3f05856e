#include "http/h2/priority.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

TEST(Priority, ReadsWhatClientsSend) {
    struct Case {
        std::string_view value;
        unsigned urgency;
        bool incremental;
    };
    for (const Case& one : {
             Case{"", 3, false},
             Case{"u=0", 0, false},
             Case{"u=7, i", 7, true},
             Case{"i", 3, true},
             Case{"i, u=5", 5, true},
             Case{"i=?1", 3, true},
             Case{"i, i=?0", 3, false}, // the last one counts (RFC 8941, section 3.2)
             Case{"u=1,u=2", 2, false},
             Case{"u=1;x=y, i;z", 1, true},
             Case{"u=8", 3, false},
             Case{"u=-1", 3, false},
             Case{"u=", 3, false},
             Case{"u=10", 3, false},
             Case{"i=1", 3, false},
             Case{"foo, u=4, bar=baz", 4, false},
             Case{",,u=4,", 4, false},
         }) {
        const Priority priority = parsePriority(one.value);
        EXPECT_EQ(priority.urgency, one.urgency) << one.value;
        EXPECT_EQ(priority.incremental, one.incremental) << one.value;
    }
}

} // namespace
} // namespace saker::http
