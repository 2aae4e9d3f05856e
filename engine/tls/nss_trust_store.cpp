#include "tls/nss_trust_store.h"

#include "base/text.h"
#include "os/file.h"
#include "os/paths.h"
#include "tls/certificate_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace saker::tls {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTool = "certutil";
constexpr std::string_view kNamePrefix = "Saker local CA ";
/// Nicknames in one database that are ours; more come from nobody's use.
constexpr std::size_t kMostOurs = 100;

class NssTrustStore final : public TrustStore {
public:
    NssTrustStore(std::string title, std::string folder, TrustEnvironment environment)
        : title_(std::move(title)), folder_(std::move(folder)), environment_(std::move(environment)) {}

    std::string name() const override { return fmt::format("{}: {}", title_, folder_); }

    TrustState state(const X509& authority) const override {
        const std::string tool = environment_.which(kTool);
        if (tool.empty()) {
            return TrustState::unknown;
        }
        if (!exists()) {
            return TrustState::absent;
        }
        auto names = ours(tool);
        if (!names) {
            return TrustState::unknown;
        }
        if (names->empty()) {
            return TrustState::absent;
        }
        const std::string wanted = trustName(authority);
        const auto found =
            std::find_if(names->begin(), names->end(), [&](const Entry& one) { return one.name == wanted; });
        // "C": believed for servers.
        return names->size() == 1 && found != names->end() && found->flags.find('C') < found->flags.find(',')
                   ? TrustState::trusted
                   : TrustState::outdated;
    }

    std::vector<std::string> plan(const X509& authority, TrustChange change) const override {
        std::vector<std::string> steps;
        const std::string tool = environment_.which(kTool);
        if (!exists() && change == TrustChange::remove) {
            return steps;
        }
        if (!exists()) {
            steps.push_back(fmt::format("make the folder {}", folder_));
            steps.push_back(text(makeArguments(std::string(kTool))));
        } else if (auto names =
                       tool.empty() ? Result<std::vector<Entry>>(std::vector<Entry>{}) : ours(tool)) {
            for (const Entry& one : *names) {
                steps.push_back(text(removeArguments(std::string(kTool), one.name)));
            }
        }
        if (change == TrustChange::install) {
            steps.push_back(text(addArguments(std::string(kTool), trustName(authority), "CA-FILE")));
        }
        return steps;
    }

    Result<void> apply(const X509& authority, TrustChange change) override {
        const std::string tool = environment_.which(kTool);
        if (tool.empty()) {
            return Error{ErrorKind::failure, missingTool(), name()};
        }
        if (!exists()) {
            if (change == TrustChange::remove) {
                return {};
            }
            if (auto made = os::createDirectories(folder_, 0700); !made) {
                return made;
            }
            if (auto ran = run(makeArguments(tool)); !ran) {
                return ran.error();
            }
        }
        if (change == TrustChange::install && state(authority) == TrustState::trusted) {
            return {};
        }
        auto names = ours(tool);
        if (!names) {
            return names.error();
        }
        for (const Entry& one : *names) {
            if (auto ran = run(removeArguments(tool, one.name)); !ran) {
                return ran.error();
            }
        }
        return change == TrustChange::install ? add(tool, authority) : Result<void>();
    }

    static std::string missingTool() {
        return "the program certutil is missing, without which the databases of Firefox and Chromium are out "
               "of reach; "
               "get it with: apt install libnss3-tools (Debian, Ubuntu), dnf install nss-tools (Fedora), "
               "pacman -S nss "
               "(Arch), zypper install mozilla-nss-tools (SUSE)";
    }

private:
    struct Entry {
        std::string name;
        std::string flags; ///< "C,,"
    };

    std::string database() const { return "sql:" + folder_; }

    bool exists() const {
        std::error_code ignored;
        return fs::exists(folder_ + "/cert9.db", ignored);
    }

    static std::string text(const std::vector<std::string>& argv) {
        std::string out;
        for (const std::string& word : argv) {
            out += out.empty() ? "" : " ";
            out += word.find(' ') == std::string::npos ? word : "'" + word + "'";
        }
        return out;
    }

    std::vector<std::string> makeArguments(const std::string& tool) const {
        return {tool, "-N", "-d", database(), "--empty-password"};
    }
    std::vector<std::string> addArguments(const std::string& tool, const std::string& nickname,
                                          const std::string& file) const {
        return {tool, "-A", "-d", database(), "-t", "C,,", "-n", nickname, "-i", file};
    }
    std::vector<std::string> removeArguments(const std::string& tool, const std::string& nickname) const {
        return {tool, "-D", "-d", database(), "-n", nickname};
    }

