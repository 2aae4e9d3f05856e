// Status codes of responses (RFC 9110, section 15): their text and their classes. The codes of refusals are
// in rejection.h.
#pragma once

#include <string_view>

namespace saker::http {

/// "Not Found" for 404; the name of the class for a code that is not registered; "Unknown" outside 100 to
/// 599.
std::string_view reasonPhrase(int status);

constexpr bool isStatus(int status) {
    return status >= 100 && status <= 599;
}
constexpr bool isInformational(int status) {
    return status >= 100 && status < 200;
}
constexpr bool isSuccessful(int status) {
    return status >= 200 && status < 300;
}
constexpr bool isRedirection(int status) {
    return status >= 300 && status < 400;
}
constexpr bool isClientError(int status) {
    return status >= 400 && status < 500;
}
constexpr bool isServerError(int status) {
    return status >= 500 && status < 600;
}

/// A response with this status never has a body, whatever its fields say (RFC 9112, section 6.3).
constexpr bool isBodiless(int status) {
    return isInformational(status) || status == 204 || status == 304;
}

} // namespace saker::http
