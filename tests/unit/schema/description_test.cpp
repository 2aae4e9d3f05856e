#include "schema/description.h"

#include "unit/schema/sample_options.h"

#include <gmock/gmock.h>

namespace saker::schema {
namespace {

using testing::Color;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Sample;

Problems decodeText(std::string text, Sample& sample) {
    auto result = read(std::move(text));
    EXPECT_TRUE(result.ok());
    return decode(result.document, sample);
}

std::vector<std::string> texts(const Problems& problems) {
    std::vector<std::string> out;
    for (const Problem& problem : problems) {
        out.push_back(problem.text());
    }
    return out;
}

TEST(Description, ReadsEveryKindOfMember) {
    Sample sample;
    auto problems = decodeText(R"({
        "port": 8080, "OFFSET": -5, "Rate": 2, "Name": "n", "Color": "blue", "Most": 7, "Wait": "2m", "Delay": 1.0,
        "Size": "2KiB", "Ports": [3, 4e0, 5.0,], "Headers": {"X": "y", "Z": ""}, "Types": {"a,b": ["c"]},
        "Sites": {"one": {"Keep": 2}}, "Log": "file.log", "flag": true, "$schema": "x"
    })",
                               sample);
    EXPECT_THAT(texts(problems), IsEmpty());
    Sample expected;
    expected.port = 8080;
    expected.offset = -5;
    expected.rate = 2;
    expected.name = "n";
    expected.color = Color::blue;
    expected.most = 7;
    expected.wait = std::chrono::minutes(2);
    expected.delay = std::chrono::milliseconds(1);
    expected.size = 2048;
    expected.ports = {3, 4, 5};
    expected.headers = {{"X", "y"}, {"Z", ""}};
    expected.types = {{"a,b", {"c"}}};
    expected.sites = {{"one", {testing::Inner{"", 2}, {}}}};
    expected.log.file = "file.log";
    expected.part.flag = true;
    EXPECT_EQ(sample, expected);
}

TEST(Description, MissingKeysKeepTheirDefaults) {
    Sample sample;
    EXPECT_THAT(decodeText("{}", sample), IsEmpty());
    EXPECT_EQ(sample, Sample());
}

TEST(Description, ReadsChoicesByNameAndNumberAndNulls) {
    Sample sample;
    sample.most = 3;
    EXPECT_THAT(decodeText(R"({"Color": 7, "Most": null})", sample), IsEmpty());
    EXPECT_EQ(sample.color, Color::blue);
    EXPECT_EQ(sample.most, std::nullopt);
}

TEST(Description, ReportsAllErrorsAtOnceWithTheirPlaces) {
    Sample sample;
    auto problems = decodeText("{\n\"Port\": 70000,\n\"Name\": 5,\n\"Ports\": [1, \"2\", -1, "
                               "1.5],\n\"Headers\": {\"a/b\": []},\n\"Wait\": \"soon\",\n\"Flag\": \"true\"}",
                               sample);
    EXPECT_THAT(
        texts(problems),
        ElementsAre(
            "error: line 2, column 9: Port: expected at most 65535, found the number 70000",
            "error: line 3, column 9: Name: expected a text, found the number 5; write it in double quotes",
            "error: line 6, column 9: Wait: expected a number of seconds or a text such as \"500ms\", "
            "\"30s\" or \"5m\", found the text \"soon\"",
            "error: line 4, column 14: Ports[1]: expected a whole number from 0 to 65535, found the text "
            "\"2\"; write it without quotes",
            "error: line 4, column 19: Ports[2]: expected at least 0, found the number -1",
            "error: line 4, column 23: Ports[3]: expected a whole number from 0 to 65535, found the number "
            "1.5",
            "error: line 5, column 20: Headers › \"a/b\": expected a text, found a list",
            "error: line 7, column 9: Flag: expected true or false, found the text \"true\"; write it "
            "without quotes"));
}

TEST(Description, SuggestsChoices) {
    Sample sample;
    EXPECT_THAT(texts(decodeText(R"({"Color": "gren"})", sample)),
                ElementsAre("error: line 1, column 11: Color: expected one of \"Red\" (0), \"Green\" (1) "
                            "and \"Blue\" (7), found the text \"gren\". Did you mean \"Green\"?"));
    EXPECT_TRUE(hasErrors(decodeText(R"({"Color": 2})", sample)));
    EXPECT_TRUE(hasErrors(decodeText(R"({"Color": -7})", sample)));
}

