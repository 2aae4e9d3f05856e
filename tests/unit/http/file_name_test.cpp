#include "http/file_name.h"

#include <gtest/gtest.h>

namespace saker::http {
namespace {

TEST(FileName, TellsNamesThatWindowsReadsAsOthers) {
    for (std::string_view name :
         {"a.",         "a ",   "a.php.", "a:b",  "a.php::$DATA", "CON",      "con.txt",  "nul",
          "Aux.tar.gz", "COM1", "com0.x", "LPT9", "com\u00b9",    "CON .txt", "PROGRA~1", "LONGFI~1.HTM",
          "~1",         "a<b",  "a|b",    "a?b",  "a*",           "a\"",      "CONIN$"}) {
        EXPECT_TRUE(isSuspiciousName(name)) << name;
    }
    for (std::string_view name : {"", "a", "a.b", ".htaccess", "console", "com", "com10", "lpt",
                                  "nullable.js", "a~b", "a~", "longer-name~1.html", "caf\u00e9", "...a"}) {
        EXPECT_FALSE(isSuspiciousName(name)) << name;
    }
}

TEST(FileName, LooksAtEveryNameOfAPath) {
    EXPECT_TRUE(hasSuspiciousName("a/b./c"));
    EXPECT_TRUE(hasSuspiciousName("a/nul"));
    EXPECT_FALSE(hasSuspiciousName("a/b/c.html"));
    EXPECT_FALSE(hasSuspiciousName(""));
}

} // namespace
} // namespace saker::http
