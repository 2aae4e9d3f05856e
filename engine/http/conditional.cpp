#include "http/conditional.h"

#include "base/text.h"
#include "http/chars.h"
#include "http/date.h"

namespace saker::http {

namespace {

/// Takes an entity tag off the front; nothing when there is none.
std::optional<EntityTag> takeTag(std::string_view& text) {
    EntityTag tag;
    std::size_t start = 0;
    if (text.substr(0, 2) == "W/") {
        tag.weak = true;
        start = 2;
    }
    if (start >= text.size() || text[start] != '"') {
        return std::nullopt;
    }
    std::size_t end = start + 1;
    while (end < text.size() && isChar(text[end], chars::kEtag)) {
        ++end;
    }
    if (end == text.size() || text[end] != '"') {
        return std::nullopt;
    }
    tag.opaque = text.substr(start, end + 1 - start);
    text.remove_prefix(end + 1);
    return tag;
}

/// Whether one field's list holds a tag that `matches`.
template <class Matches>
bool listHas(std::string_view list, Matches matches) {
    for (;;) {
        std::size_t next = list.find_first_not_of(" \t,");
        if (next == std::string_view::npos) {
            return false;
        }
        list.remove_prefix(next);
        auto tag = takeTag(list);
        if (!tag) {
            return false;
        }
        if (matches(*tag)) {
            return true;
        }
        list = trim(list);
        if (!list.empty() && list.front() != ',') {
            return false;
        }
    }
}

/// Whether any field of that name is "*" for something that exists, or lists the tag.
bool isListed(const RequestHead& head, FieldName id, const Validators& validators,
              bool (*matches)(const EntityTag&, const EntityTag&)) {
    auto own = parseEntityTag(validators.etag);
    for (std::size_t i = 0; i < head.fieldCount(); ++i) {
        RequestHead::Field field = head.field(i);
        if (field.id != id) {
            continue;
        }
        if (field.value == "*") {
            if (validators.exists) {
                return true;
            }
        } else if (own && validators.exists &&
                   listHas(field.value, [&](const EntityTag& tag) { return matches(tag, *own); })) {
            return true;
        }
    }
    return false;
}

} // namespace

std::optional<EntityTag> parseEntityTag(std::string_view text) {
    auto tag = takeTag(text);
    return text.empty() ? tag : std::nullopt;
}

Precondition evaluatePreconditions(const RequestHead& head, const Validators& validators, std::int64_t now) {
    if (head.method == Method::connect || head.method == Method::options || head.method == Method::trace) {
        return Precondition::proceed;
    }
    if (head.has(FieldName::ifMatch)) {
        if (!isListed(head, FieldName::ifMatch, validators, strongMatch)) {
            return Precondition::failed;
        }
    } else if (head.has(FieldName::ifUnmodifiedSince) && validators.lastModified) {
        auto date = parseHttpDate(head.get(FieldName::ifUnmodifiedSince), now);
        if (date && *validators.lastModified > *date) {
            return Precondition::failed;
        }
    }
    bool isRead = head.method == Method::get || head.method == Method::head;
    if (head.has(FieldName::ifNoneMatch)) {
        if (isListed(head, FieldName::ifNoneMatch, validators, weakMatch)) {
            return isRead ? Precondition::notModified : Precondition::failed;
        }
    } else if (isRead && head.has(FieldName::ifModifiedSince) && validators.lastModified) {
        auto date = parseHttpDate(head.get(FieldName::ifModifiedSince), now);
        if (date && *validators.lastModified <= *date) {
            return Precondition::notModified;
        }
    }
    return Precondition::proceed;
}

bool isRangeFresh(const RequestHead& head, const Validators& validators, std::int64_t now) {
    if (!head.has(FieldName::ifRange)) {
        return true;
    }
    std::string_view value = head.get(FieldName::ifRange);
    if (auto tag = parseEntityTag(value)) {
        auto own = parseEntityTag(validators.etag);
        return own && strongMatch(*tag, *own);
    }
    // A date is a strong validator only when nothing can have changed since within its second
    // (section 8.8.2.2).
    auto date = parseHttpDate(value, now);
    return date && validators.lastModified == date && *date < now;
}

} // namespace saker::http
