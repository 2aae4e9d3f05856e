#include "http/h1/head_collector.h"

#include <gtest/gtest.h>

#include <string>

namespace saker::http {
namespace {

using State = HeadCollector::State;

/// Head and rest, whatever the cut.
void expectHead(std::string_view input, std::string_view head, std::string_view rest) {
    for (std::size_t cut = 0; cut <= input.size(); ++cut) {
        HeadCollector collector(1000);
        HeadCollector::Step step = collector.next(input.substr(0, cut));
        std::size_t used = step.consumed;
        if (step.state == State::more) {
            EXPECT_EQ(used, cut);
            step = collector.next(input.substr(cut));
            used += step.consumed;
        }
        ASSERT_EQ(step.state, State::complete) << "cut at " << cut;
        EXPECT_EQ(step.head, head) << "cut at " << cut;
        EXPECT_EQ(input.substr(used), rest) << "cut at " << cut;
    }
}

TEST(HeadCollectorTest, findsTheEmptyLine) {
    expectHead("A: b\r\nC: d\r\n\r\nbody", "A: b\r\nC: d\r\n", "body");
    expectHead("A: b\nC: d\n\nbody\n\n", "A: b\nC: d\n", "body\n\n");
    expectHead("A: b\r\nC: d\n\r\nbody", "A: b\r\nC: d\n", "body");
    expectHead("A: b\nC: d\r\n\nbody", "A: b\nC: d\r\n", "body");
    expectHead("\r\nbody", "", "body");
    expectHead("\nbody", "", "body");
    expectHead("A: b\r\r\n\r\n", "A: b\r\r\n", "");
    expectHead("A: b\r\n\r\r\n\r\nx", "A: b\r\n\r\r\n", "x");
}

TEST(HeadCollectorTest, collectsSeveralHeads) {
    HeadCollector collector(20);
    EXPECT_EQ(collector.next("A: b\r").state, State::more);
    EXPECT_TRUE(collector.isStarted());
    const HeadCollector::Step first = collector.next("\n\nC: d\n\n");
    EXPECT_EQ(first.head, "A: b\r\n");
    EXPECT_EQ(collector.next(std::string_view("\n\nC: d\n\n").substr(first.consumed)).head, "C: d\n");
}

TEST(HeadCollectorTest, keepsToTheLimit) {
    const std::string head = "Name: " + std::string(100, 'v') + "\r\n\r\n";
    EXPECT_EQ(HeadCollector(static_cast<std::uint32_t>(head.size())).next(head).state, State::complete);
    EXPECT_EQ(HeadCollector(static_cast<std::uint32_t>(head.size() - 1)).next(head).state, State::tooLarge);
    HeadCollector collector(10);
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(collector.next("x").state, State::more);
    }
    EXPECT_EQ(collector.next("x").state, State::tooLarge);
}

std::string fieldsOf(std::string_view lines, BadLines badLines = BadLines::refuse, std::uint32_t most = 5) {
    std::vector<ResponseHead::Field> fields;
    const std::string_view wrong = parseFieldLines(lines, badLines, most, fields);
    if (!wrong.empty()) {
        return std::string(wrong);
    }
    std::string text;
    for (const auto& field : fields) {
        text += "[" + field.name + "=" + field.value + "]";
    }
    return text;
}

TEST(ParseFieldLinesTest, takesFieldsApart) {
    EXPECT_EQ(fieldsOf(""), "");
    EXPECT_EQ(fieldsOf("A: b\r\nB:c\nC:\t d \t\r\nD:\r\n"), "[A=b][B=c][C=d][D=]");
    EXPECT_EQ(fieldsOf("A: b"), "[A=b]");
    EXPECT_EQ(fieldsOf("A : b\r\n"), "[A=b]");
    EXPECT_EQ(fieldsOf("A: b:c\r\n"), "[A=b:c]");
    EXPECT_EQ(fieldsOf("A: b\r\n  c\r\n\td\r\nE: f\r\n"), "[A=b c d][E=f]");
    EXPECT_EQ(fieldsOf("A:\r\n  c\r\n"), "[A=c]");
    EXPECT_EQ(fieldsOf("A: \xc3\xa4\r\n"), "[A=\xc3\xa4]");
}

TEST(ParseFieldLinesTest, refusesOrDropsWhatIsNoField) {
    using namespace std::string_view_literals;
    struct {
        std::string_view lines, wrong, dropped;
    } const cases[] = {
        {"A: b\r\nnothing\r\nC: d\r\n", "a line of the head has no colon", "[A=b][C=d]"},
        {"A b: c\r\nC: d\r\n", "a field's name holds characters that no name can have", "[C=d]"},
        {": c\r\n", "a field's name holds characters that no name can have", ""},
        {" A: c\r\nC: d\r\n", "a folded line follows no field", "[C=d]"},
        {"bad\r\n folded\r\nC: d\r\n", "a line of the head has no colon", "[C=d]"},
        {"A: b\0c\r\nC: d\r\n"sv, "a field holds a control character", "[C=d]"},
        {"A: b\rSet-Cookie: c\r\nC: d\r\n", "a field holds a control character", "[C=d]"},
        {"A: b\r\n \x01\r\nC: d\r\n", "a field holds a control character", "[A=b][C=d]"},
        {"\r\nC: d\r\n", "a line of the head has no colon", "[C=d]"},
    };
    for (const auto& [lines, wrong, dropped] : cases) {
        EXPECT_EQ(fieldsOf(lines), wrong) << lines;
        EXPECT_EQ(fieldsOf(lines, BadLines::drop), dropped) << lines;
    }
}

TEST(ParseFieldLinesTest, limitsTheNumberOfFields) {
    EXPECT_EQ(fieldsOf("A:1\nB:2\n", BadLines::drop, 2), "[A=1][B=2]");
    EXPECT_EQ(fieldsOf("A:1\nB:2\nC:3\n", BadLines::drop, 2), "there are too many fields");
}

} // namespace
} // namespace saker::http
