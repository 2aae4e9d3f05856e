#include "http/request.h"

#include "base/text.h"

namespace saker::http {

std::string_view RequestHead::get(std::string_view name) const {
    for (std::size_t i = 0; i < count_; ++i) {
        if (equalsIgnoreCase(at(fields_[i].name), name)) {
            return at(fields_[i].value);
        }
    }
    return {};
}

void RequestHead::clear(const char* base) {
    method = Method::get;
    majorVersion = 1;
    minorVersion = 1;
    form = TargetForm::origin;
    framing = BodyFraming::none;
    keepAlive = true;
    expectsContinue = false;
    wantsUpgrade = false;
    contentLength = 0;
    base_ = base;
    size_ = 0;
    method_ = target_ = path_ = query_ = authority_ = {};
    hasQuery_ = false;
    count_ = 0;
    first_.fill(kAbsent);
}

} // namespace saker::http
