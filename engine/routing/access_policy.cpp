#include "routing/access_policy.h"

#include "http/url.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace saker::routing {

namespace {

/// What editors, patch tools and people leave beside the original.
constexpr std::array<std::string_view, 9> kBackups = {"bak", "backup", "old", "orig", "save", "swp", "swo", "swn", "rej"};

/// Files that programs leave in a served folder and that hold passwords, keys or the versions of libraries in use. Only
/// names that nobody publishes on purpose: package.json, *.sql or *.pem may be content.
constexpr std::array<std::string_view, 10> kSecrets = {
    "web.config", "php.ini",     "appsettings.json", "composer.json", "composer.lock",
    "saker.json", "privkey.pem", "id_rsa",           "id_ed25519",    "joncswebconfig.json"};

/// Names of version control with a dot in front; isVersionControlFolder() knows the others.
constexpr std::array<std::string_view, 11> kVersionControl = {".git",       ".svn",           ".hg",     ".bzr",
                                                              ".fossil",    ".gitignore",     ".gitattributes",
                                                              ".gitmodules", ".gitkeep",      ".hgignore", ".cvsignore"};

template <std::size_t N>
bool isOneOf(std::string_view text, const std::array<std::string_view, N>& list) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

/// Bit n is set when a secret has n characters: most names are told apart by this alone.
constexpr std::uint64_t kSecretSizes = [] {
    std::uint64_t sizes = 0;
    for (std::string_view secret : kSecrets) {
        sizes |= std::uint64_t{1} << secret.size();
    }
    return sizes;
}();

std::uint64_t packed(std::string_view extension) {
    std::uint64_t value = 0;
    std::memcpy(&value, extension.data(), extension.size());
    return value;
}

std::size_t slotOf(std::uint64_t extension) { return (extension * 0x9e3779b97f4a7c15) >> 56; }

Denial denialOfDotName(std::string_view name) {
    if (isOneOf(name, kVersionControl)) {
        return Denial::versionControl;
    }
    return name.substr(0, 3) == ".ht" ? Denial::serverFile : Denial::hidden;
}

/// Folders of version control without a dot in front.
bool isVersionControlFolder(std::string_view name) {
    switch (name.size()) {
    case 3:
        return name == "cvs";
    case 4:
        return name == "_svn";
    case 6:
        return name == "_darcs";
    default:
        return false;
    }
}

} // namespace

std::string_view denialText(Denial denial) {
    switch (denial) {
    case Denial::none:
        return "nothing stands against serving it";
    case Denial::hidden:
        return "names that begin with a dot are never served, except /.well-known/";
    case Denial::versionControl:
        return "files of version control are never served";
    case Denial::serverFile:
        return "settings of the server (.ht*) are never served";
    case Denial::backup:
        return "backups that editors and tools leave behind are never served";
    case Denial::secret:
        return "files that are known to hold settings or keys are never served";
    case Denial::source:
        return "the source of a page is not served, and the handler that runs it is not active";
    case Denial::suspicious:
        return "the name could be read as another file or as a device";
    case Denial::count_:
        break;
    }
    assert(false);
    return {};
}

AccessPolicy::AccessPolicy(const Options& options) : strictNames_(options.strictNames) {
    std::size_t used = 0;
    auto add = [&](std::string_view extension, Denial denial) {
        // Half of the table stays free: a probe always ends, and soon.
        if (extension.empty() || extension.size() > sizeof(std::uint64_t) || used == kSlots / 2) {
            otherSources_.emplace_back(extension);
            return;
        }
        std::uint64_t key = packed(extension);
        std::size_t i = slotOf(key);
        while (slots_[i].extension != 0 && slots_[i].extension != key) {
            i = (i + 1) % kSlots;
        }
        used += slots_[i].extension == 0 ? 1 : 0;
        slots_[i] = {key, denial};
    };
    for (std::string_view backup : kBackups) {
        add(backup, Denial::backup);
    }
    for (const std::string& source : options.sources) {
        add(source, Denial::source);
    }
}

Denial AccessPolicy::judge(std::string_view path) const {
    const char* p = path.data();
    std::size_t size = path.size();
    std::size_t name = 0;          // where the current name begins
    std::size_t dot = path.npos;   // the last dot so far, if it is in the current name
    for (std::size_t i = 0; i < size; ++i) {
        if (!kMarks[static_cast<unsigned char>(p[i])]) {
            continue;
        }
        if (p[i] == '/') {
            if (isVersionControlFolder(path.substr(name, i - name))) {
                return Denial::versionControl;
            }
            name = i + 1;
            dot = path.npos;
        } else if (i > name) {
            dot = i;
        } else {
            std::string_view hidden = path.substr(name, path.find('/', name) - name);
            if (name > 0 || hidden != ".well-known") {
                return denialOfDotName(hidden);
            }
            i += hidden.size() - 1;
        }
    }
    Denial denial = judgeLast(path.substr(name), dot == path.npos ? path.npos : dot - name);
    if (denial == Denial::none && strictNames_ && http::hasSuspiciousName(path)) {
        return Denial::suspicious;
    }
    return denial;
}

Denial AccessPolicy::judgeLast(std::string_view name, std::size_t dot) const {
    if (name.empty()) {
        return Denial::none;
    }
    if (name.back() == '~' || (name.front() == '#' && name.back() == '#')) {
        return Denial::backup;
    }
    if (((kSecretSizes >> (name.size() & 63)) & 1) != 0 && isOneOf(name, kSecrets)) {
        return Denial::secret;
    }
    if (dot == name.npos) {
        return isVersionControlFolder(name) ? Denial::versionControl : Denial::none;
    }
    return judgeExtension(name.substr(dot + 1));
}

Denial AccessPolicy::judgeExtension(std::string_view extension) const {
    if (extension.size() <= sizeof(std::uint64_t)) {
        std::uint64_t key = packed(extension);
        for (std::size_t i = slotOf(key); slots_[i].extension != 0; i = (i + 1) % kSlots) {
            if (slots_[i].extension == key) {
                return slots_[i].denial;
            }
        }
    }
    bool isSource = std::find(otherSources_.begin(), otherSources_.end(), extension) != otherSources_.end();
    return isSource ? Denial::source : Denial::none;
}

} // namespace saker::routing
