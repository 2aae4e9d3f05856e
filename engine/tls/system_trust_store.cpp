#include "tls/system_trust_store.h"

#include "base/text.h"
#include "os/file.h"
#include "tls/certificate_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

namespace saker::tls {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLargestBundle = 64ULL * 1024 * 1024;
constexpr std::string_view kFilePrefix = "saker-local-ca-";

/// How a family of distributions does it.
struct Way {
    std::string_view name;
    std::string_view folder;
    std::string_view ending; ///< that files in the folder must have
    std::string_view bundle; ///< what comes out: all authorities in one file of PEM; "": not that way
    std::string_view program;
    std::string_view argument; ///< of the program, after a file was added; "": none
    std::string_view gone;     ///< and after one was removed
    std::string_view package;  ///< that the program is in
    bool takesFolders;         ///< the program can be pointed at another root, folder by folder
};

constexpr Way kWays[] = {
    {"the system's store (Debian, Ubuntu)", "/usr/local/share/ca-certificates", ".crt",
     "/etc/ssl/certs/ca-certificates.crt", "update-ca-certificates", "", "--fresh",
     "apt install ca-certificates", true},
    {"the system's store (Fedora, RHEL)", "/etc/pki/ca-trust/source/anchors", ".pem",
     "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "update-ca-trust", "extract", "extract",
     "dnf install ca-certificates", false},
    {"the system's store (SUSE)", "/etc/pki/trust/anchors", ".pem", "/etc/ssl/ca-bundle.pem",
     "update-ca-certificates", "", "", "zypper install ca-certificates", false},
    {"the system's store (Arch)", "/etc/ca-certificates/trust-source/anchors", ".crt",
     "/etc/ca-certificates/extracted/tls-ca-bundle.pem", "trust", "extract-compat", "extract-compat",
     "pacman -S p11-kit ca-certificates-utils", false},
};

std::string bareBase64(std::string_view pem) {
    std::string text;
    for (std::string_view line : split(pem, '\n')) {
        if (!line.empty() && !line.starts_with("-----")) {
            text += line;
            text += '\n';
        }
    }
    return text;
}

class SystemTrustStore final : public TrustStore {
public:
    SystemTrustStore(const Way& way, TrustEnvironment environment)
        : way_(way), environment_(std::move(environment)),
          folder_(environment_.root + std::string(way.folder)) {}

    std::string name() const override { return std::string(way_.name); }

    TrustState state(const X509& authority) const override {
        auto file = os::readFile(fileOf(authority), kLargestBundle);
        auto bundle = os::readFile(environment_.root + std::string(way_.bundle), kLargestBundle);
        const bool isIn = bundle && bundle->find(bareBase64(pemOf(authority))) != std::string::npos;
        if (ours().empty()) {
            return isIn ? TrustState::outdated : TrustState::absent;
        }
        return file && *file == pemOf(authority) && isIn ? TrustState::trusted : TrustState::outdated;
    }

    std::vector<std::string> plan(const X509& authority, TrustChange change) const override {
        std::vector<std::string> steps;
        for (const std::string& file : ours()) {
            if (change == TrustChange::remove || file != fileOf(authority)) {
                steps.push_back(fmt::format("rm {}", file));
            }
        }
        if (change == TrustChange::install) {
            steps.push_back(fmt::format("write the authority to {}", fileOf(authority)));
        } else if (steps.empty()) {
            return steps;
        }
        steps.push_back(commandText(change));
        return steps;
    }

