#include "base/domain_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

namespace saker {
namespace {

using ::testing::Optional;

struct Pair {
    const char* unicode;
    const char* ascii;
};
/// The same on every run: the tests' names say it.
void PrintTo(const Pair& pair, std::ostream* out) {
    *out << pair.ascii;
}

class DomainNames : public ::testing::TestWithParam<Pair> {};

TEST_P(DomainNames, GoBothWays) {
    EXPECT_THAT(domainToAscii(GetParam().unicode), Optional(std::string(GetParam().ascii)));
    EXPECT_EQ(domainToUnicode(GetParam().ascii), GetParam().unicode);
}

INSTANTIATE_TEST_SUITE_P(Table, DomainNames,
                         ::testing::Values(Pair{"example.com", "example.com"},
                                           Pair{"bücher.example", "xn--bcher-kva.example"},
                                           Pair{"münchen.de", "xn--mnchen-3ya.de"},
                                           Pair{"пример.рф", "xn--e1afmkfd.xn--p1ai"},
                                           Pair{"παράδειγμα.δοκιμή", "xn--hxajbheg2az3al.xn--jxalpdlp"},
                                           Pair{"例え.テスト", "xn--r8jz45g.xn--zckzah"},
                                           Pair{"ليهمابتكلموشعربي.x", "xn--mgbcah9ar9a4efegftvvn.x"},
                                           Pair{"他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"},
                                           Pair{"3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"},
                                           Pair{"*.bücher.example", "*.xn--bcher-kva.example"},
                                           Pair{"_acme-challenge.a.b", "_acme-challenge.a.b"}));

TEST(DomainNames, LoweredWithoutTheLastDot) {
    EXPECT_THAT(domainToAscii("WWW.Example.COM."), Optional(std::string("www.example.com")));
    EXPECT_THAT(domainToAscii("BÜCHER.Example"), Optional(std::string("xn--bcher-kva.example")));
    EXPECT_THAT(domainToAscii("ПРИМЕР.РФ"), Optional(std::string("xn--e1afmkfd.xn--p1ai")));
    EXPECT_THAT(domainToAscii("ŽLUŤOUČKÝ.cz"), domainToAscii("žluťoučký.cz"));
    EXPECT_THAT(domainToAscii("例え。テスト"), Optional(std::string("xn--r8jz45g.xn--zckzah")));
}

TEST(DomainNames, RefusesWhatIsNone) {
    const std::string label(64, 'a');
    std::string longName;
    for (int i = 0; i < 64; ++i) {
        longName += "abc.";
    }
    for (const std::string& name :
         {std::string(), std::string("."), std::string("a..b"), std::string(".a"), label + ".com", longName,
          std::string("a b"), std::string("a/b"), std::string("a:b"), std::string("a\0b", 3),
          std::string("\xff.com"), std::string("a.*.b"), std::string("**.b"), std::string("*a.b"),
          std::string("a\u3000b"), std::string("a\u200bb"), std::string("a\r\nb")}) {
        EXPECT_EQ(domainToAscii(name), std::nullopt) << name;
    }
}

TEST(DomainNames, BrokenLabelsAreShownAsTheyAre) {
    for (const char* name : {"xn--.com", "xn---.com", "xn--a!.com", "xn--99999999999.com", "xn--abc-.com", "",
                             ".", "a..b", "xn--zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"}) {
        EXPECT_EQ(domainToUnicode(name), name);
    }
}

} // namespace
} // namespace saker
