#include "php/kept_program.h"

#include "support/temp_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <memory>
#include <string>

#include <unistd.h>

namespace saker::php {
namespace {

using std::chrono::milliseconds;
using State = KeptProgram::State;

constexpr const char* kStands = "trap 'exit 0' QUIT TERM; echo ready; while :; do sleep 0.01; done";

/// One program whose script the test may change, and looks at it from outside the thread.
struct Keeper {
    explicit Keeper(KeptProgram::Manner manner = {}) {
        KeptProgram::Owner owner;
        owner.setup = [this]() -> Result<os::ChildSetup> {
            ++starts;
            os::ChildSetup setup;
            setup.argv = {"/bin/sh", "-c", script};
            return setup;
        };
        owner.onLine = [](std::string_view line) { return line == "ready"; };
        owner.onTrouble = [this](const std::string& what) { trouble = what; };
        owner.onChange = [] {};
        program = std::make_unique<KeptProgram>(*thread, manner, std::move(owner));
    }
    ~Keeper() { thread.reset(); } // before what its callbacks use

    void run(const std::function<void()>& job) const { thread->call(job); }
    void start(const std::string& text) {
        run([&] {
            script = text;
            program->start();
        });
    }
    /// Until the condition holds on the thread; false after a minute.
    bool waitFor(const std::function<bool()>& condition) const {
        for (int i = 0; i < 6000; ++i) {
            bool holds = false;
            run([&] { holds = condition(); });
            if (holds) {
                return true;
            }
            ::usleep(10'000);
        }
        return false;
    }
    bool waitFor(State state) const {
        return waitFor([&] { return program->state() == state; });
    }
    std::uint64_t process() const {
        std::uint64_t id = 0;
        run([&] { id = program->process(); });
        return id;
    }
    void kill() const { ::kill(static_cast<pid_t>(process()), SIGKILL); }

    std::unique_ptr<os::ChildThread> thread = std::make_unique<os::ChildThread>();
    std::unique_ptr<KeptProgram> program;
    std::string script;
    std::string trouble;
    int starts = 0;
};

TEST(KeptProgram, IsReadyWhenItSaysSo) {
    Keeper keeper;
    keeper.start(kStands);
    EXPECT_TRUE(keeper.waitFor(State::ready));
    EXPECT_GT(keeper.process(), 0u);
    keeper.run([&] { keeper.program->stop(std::chrono::minutes(1)); });
    EXPECT_TRUE(keeper.waitFor(State::stopped));
    EXPECT_EQ(keeper.process(), 0u);
    EXPECT_EQ(keeper.program->restarts(), 0u);
    EXPECT_EQ(keeper.trouble, "");
}

TEST(KeptProgram, IsReadyOnceItHasStood) {
    KeptProgram::Manner manner;
    manner.readyAfter = milliseconds(20);
    Keeper keeper(manner);
    keeper.start("exec sleep 1000");
    EXPECT_TRUE(keeper.waitFor(State::ready));
}

TEST(KeptProgram, ComesBackAfterACrash) {
    Keeper keeper;
    keeper.start(kStands);
    ASSERT_TRUE(keeper.waitFor(State::ready));
    const std::uint64_t first = keeper.process();
    keeper.kill();
    EXPECT_TRUE(keeper.waitFor([&] { return keeper.program->restarts() == 1; }));
    EXPECT_NE(keeper.program->state(), State::failed) << "the pause is short: who waits may go on waiting";
    EXPECT_TRUE(keeper.waitFor(State::ready));
    EXPECT_NE(keeper.process(), first);
    EXPECT_EQ(keeper.trouble, "ended with signal 9 (KILL)");
}

TEST(KeptProgram, HasFailedWhenItEndsBeforeItIsReady) {
    Keeper keeper;
    keeper.start("exit 78");
    EXPECT_TRUE(keeper.waitFor(State::failed));
    EXPECT_EQ(keeper.trouble, "ended with exit code 78");
    keeper.run([&] { keeper.script = kStands; });
    EXPECT_TRUE(keeper.waitFor(State::ready)) << "it is tried again";
}

TEST(KeptProgram, HasFailedWhenItCannotBeStarted) {
    os::ChildThread thread;
    std::string trouble;
    KeptProgram::Owner owner;
    owner.setup = []() -> Result<os::ChildSetup> {
        return Error{ErrorKind::failure, "the file is full", {}};
    };
    owner.onTrouble = [&](const std::string& what) { trouble = what; };
    owner.onChange = [] {};
    KeptProgram program(thread, {}, std::move(owner));
    thread.call([&] {
        program.start();
        EXPECT_EQ(program.state(), State::failed);
        EXPECT_EQ(trouble, "the file is full");
        program.stop(milliseconds(0));
        EXPECT_EQ(program.state(), State::stopped);
    });
}

TEST(KeptProgram, RecyclingIsNoCrash) {
    KeptProgram::Manner manner;
    manner.readyAfter = milliseconds(1);
    manner.recyclesAfter = milliseconds(1);
    Keeper keeper(manner);
    keeper.start("sleep 0.05; exit 0");
    EXPECT_TRUE(keeper.waitFor([&] { return keeper.starts >= 4; }));
    EXPECT_EQ(keeper.program->restarts(), 0u);
    EXPECT_EQ(keeper.trouble, "");
}

TEST(KeptProgram, RecyclingTooSoonIsSlowedDownAndFailsInTheEnd) {
    KeptProgram::Manner manner;
    manner.recyclesAfter = std::chrono::hours(1);
    Keeper keeper(manner);
    keeper.start("exit 0");
    EXPECT_TRUE(keeper.waitFor([&] { return keeper.starts == 2; }));
    keeper.run([&] { EXPECT_EQ(keeper.trouble, ""); });
    EXPECT_TRUE(keeper.waitFor(State::failed));
    EXPECT_EQ(keeper.trouble, "ended with exit code 0");
}

TEST(KeptProgram, AReplacementTakesOverWhenItIsReady) {
    const test::TempFolder folder;
    Keeper keeper;
    keeper.start(kStands);
    ASSERT_TRUE(keeper.waitFor(State::ready));
    const std::uint64_t first = keeper.process();
    keeper.run([&] {
        keeper.script = "while ! test -e " + folder.at("go") + "; do sleep 0.01; done; " + kStands;
        keeper.program->replace();
    });
    EXPECT_EQ(keeper.process(), first);
    EXPECT_TRUE(keeper.waitFor(State::ready)) << "the old one serves meanwhile";
    folder.write("go");
    EXPECT_TRUE(keeper.waitFor([&] { return keeper.program->process() != first; }));
    EXPECT_TRUE(keeper.waitFor(State::ready));
    EXPECT_TRUE(keeper.waitFor([&] { return ::kill(static_cast<pid_t>(first), 0) != 0; }))
        << "was asked to end";
    EXPECT_EQ(keeper.program->restarts(), 0u);
}

TEST(KeptProgram, StaysWhenItsReplacementDoesNotStart) {
    Keeper keeper;
    keeper.start(kStands);
    ASSERT_TRUE(keeper.waitFor(State::ready));
    const std::uint64_t first = keeper.process();
    keeper.run([&] {
        keeper.script = "exit 3";
        keeper.program->replace();
    });
    EXPECT_TRUE(keeper.waitFor([&] { return !keeper.trouble.empty(); }));
    EXPECT_EQ(keeper.trouble, "ended with exit code 3");
    EXPECT_EQ(keeper.process(), first);
    EXPECT_EQ(keeper.program->state(), State::ready);
}

TEST(KeptProgram, AReplacementThatRecyclesEarlyHasTakenOver) {
    KeptProgram::Manner manner;
    manner.recyclesAfter = milliseconds(1);
    Keeper keeper(manner);
    keeper.start(kStands);
    ASSERT_TRUE(keeper.waitFor(State::ready));
    const std::uint64_t first = keeper.process();
    keeper.run([&] {
        keeper.script = "sleep 0.05; exit 0";
        keeper.program->replace();
    });
    EXPECT_TRUE(keeper.waitFor([&] { return keeper.program->replacements() == 1; }));
    EXPECT_NE(keeper.process(), first);
    EXPECT_EQ(keeper.trouble, "");
}

TEST(KeptProgram, AReplacementOfWhatDoesNotRunStartsAtOnce) {
    Keeper keeper;
    keeper.start("exit 1");
    // The pauses have grown by now.
    ASSERT_TRUE(
        keeper.waitFor([&] { return keeper.starts >= 3 && keeper.program->state() == State::failed; }));
    keeper.run([&] {
        keeper.script = kStands;
        keeper.program->replace();
        EXPECT_EQ(keeper.program->state(), State::starting);
    });
    EXPECT_TRUE(keeper.waitFor(State::ready));
}

TEST(KeptProgram, OneThatIgnoresRequestsIsKilled) {
    Keeper keeper;
    keeper.start("trap '' QUIT TERM; echo ready; while :; do sleep 0.01; done");
    ASSERT_TRUE(keeper.waitFor(State::ready));
    keeper.run([&] { keeper.program->stop(milliseconds(1)); });
    EXPECT_TRUE(keeper.waitFor(State::stopped));
}

TEST(KeptProgram, StopsDuringAPause) {
    Keeper keeper;
    keeper.start("exit 1");
    ASSERT_TRUE(keeper.waitFor(State::failed));
    keeper.run([&] { keeper.program->stop(milliseconds(0)); });
    EXPECT_TRUE(keeper.waitFor(State::stopped));
    const int starts = keeper.starts;
    keeper.run([&] {
        keeper.program->start();
        keeper.program->replace();
    });
    EXPECT_EQ(keeper.starts, starts);
}

} // namespace
} // namespace saker::php
