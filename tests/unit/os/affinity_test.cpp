#include "os/affinity.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace saker::os {
namespace {

namespace fs = std::filesystem;

TEST(CpuQuota, Texts) {
    EXPECT_EQ(parseCpuMax("200000 100000\n"), 2.0);
    EXPECT_EQ(parseCpuMax("50000 100000"), 0.5);
    for (const char* text :
         {"", "max 100000\n", "max", "100000", "0 100000", "1 0", "x y", "-1 100000", "1 2 3"}) {
        EXPECT_EQ(parseCpuMax(text), std::nullopt) << text;
    }
    EXPECT_EQ(parseCfsQuota("150000\n", "100000\n"), 1.5);
    EXPECT_EQ(parseCfsQuota("-1\n", "100000\n"), std::nullopt);
    EXPECT_EQ(parseCfsQuota("", ""), std::nullopt);
}

class CgroupTest : public testing::Test {
protected:
    CgroupTest() {
        std::string pattern = testing::TempDir() + "saker-cgroup-XXXXXX";
        root_ = ::mkdtemp(pattern.data());
    }
    ~CgroupTest() override { fs::remove_all(root_); }

    void put(const std::string& file, const std::string& text) const {
        fs::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }
    fs::path root_;
};

TEST_F(CgroupTest, TheTightestGroupOnTheWayUpCounts) {
    put("a/b/c/cpu.max", "max 100000\n");
    put("a/b/cpu.max", "150000 100000\n");
    put("a/cpu.max", "400000 100000\n");
    EXPECT_EQ(cgroupQuota("0::/a/b/c\n", root_), 1.5);
    EXPECT_EQ(cgroupQuota("0::/a\n", root_), 4.0);
    EXPECT_EQ(cgroupQuota("0::/\n", root_), std::nullopt);
}

TEST_F(CgroupTest, InAContainerTheRootIsTheGroup) {
    put("cpu.max", "100000 100000\n");
    EXPECT_EQ(cgroupQuota("0::/../../docker/123\n", root_), 1.0);
    EXPECT_EQ(cgroupQuota("0::/not/visible\n", root_), 1.0);
}

TEST_F(CgroupTest, VersionOne) {
    put("cpu,cpuacct/docker/7/cpu.cfs_quota_us", "250000\n");
    put("cpu,cpuacct/docker/7/cpu.cfs_period_us", "100000\n");
    put("memory/docker/7/cpu.cfs_quota_us", "1\n");
    put("memory/docker/7/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cgroupQuota("9:memory:/docker/7\n4:cpu,cpuacct:/docker/7\n1:name=systemd:/x\n", root_), 2.5);
    put("cpu/docker/7/cpu.cfs_quota_us", "50000\n");
    put("cpu/docker/7/cpu.cfs_period_us", "100000\n");
    EXPECT_EQ(cgroupQuota("4:cpuset,cpu:/docker/7\n", root_), 0.5);
}

TEST_F(CgroupTest, NonsenseIsNoQuota) {
    put("cpu.max", "100000 100000\n");
    for (const char* text : {"", ":", "::", "0", "0:", "0::", "0::a", "4:memory:/\n"}) {
        EXPECT_EQ(cgroupQuota(text, root_), std::nullopt) << text;
    }
}

TEST(Affinity, WorkersAreWithinTheAllowedCores) {
    EXPECT_GE(allowedCores(), 1u);
    EXPECT_GE(defaultWorkerCount(), 1u);
    EXPECT_LE(defaultWorkerCount(), allowedCores());
}

TEST(Affinity, APinnedThreadHasOneCore) {
    unsigned after = 0;
    std::thread([&] {
        if (pinCurrentThread(7)) {
            after = allowedCores();
        } else {
            after = 1; // refused by a sandbox
        }
    }).join();
    EXPECT_EQ(after, 1u);
}

} // namespace
} // namespace saker::os
