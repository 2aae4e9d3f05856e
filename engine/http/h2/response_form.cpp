#include "http/h2/response_form.h"

#include "base/text.h"
#include "http/chars.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace saker::http {

namespace {

constexpr std::string_view kStatus = ":status";
constexpr std::string_view kDate = "date";
constexpr std::uint8_t kBorrowed = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE;

/// RFC 9113, section 8.2.2; Date is added by itself.
bool isLeftOut(std::string_view name) {
    static constexpr std::string_view kNames[] = {"connection",        "keep-alive", "proxy-connection",
                                                  "transfer-encoding", "upgrade",    "date"};
    return std::any_of(std::begin(kNames), std::end(kNames),
                       [&](std::string_view one) { return equalsIgnoreCase(one, name); });
}

std::uint8_t* bytes(const char* text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text));
}

} // namespace

ResponseForm::ResponseForm(const ResponseHead& head, std::shared_ptr<const void> keeper)
    : keeper_(std::move(keeper)), date_(29, ' ') {
    struct Place {
        std::size_t name, nameSize, value, valueSize;
    };
    std::vector<Place> places;
    auto add = [&](std::string_view name, std::string_view value) {
        const std::size_t at = text_.size();
        for (char c : name) {
            text_ += lowerAscii(c);
        }
        for (char c : value) { // nothing of it can end a field, whoever set it
            text_ += isChar(c, chars::kValueStop) ? ' ' : c;
        }
        places.push_back({at, name.size(), at + name.size(), value.size()});
    };
    add(kStatus, fmt::format_int(head.status).str());
    for (const ResponseHead::Field& field : head.fields) {
        if (!isLeftOut(field.name) && isToken(field.name)) {
            add(field.name, trim(field.value));
        }
    }
    fields_.reserve(places.size() + 1);
    for (const Place& place : places) {
        fields_.push_back({bytes(text_.data() + place.name), bytes(text_.data() + place.value),
                           place.nameSize, place.valueSize, kBorrowed});
    }
    fields_.push_back({bytes(kDate.data()), bytes(date_.data()), kDate.size(), date_.size(), kBorrowed});
}

const std::vector<nghttp2_nv>& ResponseForm::fields(const DateCache& date) {
    if (second_ != date.seconds()) {
        second_ = date.seconds();
        std::memcpy(date_.data(), date.text().data(), date_.size());
    }
    return fields_;
}

void ResponseForm::copyInterim(std::vector<nghttp2_nv>& into) const {
    into.assign(fields_.begin(), fields_.end() - 1);
    for (nghttp2_nv& field : into) {
        field.flags = NGHTTP2_NV_FLAG_NONE;
    }
}

Ref<ResponseForm> ResponseForm::of(PreparedResponse& response) {
    if (!response.otherForm) {
        response.otherForm = makeRef<ResponseForm>(response.head(), response.body().keeper);
    }
    return Ref<ResponseForm>(static_cast<ResponseForm*>(response.otherForm.get()));
}

nghttp2_nv strictTransportField(std::string_view value) {
    constexpr std::string_view kName = "strict-transport-security";
    return {bytes(kName.data()), bytes(value.data()), kName.size(), value.size(), kBorrowed};
}

} // namespace saker::http
