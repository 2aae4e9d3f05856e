#include "http/request.h"

namespace saker::http {

std::string_view methodName(Method method) {
    switch (method) {
    case Method::get:
        return "GET";
    case Method::head:
        return "HEAD";
    case Method::post:
        return "POST";
    case Method::put:
        return "PUT";
    case Method::delete_:
        return "DELETE";
    case Method::connect:
        return "CONNECT";
    case Method::options:
        return "OPTIONS";
    case Method::trace:
        return "TRACE";
    case Method::patch:
        return "PATCH";
    case Method::other:
        break;
    }
    return {};
}

} // namespace saker::http