    Result<void> apply(const X509& authority, TrustChange change) override {
        if (change == TrustChange::install && state(authority) == TrustState::trusted) {
            return {};
        }
        const std::vector<std::string> present = ours();
        if (change == TrustChange::remove && present.empty()) {
            return {};
        }
        const std::string program = environment_.which(way_.program);
        if (program.empty()) {
            return Error{
                ErrorKind::failure,
                fmt::format("the program {} is missing; get it with: {}", way_.program, way_.package),
                name()};
        }
        for (const std::string& file : present) {
            if (change == TrustChange::remove || file != fileOf(authority)) {
                std::error_code failed;
                if (fs::remove(file, failed); failed) {
                    return refused(systemError(failed.value(), "cannot remove the file", file), authority,
                                   change);
                }
            }
        }
        if (change == TrustChange::install) {
            if (auto written = os::writeAtomically(fileOf(authority), pemOf(authority), 0644); !written) {
                return refused(written.error(), authority, change);
            }
        }
        auto outcome = environment_.run(command(program, change));
        if (!outcome) {
            return outcome.error();
        }
        if (outcome->exitCode != 0) {
            return refused(Error{ErrorKind::failure,
                                 fmt::format("{} ended with code {}: {}", program, outcome->exitCode,
                                             trimLines(outcome->output)),
                                 name()},
                           authority, change);
        }
        const TrustState wanted = change == TrustChange::install ? TrustState::trusted : TrustState::absent;
        if (state(authority) != wanted) {
            return Error{ErrorKind::failure,
                         fmt::format("{} has run, but {}{} is not as expected; look at what it says: {}",
                                     program, environment_.root, way_.bundle, trimLines(outcome->output)),
                         name()};
        }
        return {};
    }

private:
    std::string fileOf(const X509& authority) const {
        const std::string title = trustName(authority);
        return fmt::format("{}/{}{}{}", folder_, kFilePrefix, title.substr(title.rfind(' ') + 1),
                           way_.ending);
    }

    /// Files of local authorities in the folder: this one, or one from before.
    std::vector<std::string> ours() const {
        std::vector<std::string> files;
        std::error_code failed;
        for (fs::directory_iterator at(folder_, failed); !failed && at != fs::directory_iterator();
             at.increment(failed)) {
            const std::string name = at->path().filename().string();
            if (name.starts_with(kFilePrefix) && name.ends_with(way_.ending)) {
                files.push_back(at->path().string());
            }
        }
        std::sort(files.begin(), files.end());
        return files;
    }

    std::vector<std::string> command(const std::string& program, TrustChange change) const {
        std::vector<std::string> argv{program};
        if (std::string_view argument = change == TrustChange::install ? way_.argument : way_.gone;
            !argument.empty()) {
            argv.emplace_back(argument);
        }
        if (way_.takesFolders && !environment_.root.empty()) {
            for (const char* option :
                 {"--certsdir", "--localcertsdir", "--etccertsdir", "--hooksdir", "--certsconf"}) {
                argv.emplace_back(option);
                argv.push_back(environment_.root + placeOf(option));
            }
        }
        return argv;
    }

    static std::string placeOf(std::string_view option) {
        return option == "--certsdir"        ? "/usr/share/ca-certificates"
               : option == "--localcertsdir" ? "/usr/local/share/ca-certificates"
               : option == "--etccertsdir"   ? "/etc/ssl/certs"
               : option == "--hooksdir"      ? "/etc/ca-certificates/update.d"
                                             : "/etc/ca-certificates.conf";
    }

    std::string commandText(TrustChange change) const {
        std::string text;
        for (const std::string& word : command(std::string(way_.program), change)) {
            text += (text.empty() ? "" : " ") + word;
        }
        return text;
    }

    /// The error, and what a person with the rights can do about it.
    Error refused(Error error, const X509& authority, TrustChange change) const {
        if (!environment_.isAdministrator) {
            error.message += change == TrustChange::install
                                 ? fmt::format(". It takes the administrator: sudo cp CA-FILE {} && sudo {}",
                                               fileOf(authority), commandText(change))
                                 : fmt::format(". It takes the administrator: sudo rm {}/{}*{} && sudo {}",
                                               folder_, kFilePrefix, way_.ending, commandText(change));
        }
        return error;
    }

    const Way& way_;
    const TrustEnvironment environment_;
    const std::string folder_;
};

} // namespace

void findSystemTrustStores(const TrustEnvironment& environment, TrustStores& found) {
    for (const Way& way : kWays) {
        std::error_code ignored;
        if (fs::is_directory(environment.root + std::string(way.folder), ignored)) {
            found.stores.push_back(std::make_unique<SystemTrustStore>(way, environment));
            return;
        }
    }
    found.notes.emplace_back(
        "This system keeps its authorities in no place that is known: none of "
        "/usr/local/share/ca-certificates, /etc/pki/ca-trust/source/anchors, /etc/pki/trust/anchors "
        "and /etc/ca-certificates/trust-source/anchors is there. On Debian and Ubuntu: apt install "
        "ca-certificates");
}

} // namespace saker::tls
