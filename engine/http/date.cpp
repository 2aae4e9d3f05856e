#include "http/date.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace saker::http {

namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kFirst = -62167219200; // year 0
constexpr std::int64_t kLast = 253402300799;  // the end of 9999

struct Civil {
    std::int64_t year = 0;
    unsigned month = 1; // 1 to 12
    unsigned day = 1;
};

// Both conversions count in eras of 400 years (146097 days) whose years begin in March, which puts the leap
// day last.

constexpr std::int64_t daysOf(const Civil& date) {
    std::int64_t year = date.month <= 2 ? date.year - 1 : date.year;
    std::int64_t era = (year >= 0 ? year : year - 399) / 400;
    auto yearOfEra = static_cast<unsigned>(year - era * 400);
    unsigned dayOfYear = (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
    unsigned dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear;
    return era * 146097 + static_cast<std::int64_t>(dayOfEra) - 719468;
}

constexpr Civil civilOf(std::int64_t days) {
    days += 719468;
    std::int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    auto dayOfEra = static_cast<unsigned>(days - era * 146097);
    unsigned yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365;
    unsigned dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    unsigned shifted = (5 * dayOfYear + 2) / 153; // month, March is 0
    Civil date;
    date.day = dayOfYear - (153 * shifted + 2) / 5 + 1;
    date.month = shifted < 10 ? shifted + 3 : shifted - 9;
    date.year = static_cast<std::int64_t>(yearOfEra) + era * 400 + (date.month <= 2 ? 1 : 0);
    return date;
}

constexpr std::int64_t floorDays(std::int64_t seconds) {
    return (seconds >= 0 ? seconds : seconds - (kDay - 1)) / kDay;
}

bool isLeap(std::int64_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

unsigned daysIn(std::int64_t year, unsigned month) {
    static constexpr std::array<unsigned, 12> kLengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && isLeap(year) ? 29 : kLengths[month - 1];
}

/// Takes a date apart from the front; once something does not fit, everything after fails.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    void expect(std::string_view literal) {
        if (text_.substr(0, literal.size()) == literal) {
            text_.remove_prefix(literal.size());
        } else {
            fail();
        }
    }
    /// The index of the name that comes next.
    template <std::size_t N>
    unsigned name(const std::array<std::string_view, N>& names) {
        for (unsigned i = 0; i < N; ++i) {
            if (text_.substr(0, names[i].size()) == names[i]) {
                text_.remove_prefix(names[i].size());
                return i;
            }
        }
        fail();
        return 0;
    }
    unsigned number(std::size_t digits, bool mayPad = false) {
        if (text_.size() < digits) {
            fail();
            return 0;
        }
        unsigned value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            char c = text_[i];
            if (mayPad && i == 0 && c == ' ') {
                continue;
            }
            if (!isDigit(c)) {
                fail();
                return 0;
            }
            value = value * 10 + static_cast<unsigned>(c - '0');
        }
        text_.remove_prefix(digits);
        return value;
    }
    /// "08:49:37" in seconds.
    std::int64_t time() {
        unsigned hour = number(2);
        expect(":");
        unsigned minute = number(2);
        expect(":");
        unsigned second = number(2);
        if (hour > 23 || minute > 59 || second > 60) {
            fail();
        }
        return std::int64_t{hour} * 3600 + std::int64_t{minute} * 60 + std::min(second, 59U);
    }
    bool isDone() const { return ok_ && text_.empty(); }

private:
    void fail() {
        ok_ = false;
        text_ = {};
    }
    std::string_view text_;
    bool ok_ = true;
};

std::optional<std::int64_t> finish(const Reader& reader, const Civil& date, std::int64_t time) {
    if (!reader.isDone() || date.day < 1 || date.day > daysIn(date.year, date.month)) {
        return std::nullopt;
    }
    return daysOf(date) * kDay + time;
}

} // namespace

void formatHttpDate(std::int64_t seconds, char (&out)[kHttpDateSize]) {
    seconds = std::clamp(seconds, kFirst, kLast);
    std::int64_t days = floorDays(seconds);
    auto time = static_cast<unsigned>(seconds - days * kDay);
    Civil date = civilOf(days);
    auto weekday = static_cast<std::size_t>(((days % 7) + 11) % 7); // 1970 began on a Thursday

    std::memcpy(out, "Day, 00 Mon 0000 00:00:00 GMT", kHttpDateSize);
    auto put = [&out](std::size_t at, unsigned value) {
        out[at] = static_cast<char>('0' + value / 10 % 10);
        out[at + 1] = static_cast<char>('0' + value % 10);
    };
    std::memcpy(out, kDays[weekday].data(), 3);
    put(5, date.day);
    std::memcpy(out + 8, kMonths[date.month - 1].data(), 3);
    put(12, static_cast<unsigned>(date.year) / 100);
    put(14, static_cast<unsigned>(date.year) % 100);
    put(17, time / 3600);
    put(20, time / 60 % 60);
    put(23, time % 60);
}

std::string httpDate(std::int64_t seconds) {
    char text[kHttpDateSize];
    formatHttpDate(seconds, text);
    return {text, kHttpDateSize};
}

std::optional<std::int64_t> parseHttpDate(std::string_view text, std::int64_t now) {
    Reader reader(text);
    Civil date;
    if (text.size() == kHttpDateSize && text[3] == ',') { // Sun, 06 Nov 1994 08:49:37 GMT
        reader.name(kDays);
        reader.expect(", ");
        date.day = reader.number(2);
        reader.expect(" ");
        date.month = reader.name(kMonths) + 1;
        reader.expect(" ");
        date.year = reader.number(4);
        reader.expect(" ");
        std::int64_t time = reader.time();
        reader.expect(" GMT");
        return finish(reader, date, time);
    }
    if (text.find(',') != std::string_view::npos) { // Sunday, 06-Nov-94 08:49:37 GMT
        reader.name(kLongDays);
        reader.expect(", ");
        date.day = reader.number(2);
        reader.expect("-");
        date.month = reader.name(kMonths) + 1;
        reader.expect("-");
        std::int64_t thisYear = civilOf(floorDays(std::clamp(now, kFirst, kLast))).year;
        date.year = thisYear - thisYear % 100 + 100 + reader.number(2);
        while (date.year > thisYear + 50) {
            date.year -= 100;
        }
        reader.expect(" ");
        std::int64_t time = reader.time();
        reader.expect(" GMT");
        return finish(reader, date, time);
    }
    reader.name(kDays); // Sun Nov  6 08:49:37 1994
    reader.expect(" ");
    date.month = reader.name(kMonths) + 1;
    reader.expect(" ");
    date.day = reader.number(2, true);
    reader.expect(" ");
    std::int64_t time = reader.time();
    reader.expect(" ");
    date.year = reader.number(4);
    return finish(reader, date, time);
}

} // namespace saker::http
