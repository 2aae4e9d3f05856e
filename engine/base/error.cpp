#include "base/error.h"

#include <cerrno>
#include <system_error>

namespace saker {

int exitCode(ErrorKind kind) {
    switch (kind) {
    case ErrorKind::usage:
        return 2;
    case ErrorKind::configuration:
        return 3;
    case ErrorKind::cannotBind:
        return 4;
    case ErrorKind::notRunning:
        return 5;
    case ErrorKind::temporary:
        return 75;
    case ErrorKind::failure:
    case ErrorKind::notFound:
    case ErrorKind::permission:
    case ErrorKind::limit:
        return 1;
    }
    return 1;
}

std::string systemErrorText(int code) {
    return std::generic_category().message(code);
}

Error systemError(int code, std::string_view doing, std::string where) {
    ErrorKind kind = ErrorKind::failure;
    if (code == EACCES || code == EPERM) {
        kind = ErrorKind::permission;
    } else if (code == ENOENT) {
        kind = ErrorKind::notFound;
    }
    return Error{kind, std::string(doing) + ": " + systemErrorText(code), std::move(where)};
}

} // namespace saker
