#include "host/console.h"
#include "unit/host/scripted_device.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace saker::host {
namespace {

using ::testing::HasSubstr;

class ConsoleTest : public ::testing::Test {
protected:
    void start() {
        console_ = std::make_unique<Console>(
            std::make_unique<ScriptedDevice>(script),
            [this](std::string_view line, control::Output& output) { run(line, output); });
        console_->start();
    }
    void run(std::string_view line, control::Output& output) {
        if (line == "throw") {
            throw std::runtime_error("out of cheese");
        }
        if (line == "odd") {
            throw 1;
        }
        if (line == "fail") {
            output.error("no such thing");
        }
        if (line == "names") {
            output.line("tab\there, \x1b[31mred, caf\xc3\xa9, \xc2\x9b");
        }
        if (line == "many") {
            while (output.line("a line of an answer without end")) {
            }
            return;
        }
        output.line("<" + std::string(line) + ">");
    }

    std::shared_ptr<Script> script = std::make_shared<Script>();
    std::unique_ptr<Console> console_;
};

TEST_F(ConsoleTest, carriesOutLinesInOrder) {
    start();
    script->type("one\ntwo\nthr");
    script->type("ee\n");
    script->awaitOutput("<three>\n");
    EXPECT_EQ(script->written(), "<one>\n<two>\n<three>\n");
}

TEST_F(ConsoleTest, lastLineNeedsNoLineEnd) {
    start();
    script->type("last");
    script->end();
    script->awaitOutput("<last>\n");
}

TEST_F(ConsoleTest, endOfInputEndsTheConsoleOnly) {
    script->end();
    start();
    console_->stop();
    EXPECT_EQ(script->written(), "");
}

TEST_F(ConsoleTest, exceptionsDoNotEndIt) {
    start();
    script->type("throw\nodd\nstill here\n");
    script->awaitOutput("<still here>\n");
    EXPECT_EQ(script->written(), "The command failed: out of cheese\n"
                                 "The command failed for a reason that is not known.\n"
                                 "<still here>\n");
}

TEST_F(ConsoleTest, garbageAndLongLinesDoNotEndIt) {
    start();
    script->type(std::string(3, '\0') + "\xff\xfe\n");
    script->type(std::string(1000000, 'x'));
    script->type("\nstill here\n");
    script->awaitOutput("<still here>\n");
    EXPECT_THAT(script->written(), HasSubstr("The line is too long"));
}

TEST_F(ConsoleTest, controlCharactersOfAnswersAreShownNotSent) {
    start();
    script->type("names\n");
    script->awaitOutput("<names>");
    EXPECT_THAT(script->written(), HasSubstr("tab\there, \\x1b[31mred, caf\xc3\xa9, \\xc2\x9b\n"));
}

TEST_F(ConsoleTest, promptsOnlyAtATerminal) {
    script->interactive = true;
    start();
    script->type("one\n");
    script->awaitOutput("<one>\n> ");
    EXPECT_EQ(script->written(), "> <one>\n> ");
    script->end();
    script->awaitOutput("The server goes on");
}

TEST_F(ConsoleTest, stopEndsAnAnswerUnderWay) {
    start();
    script->type("many\n");
    script->awaitOutput("a line");
    console_->stop();
}

} // namespace
} // namespace saker::host
