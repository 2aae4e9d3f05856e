// The commands on the certificates in memory and on the local certificate authority.
#include "control/server/command_functions.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace saker::control {

namespace {

using Entry = CertificateList::Entry;

/// A column is as wide as its widest text, up to this: the last one, which is not filled up, may be longer.
constexpr std::size_t kWidest = 48;
constexpr std::size_t kMostNames = 4;

std::string daysText(const Entry& entry) {
    return entry.state.empty() ? fmt::format("{}", entry.daysLeft)
                               : fmt::format("{}, {}", entry.daysLeft, entry.state);
}

std::string namesText(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
        text += (i == 0 ? "" : ", ") + names[i];
    }
    if (names.size() > kMostNames) {
        text += fmt::format(" and {} more", names.size() - kMostNames);
    }
    return text.empty() ? "(no name)" : text;
}

void printTable(const std::vector<std::vector<std::string>>& rows, Output& output) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], std::min(row[i].size(), kWidest));
        }
    }
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += i + 1 == row.size() ? row[i] : fmt::format("{:<{}}  ", row[i], widths[i]);
        }
        if (!output.line(line)) {
            return;
        }
    }
}

void printCertificates(const CertificateList& list, Output& output) {
    if (!list.certificates.empty()) {
        std::vector<std::vector<std::string>> rows{{"NAMES", "KEY", "DAYS LEFT", "ISSUER", "FILE"}};
        for (const Entry& entry : list.certificates) {
            rows.push_back({namesText(entry.names), entry.key, daysText(entry), entry.issuer, entry.file});
        }
        printTable(rows, output);
    }
    for (const std::string& problem : list.problems) {
        output.line(fmt::format("Problem: {}", problem));
    }
    output.line(fmt::format("For other names: {}", list.fallback));
    if (!list.development.empty()) {
        output.line(fmt::format("Development mode: {}", list.development));
    }
}

void changeTrust(EngineServices& services, Arguments arguments, bool install, Output& output) {
    const bool onlySay = !arguments.empty();
    if (onlySay && !equalsIgnoreCase(arguments[0], "try")) {
        return output.error(fmt::format("\"{}\" is not known here. Expected nothing, or try.", arguments[0]));
    }
    auto lines = services.changeTrust(install, onlySay);
    if (!lines) {
        return reportError(lines.error(), output);
    }
    for (const std::string& line : *lines) {
        output.line(line);
    }
}

} // namespace

void loadCertificates(EngineServices& services, Arguments, Output& output) {
    auto list = services.loadCertificates();
    if (!list) {
        return reportError(list.error(), output);
    }
    output.line(fmt::format("Loaded {}.", counted(list->certificates.size(), "certificate")));
    printCertificates(*list, output);
}

void clearCertificates(EngineServices& services, Arguments, Output& output) {
    const std::size_t count = services.certificates().certificates.size();
    services.clearCertificates();
    output.line(fmt::format("Cleared {}.", counted(count, "certificate")));
    output.line("New connections get a self-signed certificate until loadcerts.");
}

void listCertificates(EngineServices& services, Arguments, Output& output) {
    const CertificateList list = services.certificates();
    const std::size_t count = list.certificates.size();
    output.line(
        fmt::format("There {} {} in cache.", count == 1 ? "is" : "are", counted(count, "certificate")));
    printCertificates(list, output);
}

void showAuthority(EngineServices& services, Arguments, Output& output) {
    auto report = services.authority();
    if (!report) {
        return reportError(report.error(), output);
    }
    output.line(fmt::format("Authority:    {}", report->subject));
    output.line(fmt::format("File:         {}", report->file));
    output.line(fmt::format("Fingerprint:  SHA-256 {}", report->fingerprint));
    output.line(fmt::format("Days left:    {}", report->daysLeft));
    std::string names;
    for (const std::string& name : report->names) {
        names += (names.empty() ? "" : ", ") + name;
    }
    output.line(fmt::format("Vouches for:  {}; private addresses", names));
    std::vector<std::vector<std::string>> rows;
    for (const AuthorityReport::Store& store : report->stores) {
        rows.push_back({store.state, store.name});
    }
    output.line(rows.empty() ? "No trust store was found." : "Trust stores:");
    printTable(rows, output);
    for (const std::string& note : report->notes) {
        output.line(fmt::format("Note: {}", note));
    }
}

void trustAuthority(EngineServices& services, Arguments arguments, Output& output) {
    changeTrust(services, arguments, true, output);
}

void distrustAuthority(EngineServices& services, Arguments arguments, Output& output) {
    changeTrust(services, arguments, false, output);
}

} // namespace saker::control
