#include "http/h1/request_parser.h"

#include "base/text.h"
#include "http/authority.h"
#include "http/chars.h"
#include "http/h1/scan.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

namespace saker::http {

namespace {

constexpr std::size_t kMaxEmptyLines = 8; // before a request line
constexpr std::size_t kMaxMethod = 32;

constexpr std::uint32_t bit(FieldName id) {
    return 1U << static_cast<unsigned>(id);
}
static_assert(static_cast<unsigned>(FieldName::count_) <= 32);

/// The next member of a comma list, without blanks around it; `list` loses it. REQUIRES: !list.empty().
std::string_view takeMember(std::string_view& list) {
    std::size_t comma = list.find(',');
    std::string_view member = trim(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    return member;
}

/// "chunked" and nothing else; what exactly is wrong decides between 400 and 501.
Rejection judgeTransferEncoding(std::string_view value) {
    if (equalsIgnoreCase(value, "chunked")) {
        return Rejection::none;
    }
    bool chunkedSeen = false;
    bool more = !value.empty();
    if (!more) {
        return Rejection::badTransferEncoding;
    }
    while (more) {
        more = value.find(',') != std::string_view::npos;
        std::string_view coding = takeMember(value);
        std::string_view name = trim(coding.substr(0, coding.find(';')));
        if (chunkedSeen || !isToken(name)) {
            return Rejection::badTransferEncoding; // something behind "chunked", or not a coding at all
        }
        if (equalsIgnoreCase(name, "chunked")) {
            if (name.size() != coding.size()) {
                return Rejection::badTransferEncoding; // it has no parameters
            }
            chunkedSeen = true;
        }
    }
    return Rejection::unknownCoding;
}

} // namespace

/// One pass over the bytes: fills the head from the front and stops at the first mistake, or where the bytes
/// run out.
class RequestParser::Run {
public:
    Run(std::string_view bytes, const RequestLimits& limits, RequestHead& head)
        : begin_(bytes.data()), end_(begin_ + bytes.size()), p_(begin_), limits_(limits), head_(head) {}

    State parse() {
        head_.clear(begin_);
        State state = skipEmptyLines();
        if (state == State::complete) {
            state = parseRequestLine();
        }
        if (state == State::complete) {
            lineDone_ = true;
            state = parseFields();
        }
        if (state == State::complete) {
            state = judge();
        }
        return state;
    }

    Rejection rejection() const { return rejection_; }
    bool isStarted() const { return line_ != nullptr; }
    std::uint8_t emptyLines() const { return static_cast<std::uint8_t>(line_ - begin_); }
    bool isLineDone() const { return lineDone_; }

private:
    State reject(Rejection rejection) {
        rejection_ = rejection;
        return State::rejected;
    }

    Slice slice(const char* from, const char* to) const {
        return {static_cast<std::uint32_t>(from - begin_), static_cast<std::uint32_t>(to - from)};
    }
    static std::string_view view(const char* from, const char* to) {
        return {from, static_cast<std::size_t>(to - from)};
    }

    State skipEmptyLines() {
        for (std::size_t lines = 0; p_ != end_ && *p_ == '\r'; ++lines) {
            if (lines == kMaxEmptyLines) {
                return reject(Rejection::badRequestLine);
            }
            if (end_ - p_ == 1) {
                return State::incomplete;
            }
            if (p_[1] != '\n') {
                return reject(Rejection::badRequestLine);
            }
            p_ += 2;
        }
        if (p_ == end_) {
            return State::incomplete;
        }
        line_ = p_;
        if (!isChar(*p_, chars::kToken)) {
            // A letter begins every method: bytes such as 0x16 (TLS) are told at once, not after a time-out.
            bool text = *p_ == '\n' || (*p_ >= ' ' && *p_ < 0x7f);
            return reject(text ? Rejection::badRequestLine : Rejection::notHttp);
        }
        return State::complete;
    }

    /// The bytes have run out within the request line. `lineEnd`: how far it was allowed to be read.
    State outOfLine(const char* lineEnd) {
        if (lineEnd - line_ >= static_cast<std::ptrdiff_t>(limits_.maxLine) + 2) {
            return reject(Rejection::targetTooLong);
        }
        return outOfHead();
    }
    State outOfHead() {
        return end_ - begin_ >= static_cast<std::ptrdiff_t>(limits_.maxHead) ? reject(Rejection::headTooLarge)
                                                                             : State::incomplete;
    }

