// What went wrong, in words a person can act on. Carried by Result<T>; never thrown across layers.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace saker {

/// What kind of failure this is; the process's exit code and the control protocol's error code derive from
/// it.
enum class ErrorKind {
    failure,       ///< anything not listed below (exit 1)
    usage,         ///< the command line is wrong (exit 2)
    configuration, ///< the configuration is invalid (exit 3)
    cannotBind,    ///< an address cannot be bound: in use or no permission (exit 4)
    notRunning,    ///< no engine answers (exit 5)
    temporary,     ///< trying again later may work (exit 75)
    notFound,      ///< the named file, site or key does not exist
    permission,    ///< the operating system refused
    limit,         ///< a configured or built-in limit was reached
};

/// A failure: the kind, a full sentence (what was found, what was expected, how to proceed), and where.
struct Error {
    ErrorKind kind = ErrorKind::failure;
    std::string message;
    /// A key, "line 3, column 7", a path or an address; empty when the message says it all.
    std::string where;

    /// "where: message", or the message alone.
    std::string text() const { return where.empty() ? message : where + ": " + message; }
};

/// The exit code of a program that ends because of an error of this kind.
int exitCode(ErrorKind kind);

/// "permission denied" for EACCES and so on: the system's text for an errno value, thread-safe.
std::string systemErrorText(int code);

/// An Error from an errno value: EACCES and EPERM become `permission`, ENOENT `notFound`, the rest `failure`.
Error systemError(int code, std::string_view doing, std::string where = {});

} // namespace saker
