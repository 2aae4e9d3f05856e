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

} // namespace
} // namespace saker::os
