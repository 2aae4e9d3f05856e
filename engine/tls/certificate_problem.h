// What is wrong with a certificate file, or worth knowing about one: for the log and for the console.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace saker::tls {

enum class Severity : std::uint8_t { information, warning, error };

struct CertificateProblem {
    Severity severity = Severity::error;
    std::string file;   ///< full path of a file or folder
    std::string reason; ///< what was found, what was expected, how to proceed

    std::string text() const { return file.empty() ? reason : file + ": " + reason; }
    bool operator==(const CertificateProblem&) const = default;
};

/// Gets what an administrator should know, one sentence each; called on whatever thread finds it out.
using Report = std::function<void(Severity, std::string)>;

} // namespace saker::tls
