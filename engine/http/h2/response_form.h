// The head of an answer as HTTP/2 fields (RFC 9113, section 8.3.2): lower-case names, no fields about the
// connection, the status in front. nghttp2 refers to it without copying, so it has to live as long as the
// stream.
#pragma once

#include "base/ref.h"
#include "http/date_cache.h"
#include "http/prepared_response.h"
#include "http/response.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nghttp2/nghttp2.h>

namespace saker::http {

class ResponseForm final : public RefCounted {
public:
    explicit ResponseForm(const ResponseHead& head, std::shared_ptr<const void> keeper = {});
    /// That of an answer which is given many times: made with the first one, and kept with it.
    static Ref<ResponseForm> of(PreparedResponse& response);

    /// With the Date of now. Valid until this dies; the date in it changes with the next call.
    const std::vector<nghttp2_nv>& fields(const DateCache& date);
    /// For interim answers: without Date, and to be copied by nghttp2.
    void copyInterim(std::vector<nghttp2_nv>& into) const;
    /// Of all fields, for counters: uncompressed.
    std::size_t size() const { return text_.size(); }

private:
    std::shared_ptr<const void> keeper_; // of a body that pieces point into with a reference to this
    std::string text_;                   // names and values
    std::string date_;
    std::int64_t second_ = -1;
    std::vector<nghttp2_nv> fields_; // Date last
};

/// Borrows the value.
nghttp2_nv strictTransportField(std::string_view value);

} // namespace saker::http