    State parseRequestLine() {
        // Two for the line end: a line of exactly the allowed length passes.
        std::size_t most = std::size_t{limits_.maxLine} + 2;
        const char* end = static_cast<std::size_t>(end_ - p_) > most ? p_ + most : end_;

        if (!takeMethod(end)) {
            const char* stop = scan::portable::findNameEnd(p_, end);
            if (static_cast<std::size_t>(stop - p_) > kMaxMethod) {
                return reject(Rejection::badRequestLine);
            }
            if (stop == end) {
                return outOfLine(end);
            }
            if (*stop != ' ') {
                return reject(Rejection::badRequestLine);
            }
            head_.method = Method::other;
            head_.method_ = slice(p_, stop);
            p_ = stop + 1;
        }

        const char* target = p_;
        const char* pathEnd = scan::findPathEnd(begin_, p_, end);
        const char* targetEnd = pathEnd;
        if (pathEnd != end && *pathEnd == '?') {
            targetEnd = scan::findTargetEnd(begin_, pathEnd + 1, end);
        }
        if (targetEnd == end) {
            return outOfLine(end);
        }
        if (*targetEnd != ' ') {
            bool lineEnds = *targetEnd == '\r' || *targetEnd == '\n'; // the version is missing: HTTP/0.9
            return reject(lineEnds ? Rejection::badRequestLine : Rejection::badTarget);
        }
        if (targetEnd == target) {
            return reject(Rejection::badRequestLine);
        }
        head_.target_ = slice(target, targetEnd);

        p_ = targetEnd + 1;
        State state = takeVersion(end);
        if (state != State::complete) {
            return state;
        }
        if (*target == '/' && head_.method != Method::connect) { // nearly always
            head_.path_ = slice(target, pathEnd);
            setQuery(pathEnd, targetEnd);
            return State::complete;
        }
        return takeOtherForm(target, targetEnd);
    }

    /// The usual methods, by one comparison.
    bool takeMethod(const char* end) {
        if (end - p_ < 8) {
            return false;
        }
        auto isWord = [this](std::string_view word) {
            return std::memcmp(p_, word.data(), word.size()) == 0;
        };
        auto take = [this](Method method, std::ptrdiff_t size) {
            head_.method = method;
            head_.method_ = slice(p_, p_ + size);
            p_ += size + 1;
            return true;
        };
        switch (*p_) {
        case 'G':
            return isWord("GET ") && take(Method::get, 3);
        case 'H':
            return isWord("HEAD ") && take(Method::head, 4);
        case 'P':
            return (isWord("POST ") && take(Method::post, 4)) || (isWord("PUT ") && take(Method::put, 3)) ||
                   (isWord("PATCH ") && take(Method::patch, 5));
        case 'D':
            return isWord("DELETE ") && take(Method::delete_, 6);
        case 'O':
            return isWord("OPTIONS ") && take(Method::options, 7);
        case 'C':
            return isWord("CONNECT ") && take(Method::connect, 7);
        case 'T':
            return isWord("TRACE ") && take(Method::trace, 5);
        default:
            return false;
        }
    }

    /// "HTTP/1.1" and the line's end.
    State takeVersion(const char* end) {
        static constexpr std::string_view kCurrent = "HTTP/1.1\r\n";
        if (end - p_ >= 10 && std::memcmp(p_, kCurrent.data(), kCurrent.size()) == 0) {
            p_ += kCurrent.size();
            return State::complete;
        }
        static constexpr std::string_view kPattern = "HTTP/d.d\r\n";
        for (std::size_t i = 0; i < kPattern.size(); ++i) {
            if (p_ + i == end) {
                return outOfLine(end);
            }
            if (kPattern[i] == 'd' ? !isDigit(p_[i]) : p_[i] != kPattern[i]) {
                return reject(Rejection::badRequestLine);
            }
        }
        if (p_[5] != '1') {
            return reject(Rejection::badVersion);
        }
        head_.minorVersion = p_[7] == '0' ? 0 : 1;
        p_ += kPattern.size();
        return State::complete;
    }

    void setQuery(const char* questionMark, const char* targetEnd) {
        if (questionMark != targetEnd) {
            head_.hasQuery_ = true;
            head_.query_ = slice(questionMark + 1, targetEnd);
        }
    }