TEST(Description, WarnsOfUnknownAndRepeatedKeys) {
    Sample sample;
    EXPECT_THAT(
        texts(decodeText("{\"Prot\": 1,\n\"Name\": \"a\", \"NAME\": \"b\",\n\"Headers\": {\"a\": \"1\", "
                         "\"a\": \"2\"}, \"Sites\": {\"s\": {\"Kep\": 1}}}",
                         sample)),
        ElementsAre(
            "warning: line 1, column 2: the key \"Prot\" is not known and is ignored. Did you mean \"Port\"?",
            "warning: line 2, column 1: the key \"Name\" is given again in line 2; only the last one counts",
            "warning: line 3, column 13: Headers: the key \"a\" is given again in line 3; only the last one "
            "counts",
            "warning: line 3, column 50: Sites › s: the key \"Kep\" is not known and is ignored. Did you "
            "mean "
            "\"Keep\"?"));
    EXPECT_EQ(sample.name, "b");
    EXPECT_EQ(sample.headers, (OrderedMap<std::string>{{"a", "2"}}));
}

TEST(Description, RunsChecksWithPlaces) {
    Sample sample;
    EXPECT_THAT(texts(decodeText("{\"ports\": [1,\n666], \"Name\": \"odd\"}", sample)),
                ElementsAre("error: line 2, column 1: Ports[1]: not this port",
                            "warning: line 2, column 15: Name: an odd name"));
    EXPECT_THAT(decodeText(R"({"ports": [666], "Port": "x"})", sample), ::testing::SizeIs(1))
        << "checks rest on right types";
}

TEST(Description, KeepsTheErrorsOfOneSiteToItself) {
    Sample sample;
    auto problems = decodeText(
        "{\"Sites\": {\"good\": {\"Keep\": 2}, \"bad\": {\"Keep\": 20, \"File\": 1}, \"x\": 5}}", sample);
    EXPECT_THAT(texts(problems), IsEmpty());
    ASSERT_EQ(sample.sites.size(), 3u);
    EXPECT_TRUE(sample.sites[0].second.value);
    EXPECT_FALSE(sample.sites[1].second.value);
    EXPECT_THAT(
        texts(sample.sites[1].second.problems),
        ElementsAre(
            "error: line 1, column 61: Sites › bad › File: expected a text, found the number 1; write "
            "it in double quotes",
            "error: line 1, column 49: Sites › bad › Keep: expected at most 9, found the number 20"));
    EXPECT_THAT(texts(sample.sites[2].second.problems),
                ElementsAre("error: line 1, column 70: Sites › x: expected a text (its File) or an object, "
                            "found the number 5"));
}

TEST(Description, StopsCollectingAtABound) {
    std::string text = "{";
    for (int i = 0; i < 5000; ++i) {
        text += "\"k" + std::to_string(i) + "\": 1,";
    }
    Sample sample;
    auto problems = decodeText(text + "\"Port\": \"x\"}", sample);
    EXPECT_EQ(problems.size(), Decoder::kMaxProblems);
    EXPECT_THAT(problems.back().message, HasSubstr("may be more problems"));
}

TEST(Description, RefusesWhatIsNoObject) {
    Sample sample;
    EXPECT_THAT(texts(decodeText("[1]", sample)),
                ElementsAre("error: line 1, column 1: expected an object, found a list"));
}

TEST(Description, WritesWhatItReads) {
    Sample sample;
    sample.color = Color::green;
    sample.most = 12;
    sample.wait = Duration(1500);
    sample.sites = {{"s", {testing::Inner{"f", 4}, {}}}};
    Sample again;
    EXPECT_THAT(decodeText(toText(Sample::fields().encode(&sample)), again), IsEmpty());
    EXPECT_EQ(again, sample);
    EXPECT_EQ(toText(Sample::fields().encodeChanged(&sample)),
              R"({"Color":"Green","Most":12,"Wait":1.5,"Sites":{"s":{"File":"f","Keep":4}}})");
}

TEST(Description, TellsWhatChangedAndWhenThatApplies) {
    Sample before;
    Sample after = before;
    EXPECT_THAT(diff(Sample::fields(), &before, &after), IsEmpty());
    after.port = 1;
    after.part.flag = true;
    after.sites = {{"s", {}}};
    EXPECT_THAT(diff(Sample::fields(), &before, &after),
                ElementsAre(Change{"Port", Apply::restart}, Change{"Sites", Apply::live},
                            Change{"Flag", Apply::live}));
}

TEST(Description, ProblemsCanBePutIntoTheOrderOfTheText) {
    Sample sample;
    Problems problems = decodeText("{\"Wait\": \"soon\",\n\"Port\": 70000, \"Nme\": 1}", sample);
    problems.push_back(Problem{Problem::Severity::warning, "", 0, 0, "elsewhere"});
    sortByPlace(problems);
    EXPECT_THAT(texts(problems), ElementsAre("warning: elsewhere", HasSubstr("line 1, column 10: Wait"),
                                             HasSubstr("line 2, column 9: Port"), HasSubstr("column 16: ")));
}

} // namespace
} // namespace saker::schema
