#include "routing/access_policy.h"

#include "http/file_name.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace saker::routing {

namespace {

/// What editors, patch tools and people leave beside the original.
constexpr std::array<std::string_view, 9> kBackups = {"bak", "backup", "old", "orig", "save",
                                                      "swp", "swo",    "swn", "rej"};

/// Files that programs leave in a served folder and that hold passwords, keys or the versions of libraries in
/// use. Only names that nobody publishes on purpose: package.json, *.sql or *.pem may be content.
constexpr std::array<std::string_view, 10> kSecrets = {
    "web.config", "php.ini",     "appsettings.json", "composer.json", "composer.lock",
    "saker.json", "privkey.pem", "id_rsa",           "id_ed25519",    "joncswebconfig.json"};

/// Names of version control with a dot in front; isVersionControlFolder() knows the others.
constexpr std::array<std::string_view, 11> kVersionControl = {
    ".git",           ".svn",        ".hg",      ".bzr",      ".fossil",   ".gitignore",
    ".gitattributes", ".gitmodules", ".gitkeep", ".hgignore", ".cvsignore"};

template <std::size_t N>
bool isOneOf(std::string_view text, const std::array<std::string_view, N>& list) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

/// A bit for the size and the first and last character of each secret: nearly all names are told apart by it.
constexpr unsigned secretBit(std::string_view name) {
    return (static_cast<unsigned char>(name.front()) * 5U + static_cast<unsigned char>(name.back()) +
            static_cast<unsigned>(name.size()) * 11U) %
           64;
}
constexpr std::uint64_t kSecretBits = [] {
    std::uint64_t bits = 0;
    for (std::string_view secret : kSecrets) {
        bits |= std::uint64_t{1} << secretBit(secret);
    }
    return bits;
}();

/// Eight bytes, the first one lowest; one instruction where that is the machine's order.
inline std::uint64_t load8(const char* p) {
    auto byte = [p](int i) {
        return static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])) << (8 * i);
    };
    return byte(0) | byte(1) | byte(2) | byte(3) | byte(4) | byte(5) | byte(6) | byte(7);
}

/// Up to eight bytes, the first one lowest.
std::uint64_t packed(std::string_view text) {
    std::uint64_t value = 0;
    for (std::size_t i = text.size(); i-- > 0;) {
        value = value << 8 | static_cast<unsigned char>(text[i]);
    }
    return value;
}

/// packed() of the last n bytes of a path, 1 <= n <= 8, without a loop where the path is long enough.
inline std::uint64_t packedTail(std::string_view path, std::size_t n) {
    return path.size() < 8 ? packed(path.substr(path.size() - n))
                           : load8(path.data() + path.size() - 8) >> (8 * (8 - n));
}

/// The high bit of every byte that equals c.
constexpr std::uint64_t bytesEqual(std::uint64_t word, char c) {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    constexpr std::uint64_t kLow = 0x7f * kOnes;
    std::uint64_t x = word ^ (kOnes * static_cast<unsigned char>(c));
    return ~(((x & kLow) + kLow) | x | kLow);
}

std::size_t slotOf(std::uint64_t extension) {
    return (extension * 0x9e3779b97f4a7c15) >> 56;
}

Denial denialOfDotName(std::string_view name) {
    if (isOneOf(name, kVersionControl)) {
        return Denial::versionControl;
    }
    return name.substr(0, 3) == ".ht" ? Denial::serverFile : Denial::hidden;
}

/// Folders of version control without a dot in front.
inline bool isVersionControlFolder(std::string_view name) {
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
    constexpr std::string_view kWellKnown = ".well-known";
    Denial denial = Denial::none;
    if (path.empty() || path == kWellKnown) {
        return denial;
    }
    if (path.front() == '.') {
        std::string_view first = path.substr(0, path.find('/'));
        if (first != kWellKnown) {
            return denialOfDotName(first);
        }
        denial = judgeNames(path.substr(first.size() + 1));
    } else {
        denial = judgeNames(path);
    }
    if (denial == Denial::none && strictNames_ && http::hasSuspiciousName(path)) {
        return Denial::suspicious;
    }
    return denial;
}

/// Looks at slashes and dots only, eight bytes at a time.
Denial AccessPolicy::judgeNames(std::string_view path) const {
    const char* p = path.data();
    std::size_t size = path.size();
    std::size_t name = 0;        // where the current name begins
    std::size_t dot = path.npos; // the last one in the current name that is not in front of it
    for (std::size_t base = 0; base < size; base += 8) {
        std::uint64_t word = base + 8 <= size ? load8(p + base) : packedTail(path, size - base);
        std::uint64_t marks = bytesEqual(word, '/') | bytesEqual(word, '.');
        for (; marks != 0; marks &= marks - 1) {
            std::size_t i = base + static_cast<std::size_t>(std::countr_zero(marks)) / 8;
            if (p[i] == '/') {
                if (isVersionControlFolder(path.substr(name, i - name))) {
                    return Denial::versionControl;
                }
                name = i + 1;
                dot = path.npos;
            } else if (i > name) {
                dot = i;
            } else {
                return denialOfDotName(path.substr(name, path.find('/', name) - name));
            }
        }
    }
    return judgeLast(path, name, dot);
}

Denial AccessPolicy::judgeLast(std::string_view path, std::size_t start, std::size_t dot) const {
    std::string_view name = path.substr(start);
    if (name.empty()) {
        return Denial::none;
    }
    if (name.back() == '~' || (name.front() == '#' && name.back() == '#')) {
        return Denial::backup;
    }
    if (((kSecretBits >> secretBit(name)) & 1) != 0 && isOneOf(name, kSecrets)) {
        return Denial::secret;
    }
    if (dot == path.npos) {
        return isVersionControlFolder(name) ? Denial::versionControl : Denial::none;
    }
    std::size_t extension = path.size() - dot - 1;
    if (extension == 0) {
        return Denial::none;
    }
    if (extension <= sizeof(std::uint64_t)) {
        std::uint64_t key = packedTail(path, extension);
        for (std::size_t i = slotOf(key); slots_[i].extension != 0; i = (i + 1) % kSlots) {
            if (slots_[i].extension == key) {
                return slots_[i].denial;
            }
        }
    }
    if (otherSources_.empty()) {
        return Denial::none;
    }
    bool isSource =
        std::find(otherSources_.begin(), otherSources_.end(), path.substr(dot + 1)) != otherSources_.end();
    return isSource ? Denial::source : Denial::none;
}

} // namespace saker::routing