    State takeOtherForm(const char* target, const char* targetEnd) {
        std::string_view text = view(target, targetEnd);
        if (head_.method == Method::connect) {
            auto authority = splitAuthority(text);
            if (!authority || !authority->port) {
                return reject(Rejection::badTarget);
            }
            head_.form = TargetForm::authority;
            head_.authority_ = head_.target_;
            return State::complete;
        }
        if (text == "*") {
            if (head_.method != Method::options) {
                return reject(Rejection::badTarget);
            }
            head_.form = TargetForm::asterisk;
            head_.path_ = head_.target_;
            return State::complete;
        }
        std::size_t scheme = startsWithIgnoreCase(text, "http://")    ? 7
                             : startsWithIgnoreCase(text, "https://") ? 8
                                                                      : 0;
        if (scheme == 0) {
            return reject(Rejection::badTarget);
        }
        const char* host = target + scheme;
        const char* hostEnd = std::find_if(host, targetEnd, [](char c) { return c == '/' || c == '?'; });
        if (!isAuthority(view(host, hostEnd))) {
            return reject(Rejection::badTarget);
        }
        head_.form = TargetForm::absolute;
        head_.authority_ = slice(host, hostEnd);
        const char* questionMark = std::find(hostEnd, targetEnd, '?');
        head_.path_ = slice(hostEnd, questionMark);
        setQuery(questionMark, targetEnd);
        return State::complete;
    }

    State parseFields() {
        const char* p = p_;
        const char* const end = end_;
        const std::size_t most = std::min<std::size_t>(limits_.maxFields, RequestHead::kMaxFields);
        constexpr std::uint32_t kOnce =
            bit(FieldName::host) | bit(FieldName::contentLength) | bit(FieldName::transferEncoding);
        std::size_t count = 0;
        for (;;) {
            if (p == end) {
                return outOfHead();
            }
            if (*p == '\r') {
                if (end - p < 2) {
                    return outOfHead();
                }
                if (p[1] != '\n') {
                    return reject(Rejection::badField);
                }
                head_.size_ = static_cast<std::uint32_t>(p + 2 - begin_);
                return State::complete;
            }
            const char* nameEnd = scan::findNameEnd(begin_, p, end);
            if (nameEnd == end) {
                return outOfHead();
            }
            if (*nameEnd != ':' || nameEnd == p) { // a folded line begins with a blank and ends up here
                return reject(Rejection::badField);
            }
            const char* value = nameEnd + 1;
            while (value != end && (*value == ' ' || *value == '\t')) {
                ++value;
            }
            const char* valueEnd = value == end ? end : scan::findValueEnd(begin_, value, end);
            if (end - valueEnd < 2) {
                return valueEnd == end || *valueEnd == '\r' ? outOfHead() : reject(Rejection::badField);
            }
            if (valueEnd[0] != '\r' || valueEnd[1] != '\n') {
                return reject(Rejection::badField);
            }
            if (count == most) {
                return reject(Rejection::tooManyFields);
            }
            FieldName id = fieldNameId(view(p, nameEnd));
            const char* next = valueEnd + 2;
            while (valueEnd != value && (valueEnd[-1] == ' ' || valueEnd[-1] == '\t')) {
                --valueEnd;
            }
            head_.fields_[count] = {slice(p, nameEnd), slice(value, valueEnd), id};
            if (id != FieldName::other) {
                if ((seen_ & bit(id)) == 0) {
                    seen_ |= bit(id);
                    head_.first_[static_cast<std::size_t>(id)] = static_cast<std::uint8_t>(count);
                } else if ((kOnce & bit(id)) != 0) {
                    return reject(id == FieldName::host            ? Rejection::badHost
                                  : id == FieldName::contentLength ? Rejection::badContentLength
                                                                   : Rejection::badTransferEncoding);
                }
            }
            head_.count_ = static_cast<std::uint8_t>(++count);
            p = next;
        }
    }

    bool isSeen(FieldName id) const { return (seen_ & bit(id)) != 0; }

    /// What the fields say about the message, once all are there.
    State judge() {
        Rejection rejection = judgeHost();
        constexpr std::uint32_t kFraming = bit(FieldName::contentLength) | bit(FieldName::transferEncoding);
        if (rejection == Rejection::none && (seen_ & kFraming) != 0) {
            rejection = judgeFraming();
        }
        head_.keepAlive = head_.minorVersion >= 1;
        if (isSeen(FieldName::connection)) {
            readConnection();
        }
        if (rejection == Rejection::none && isSeen(FieldName::expect)) {
            rejection = judgeExpectation();
        }
        return rejection == Rejection::none ? State::complete : reject(rejection);
    }

    Rejection judgeHost() {
        if (!isSeen(FieldName::host)) {
            return head_.minorVersion >= 1 ? Rejection::badHost : Rejection::none;
        }
        std::string_view host = head_.get(FieldName::host);
        if (!host.empty() && !isAuthority(host)) {
            return Rejection::badHost;
        }
        if (head_.form == TargetForm::origin || head_.form == TargetForm::asterisk) {
            head_.authority_ = head_.fields_[head_.first_[static_cast<std::size_t>(FieldName::host)]].value;
        }
        return Rejection::none;
    }

