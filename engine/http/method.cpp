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

bool isIdempotent(Method method) {
    switch (method) {
    case Method::get:
    case Method::head:
    case Method::put:
    case Method::delete_:
    case Method::options:
    case Method::trace:
        return true;
    case Method::post:
    case Method::connect:
    case Method::patch:
    case Method::other:
        return false;
    }
    return false;
}

} // namespace saker::http
