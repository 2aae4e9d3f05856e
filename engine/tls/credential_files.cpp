#include "tls/credential_files.h"

#include "base/error.h"
#include "base/text.h"
#include "os/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

namespace saker::tls {

namespace {

namespace fs = std::filesystem;

/// Entries of one folder that are looked at.
constexpr std::size_t kMostEntries = 20'000;

bool endsWith(std::string_view name, std::string_view ending) {
    return name.size() > ending.size() && equalsIgnoreCase(name.substr(name.size() - ending.size()), ending);
}

/// "x" of "fullchainx.pem"; nothing when the name is not built that way.
std::optional<std::string> middle(std::string_view name, std::string_view prefix) {
    if (!startsWithIgnoreCase(name, prefix) || !endsWith(name, ".pem")) {
        return std::nullopt;
    }
    return std::string(name.substr(prefix.size(), name.size() - prefix.size() - 4));
}

std::optional<std::string> without(std::string_view name, std::initializer_list<std::string_view> endings) {
    for (std::string_view ending : endings) {
        if (endsWith(name, ending)) {
            return std::string(name.substr(0, name.size() - ending.size()));
        }
    }
    return std::nullopt;
}

/// Pairs up the names of one folder; each name is taken once.
class Pairing {
public:
    Pairing(const std::string& folder, std::vector<std::string> names)
        : folder_(folder), names_(names.begin(), names.end()) {}

    std::vector<CredentialFiles> pairs() {
        takeExports();
        takeByRole();
        takeByStem();
        std::sort(found_.begin(), found_.end(),
                  [](const CredentialFiles& a, const CredentialFiles& b) { return a.main() < b.main(); });
        return std::move(found_);
    }

private:
    /// The full path of a name, which is then taken; "" when there is no such name.
    std::string take(const std::string& name) {
        return names_.erase(name) > 0 ? os::joinPath(folder_, name) : std::string();
    }
    std::string takeOneOf(const std::string& stem, std::initializer_list<std::string_view> endings) {
        for (std::string_view ending : endings) {
            if (std::string path = take(stem + std::string(ending)); !path.empty()) {
                return path;
            }
        }
        return {};
    }

    void add(CredentialFiles files) {
        auto beside = [&](const std::string& path, std::string_view ending) {
            return path.empty() ? std::string()
                                : take(path.substr(path.rfind('/') + 1) + std::string(ending));
        };
        for (const std::string& path : {files.pkcs12, files.key, files.certificate}) {
            if (files.password.empty()) {
                files.password = beside(path, ".password");
            }
        }
        for (const std::string& path : {files.certificate, files.pkcs12}) {
            if (files.ocspResponse.empty()) {
                files.ocspResponse = beside(path, ".ocsp");
            }
        }
        found_.push_back(std::move(files));
    }

    void takeExports() {
        for (const std::string& name : std::vector<std::string>(names_.begin(), names_.end())) {
            if (endsWith(name, ".p12") || endsWith(name, ".pfx")) {
                CredentialFiles files;
                files.pkcs12 = take(name);
                add(std::move(files));
            }
        }
    }

    /// fullchain, cert, chain and privkey.
    void takeByRole() {
        std::set<std::string> middles;
        for (const std::string& name : names_) {
            for (std::string_view role : {"fullchain", "privkey", "cert"}) {
                if (auto text = middle(name, role)) {
                    middles.insert(*text);
                }
            }
        }
        for (const std::string& text : middles) {
            CredentialFiles files;
            std::string full = take("fullchain" + text + ".pem");
            std::string alone = take("cert" + text + ".pem");
            std::string chain = take("chain" + text + ".pem");
            files.key = take("privkey" + text + ".pem");
            if (!full.empty()) {
                files.certificate = std::move(full);
            } else {
                files.certificate = std::move(alone);
                files.chain = std::move(chain);
            }
            if (files.key.empty() && !files.certificate.empty()) {
                // "cert.pem" is as common a name for one file of two that go by their stems.
                names_.insert(files.certificate.substr(files.certificate.rfind('/') + 1));
                if (!files.chain.empty()) {
                    names_.insert(files.chain.substr(files.chain.rfind('/') + 1));
                }
                continue;
            }
            add(std::move(files));
        }
    }