    Rejection judgeFraming() {
        if (!isSeen(FieldName::transferEncoding)) {
            auto length = parseDecimal(head_.get(FieldName::contentLength));
            if (!length || *length > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
                return Rejection::badContentLength;
            }
            head_.framing = BodyFraming::length;
            head_.contentLength = *length;
            return Rejection::none;
        }
        if (isSeen(FieldName::contentLength)) {
            return Rejection::conflictingFraming;
        }
        if (head_.minorVersion == 0) {
            return Rejection::badTransferEncoding; // RFC 9112, section 6.1: framing is faulty
        }
        head_.framing = BodyFraming::chunked;
        return judgeTransferEncoding(head_.get(FieldName::transferEncoding));
    }

    template <class Visit>
    void forEachMember(FieldName id, Visit visit) const {
        for (std::size_t i = head_.first_[static_cast<std::size_t>(id)]; i < head_.count_; ++i) {
            if (head_.fields_[i].id == id) {
                std::string_view list = head_.at(head_.fields_[i].value);
                while (!list.empty()) {
                    visit(takeMember(list));
                }
            }
        }
    }

    void readConnection() {
        bool close = false;
        bool keep = false;
        bool upgrade = false;
        forEachMember(FieldName::connection, [&](std::string_view option) {
            close |= equalsIgnoreCase(option, "close");
            keep |= equalsIgnoreCase(option, "keep-alive");
            upgrade |= equalsIgnoreCase(option, "upgrade");
        });
        head_.keepAlive = !close && (keep || head_.minorVersion >= 1);
        // An HTTP/1.0 Upgrade must be ignored (RFC 9110, section 7.8).
        head_.wantsUpgrade = upgrade && head_.minorVersion >= 1 && !head_.get(FieldName::upgrade).empty();
    }

    Rejection judgeExpectation() {
        bool known = true;
        bool wanted = false;
        forEachMember(FieldName::expect, [&](std::string_view expectation) {
            bool isContinue = equalsIgnoreCase(expectation, "100-continue");
            known &= isContinue || expectation.empty();
            wanted |= isContinue;
        });
        if (!known) {
            return Rejection::badExpectation;
        }
        // Nothing to wait for without a body; HTTP/1.0 has no interim responses (RFC 9110, section 10.1.1).
        bool hasBody = head_.framing == BodyFraming::chunked || head_.contentLength > 0;
        head_.expectsContinue = wanted && hasBody && head_.minorVersion >= 1;
        return Rejection::none;
    }

    const char* const begin_;
    const char* const end_;
    const char* p_;
    const char* line_ = nullptr;
    const RequestLimits& limits_;
    RequestHead& head_;
    std::uint32_t seen_ = 0; // one bit a FieldName
    bool lineDone_ = false;
    Rejection rejection_ = Rejection::none;
};

/// Looks at the new bytes only. A full pass over all bytes is worth it when the head ends, a limit is
/// exceeded or a line ends wrongly: it will then have a result, so that there are two passes at most.
bool RequestParser::mayBeDecided(std::string_view bytes) {
    const std::size_t longest = emptyLines_ + std::size_t{limits_->maxLine} + 2; // request line with its end
    while (scanned_ < bytes.size()) {
        const void* found = std::memchr(bytes.data() + scanned_, '\n', bytes.size() - scanned_);
        if (found == nullptr) {
            scanned_ = static_cast<std::uint32_t>(bytes.size());
            break;
        }
        auto at = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
        if (bytes[at - 1] != '\r' || bytes[at - 2] == '\n') { // scanned_ > 0, and a head begins with a method
            return true;
        }
        if (!lineSeen_ && at >= longest) {
            return true;
        }
        lineSeen_ = true;
        scanned_ = static_cast<std::uint32_t>(at + 1);
    }
    return bytes.size() >= limits_->maxHead || (!lineSeen_ && bytes.size() >= longest);
}

RequestParser::State RequestParser::parse(std::string_view bytes, RequestHead& head) {
    if (scanned_ != 0 && !mayBeDecided(bytes)) {
        return State::incomplete;
    }
    Run run(bytes.substr(0, limits_->maxHead), *limits_, head);
    State state = run.parse();
    rejection_ = run.rejection();
    if (state == State::incomplete && run.isStarted()) {
        scanned_ = static_cast<std::uint32_t>(bytes.size());
        emptyLines_ = run.emptyLines();
        lineSeen_ = run.isLineDone();
    }
    return state;
}

} // namespace saker::http
