// The head of a request as the parser leaves it: slices of the bytes it came in. The bytes belong to somebody
// else (the loop's receive buffer, or the exchange once it outlives the callback); rebase() moves the whole
// table over.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace saker::http {

/// RFC 9110, section 9, and PATCH (RFC 5789). `other` keeps its text in RequestHead::methodText.
enum class Method : std::uint8_t { get, head, post, put, delete_, connect, options, trace, patch, other };

std::string_view methodName(Method method);
/// May be sent twice without harm (RFC 9110, section 9.2.2).
bool isIdempotent(Method method);

/// Request fields that the server looks at itself; found without comparing text. The spelling table is in
/// field_name.cpp and nowhere else.
enum class FieldName : std::uint8_t {
    other,
    accept,
    acceptEncoding,
    authorization,
    connection,
    contentLength,
    contentType,
    cookie,
    expect,
    host,
    ifMatch,
    ifModifiedSince,
    ifNoneMatch,
    ifRange,
    ifUnmodifiedSince,
    keepAlive,
    origin,
    proxyConnection,
    range,
    referer,
    te,
    trailer,
    transferEncoding,
    upgrade,
    userAgent,
    xForwardedFor,
    count_,
};

/// The id of a field name, case ignored; `other` for unknown ones.
FieldName fieldNameId(std::string_view name);

/// How the request's body is delimited (RFC 9112, section 6). A request can never last until the connection
/// closes.
enum class BodyFraming : std::uint8_t { none, length, chunked };

/// RFC 9112, section 3.2.
enum class TargetForm : std::uint8_t { origin, absolute, authority, asterisk };

struct Slice {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
};

class RequestHead {
public:
    static constexpr std::size_t kMaxFields = 128;

    struct Field {
        std::string_view name;
        std::string_view value; // without surrounding blanks
        FieldName id;
    };

    Method method = Method::get;
    std::uint8_t majorVersion = 1;
    std::uint8_t minorVersion = 1; // of HTTP/1
    TargetForm form = TargetForm::origin;
    BodyFraming framing = BodyFraming::none;
    bool keepAlive = true; // what version and Connection say together (RFC 9112, section 9.3)
    bool expectsContinue = false;
    bool wantsUpgrade = false; // Connection: upgrade with an Upgrade field
    std::uint64_t contentLength = 0;

    /// "HTTP/1.1"
    std::string_view versionText() const {
        return majorVersion == 2 ? "HTTP/2.0" : minorVersion == 0 ? "HTTP/1.0" : "HTTP/1.1";
    }
    std::string_view methodText() const { return at(method_); }
    /// As it was sent.
    std::string_view target() const { return at(target_); }
    /// Path of the target, still encoded; "*" for the asterisk form, "/" when an absolute form has none.
    std::string_view path() const { return path_.size ? at(path_) : std::string_view("/"); }
    /// Without the question mark; hasQuery() tells "/a?" from "/a".
    std::string_view query() const { return at(query_); }
    bool hasQuery() const { return hasQuery_; }
    /// The authority that is asked: of an absolute-form target, else of the Host field. With port, as sent.
    std::string_view authority() const { return at(authority_); }

    std::size_t fieldCount() const { return count_; }
    Field field(std::size_t i) const { return {at(fields_[i].name), at(fields_[i].value), fields_[i].id}; }
    /// The first field of that name; empty view with data() == nullptr when absent.
    std::string_view get(FieldName id) const {
        std::uint8_t i = first_[static_cast<std::size_t>(id)];
        return i == kAbsent ? std::string_view() : at(fields_[i].value);
    }
    bool has(FieldName id) const { return first_[static_cast<std::size_t>(id)] != kAbsent; }
    /// By text, case ignored; for names without an id.
    std::string_view get(std::string_view name) const;

    /// The head's bytes were copied to `base`: everything points there from now on.
    void rebase(const char* base) { base_ = base; }
    const char* base() const { return base_; }
    /// Bytes of the head, the empty line included.
    std::uint32_t size() const { return size_; }

    void clear(const char* base);

private:
    friend class RequestParser;
    static constexpr std::uint8_t kAbsent = 0xff;
    struct Entry {
        Slice name, value;
        FieldName id;
    };

    std::string_view at(Slice s) const { return {base_ + s.offset, s.size}; }

    const char* base_ = nullptr;
    std::uint32_t size_ = 0;
    Slice method_, target_, path_, query_, authority_;
    bool hasQuery_ = false;
    std::uint8_t count_ = 0;
    std::array<std::uint8_t, static_cast<std::size_t>(FieldName::count_)> first_{};
    std::array<Entry, kMaxFields> fields_; // only the first count_ are ever written
};

} // namespace saker::http