    void takeByStem() {
        for (const std::string& name : std::vector<std::string>(names_.begin(), names_.end())) {
            auto stem = without(name, {".key.pem", "-key.pem", ".key"});
            if (!stem && equalsIgnoreCase(name, "key.pem")) {
                stem = "cert"; // key.pem and cert.pem, as many instructions on the web have it
            }
            if (!stem) {
                continue;
            }
            CredentialFiles files;
            files.key = take(name);
            files.certificate = takeOneOf(*stem, {".fullchain.pem", ".crt", ".cer", ".cert", ".pem"});
            if (files.certificate.empty()) {
                files.certificate = takeOneOf("fullchain", {".cer", ".crt", ".pem"});
            }
            files.chain = takeOneOf(*stem, {".chain.pem", ".ca-bundle", ".issuer.crt"});
            add(std::move(files));
        }
        for (const std::string& name : std::vector<std::string>(names_.begin(), names_.end())) {
            // Without a key beside it: the key may be in it. What only goes with another one is passed over.
            auto stem = without(name, {".pem", ".crt", ".cer", ".cert"});
            if (!stem || endsWith(name, ".chain.pem") || endsWith(name, ".issuer.crt") ||
                startsWithIgnoreCase(name, "chain") || startsWithIgnoreCase(name, "ca.") ||
                startsWithIgnoreCase(name, "dhparam")) {
                continue;
            }
            CredentialFiles files;
            files.certificate = take(name);
            files.chain = takeOneOf(*stem, {".chain.pem", ".ca-bundle", ".issuer.crt"});
            add(std::move(files));
        }
    }

    const std::string& folder_;
    std::set<std::string> names_;
    std::vector<CredentialFiles> found_;
};

struct Entries {
    std::vector<std::string> files;
    std::vector<std::string> folders;
    std::optional<CertificateProblem> problem;
};

Entries entriesOf(const std::string& folder) {
    Entries entries;
    std::error_code failed;
    fs::directory_iterator at(folder, failed);
    std::size_t count = 0;
    for (; !failed && at != fs::directory_iterator(); at.increment(failed)) {
        if (++count > kMostEntries) {
            entries.problem = {
                Severity::error, folder,
                fmt::format("there are more than {} entries in this folder; the rest is not looked at",
                            kMostEntries)};
            break;
        }
        std::string name = at->path().filename().string();
        if (name.starts_with('.')) {
            continue; // also what editors and Kubernetes keep for themselves
        }
        std::error_code unknown;
        (at->is_directory(unknown) ? entries.folders : entries.files).push_back(std::move(name));
    }
    if (failed) {
        entries.problem = CertificateProblem{
            Severity::error, folder, "the folder cannot be read: " + saker::systemErrorText(failed.value())};
    }
    std::sort(entries.folders.begin(), entries.folders.end());
    return entries;
}

} // namespace

std::vector<CredentialFiles> pairFiles(const std::string& folder, std::vector<std::string> names) {
    return Pairing(folder, std::move(names)).pairs();
}

CredentialTree listCredentialFiles(const std::string& folder) {
    CredentialTree tree;
    std::error_code failed;
    tree.folders.push_back(folder);
    if (!fs::exists(folder, failed)) {
        tree.problems.push_back(
            {Severity::information, folder,
             "there is no such folder, so no certificate is loaded from it; make it, or name "
             "another one in CertDir"});
        return tree;
    }
    auto take = [&tree](const std::string& path, Entries& entries) {
        for (CredentialFiles& files : pairFiles(path, std::move(entries.files))) {
            tree.files.push_back(std::move(files));
        }
        if (entries.problem) {
            tree.problems.push_back(std::move(*entries.problem));
        }
    };
    std::string top = folder;
    Entries entries = entriesOf(top);
    const auto live = std::find(entries.folders.begin(), entries.folders.end(), "live");
    if (live != entries.folders.end()) {
        if (Entries inside = entriesOf(os::joinPath(top, "live")); !inside.folders.empty()) {
            top = os::joinPath(top, "live");
            tree.folders.push_back(top);
            entries = std::move(inside);
        }
    }
    std::vector<std::string> folders = std::move(entries.folders);
    take(top, entries);
    for (const std::string& name : folders) {
        std::string path = os::joinPath(top, name);
        Entries inside = entriesOf(path);
        take(path, inside);
        tree.folders.push_back(std::move(path));
    }
    return tree;
}

} // namespace saker::tls
