#include "http/h2/response_form.h"

#include "base/text.h"

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

bool isFieldName(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
    });
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
            text_ += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
        for (char c : value) { // nothing of it can end a field, whoever set it
            const auto byte = static_cast<unsigned char>(c);
            text_ += (byte < 0x20 && c != '\t') || byte == 0x7f ? ' ' : c;
        }
        places.push_back({at, name.size(), at + name.size(), value.size()});
    };
    add(kStatus, fmt::format_int(head.status).str());
    for (const ResponseHead::Field& field : head.fields) {
        if (!isLeftOut(field.name) && isFieldName(field.name)) {
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

std::vector<nghttp2_nv> ResponseForm::interimFields() const {
    return {fields_.begin(), fields_.end() - 1};
}

nghttp2_nv strictTransportField(std::string_view value) {
    constexpr std::string_view kName = "strict-transport-security";
    return {bytes(kName.data()), bytes(value.data()), kName.size(), value.size(), kBorrowed};
}

} // namespace saker::http
