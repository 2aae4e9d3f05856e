#include "os/proc_text.h"

#include <gtest/gtest.h>

#include <string>

namespace saker::os {
namespace {

TEST(ProcessStat, FieldsBehindAnyName) {
    const std::string rest =
        " S 1 2 3 0 -1 4194560 100 0 0 0 5 6 0 0 20 0 7 0 123456 99999 42 18446744073709551615 1 1\n";
    for (const char* name : {"(sakerd)", "(a b)", "(a) 1 2 (b)", "(:-))"}) {
        ProcessStat stat = parseProcessStat("4321 " + std::string(name) + rest);
        EXPECT_EQ(stat.threads, 7u) << name;
        EXPECT_EQ(stat.startTicks, 123456u) << name;
        EXPECT_EQ(stat.residentPages, 42u) << name;
    }
}

TEST(ProcessStat, NonsenseIsZero) {
    for (const char* text : {"", "12", "12 (x", "12 (x)", "12 (x) S 1 2"}) {
        ProcessStat stat = parseProcessStat(text);
        EXPECT_EQ(stat.threads, 0u) << text;
        EXPECT_EQ(stat.residentPages, 0u) << text;
    }
}

constexpr const char* kTable =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
    "   0: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1001 1 0 100 "
    "0\n"
    "   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1002 1 0 100 "
    "0\n"
    "   2: 0100007F:0050 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 1003 1 0 100 "
    "0\n"
    "   3: 00000000:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1004 1 0 100 "
    "0\n"
    "   4: 00000000000000000000000000000000:01BB 00000000000000000000000000000000:0000 0A 00000000:00000000 "
    "00:00000000 00000000 0 0 1005 1 0 100 0\n"
    "   5: cut\n";

TEST(ListeningInodes, OnlyListenersOfThePort) {
    EXPECT_EQ(listeningInodes(kTable, 80), (std::vector<std::uint64_t>{1001, 1004}));
    EXPECT_EQ(listeningInodes(kTable, 8080), (std::vector<std::uint64_t>{1002}));
    EXPECT_EQ(listeningInodes(kTable, 443), (std::vector<std::uint64_t>{1005}));
    EXPECT_TRUE(listeningInodes(kTable, 81).empty());
}

TEST(ListeningInodes, AnyCutOfTheTableIsSafe) {
    std::string table = kTable;
    for (std::size_t n = 0; n <= table.size(); ++n) {
        EXPECT_LE(listeningInodes(std::string_view(table).substr(0, n), 80).size(), 2u);
    }
}

TEST(LocalListenerInodes, OfSocketsThatListenBelowAFolder) {
    constexpr const char* kTable =
        "Num       RefCount Protocol Flags    Type St Inode Path\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 1001 /run/a/x.sock\n"
        "0000000000000000: 00000003 00000000 00000000 0001 03 1002 /run/a/x.sock\n" // a connection
        "0000000000000000: 00000002 00000000 00010000 0001 01 1003 /run/ab/x.sock\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 1004 @/run/a/x\n" // has no file
        "0000000000000000: 00000002 00000000 00010000 0001 01 1005 /run/a/b c/x.sock\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 1006\n"
        "0000000000000000: 00000002 00000000 00010000 0001 01 1007 /run/a\n";
    EXPECT_EQ(localListenerInodes(kTable, "/run/a"), (std::vector<std::uint64_t>{1001, 1005}));
    EXPECT_TRUE(localListenerInodes("", "/run/a").empty());
    EXPECT_TRUE(localListenerInodes("a b c\n\n/", "/run/a").empty());
}

} // namespace
} // namespace saker::os