    Result<std::string> run(const std::vector<std::string>& argv) const {
        auto outcome = environment_.run(argv);
        if (!outcome) {
            return outcome.error();
        }
        if (outcome->exitCode != 0) {
            return Error{ErrorKind::failure,
                         fmt::format("{} ended with code {}: {}", text(argv), outcome->exitCode,
                                     trimLines(outcome->output)),
                         name()};
        }
        return std::move(outcome->output);
    }

    /// Local authorities in the database. A line of the list: the nickname, blanks, the flags.
    Result<std::vector<Entry>> ours(const std::string& tool) const {
        auto list = run({tool, "-L", "-d", database()});
        if (!list) {
            return list.error();
        }
        std::vector<Entry> entries;
        for (std::string_view line : split(*list, '\n')) {
            line = trimLines(line);
            const std::size_t blank = line.rfind(' ');
            if (!line.starts_with(kNamePrefix) || blank == std::string_view::npos ||
                entries.size() >= kMostOurs) {
                continue;
            }
            entries.push_back(
                {std::string(trim(line.substr(0, blank))), std::string(line.substr(blank + 1))});
        }
        return entries;
    }

    Result<void> add(const std::string& tool, const X509& authority) const {
        // The tool reads a file; the folder of the database is this user's own.
        const std::string file = folder_ + "/saker-local-ca.tmp.pem";
        if (auto written = os::writeAtomically(file, pemOf(authority), 0600); !written) {
            return written;
        }
        auto ran = run(addArguments(tool, trustName(authority), file));
        std::error_code ignored;
        fs::remove(file, ignored);
        return ran ? Result<void>() : Result<void>(ran.error());
    }

    const std::string title_;
    const std::string folder_;
    const TrustEnvironment environment_;
};

/// Folders below home in which Firefox keeps its profiles: as a package, a snap, a flatpak.
constexpr std::array<std::string_view, 4> kFirefoxFolders{".mozilla/firefox", ".config/mozilla/firefox",
                                                          "snap/firefox/common/.mozilla/firefox",
                                                          ".var/app/org.mozilla.firefox/.mozilla/firefox"};
/// Databases of Chromium and its kin. The first one is made where a browser is installed that will read it.
constexpr std::array<std::string_view, 3> kChromiumFolders{".pki/nssdb", "snap/chromium/current/.pki/nssdb",
                                                           ".var/app/org.chromium.Chromium/.pki/nssdb"};
constexpr std::array<std::string_view, 6> kChromiumPrograms{"chromium",       "chromium-browser",
                                                            "google-chrome",  "google-chrome-stable",
                                                            "microsoft-edge", "brave-browser"};

bool isThere(const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

} // namespace

void findNssTrustStores(const TrustEnvironment& environment, TrustStores& found) {
    if (environment.home.empty()) {
        found.notes.emplace_back("This user has no home, so there are no databases of Firefox and Chromium.");
        return;
    }
    const std::string home = environment.root + environment.home;
    const std::size_t before = found.stores.size();
    const bool hasChromium =
        std::any_of(kChromiumPrograms.begin(), kChromiumPrograms.end(),
                    [&](std::string_view program) { return !environment.which(program).empty(); });
    for (std::string_view folder : kChromiumFolders) {
        const std::string path = os::joinPath(home, folder);
        if (isThere(path + "/cert9.db") || (hasChromium && folder == kChromiumFolders.front())) {
            found.stores.push_back(std::make_unique<NssTrustStore>("Chromium", path, environment));
        }
    }
    for (std::string_view folder : kFirefoxFolders) {
        std::error_code failed;
        std::vector<std::string> profiles;
        for (fs::directory_iterator at(os::joinPath(home, folder), failed);
             !failed && at != fs::directory_iterator(); at.increment(failed)) {
            if (isThere(at->path().string() + "/cert9.db")) {
                profiles.push_back(at->path().string());
            }
        }
        std::sort(profiles.begin(), profiles.end());
        for (std::string& profile : profiles) {
            found.stores.push_back(
                std::make_unique<NssTrustStore>("Firefox", std::move(profile), environment));
        }
    }
    if (found.stores.size() > before && environment.which(kTool).empty()) {
        found.notes.push_back("Databases of browsers were found, but " + NssTrustStore::missingTool());
    }
}

} // namespace saker::tls
