// Which files are never served, whatever the configuration of a site maps them to: hidden files, folders of
// version control, backups of editors, files with secrets, sources of pages whose handler is off. Judged per
// request on the path below the site's folder, normalised (http/url.h) and ASCII-lowercased, and again on the
// stored path where the look-up found another one (a file with PATH_INFO behind it, another spelling). One
// scan, no allocation.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace saker::routing {

enum class Denial : std::uint8_t {
    none,
    hidden,         ///< a name with a dot in front, other than a leading .well-known
    versionControl, ///< .git, .svn, .hg, .bzr, _darcs, CVS …
    serverFile,     ///< .htaccess, .htpasswd and everything else that begins with .ht
    backup,         ///< x~, #x#, x.bak, x.swp and so on: often the source of a page
    secret,         ///< a file that is known to hold settings or keys, see access_policy.cpp
    source,         ///< source of a page whose handler is not active
    suspicious,     ///< a name that Windows reads as another one or as a device
    count_,
};

/// For logs and debug pages: "editor backups are never served".
std::string_view denialText(Denial denial);

/// Extensions of pages that run on the server; with those of ForwardExt and without those whose handler is
/// active they are AccessPolicy::Options::sources.
inline constexpr std::array<std::string_view, 8> kSourceExtensions = {"_cs",   "_csdll", "_wasm", "php",
                                                                      "phtml", "phar",   "njs",   "bun"};

class AccessPolicy {
public:
    struct Options {
        /// Lower case, without dot: files with such an extension are not served.
        std::vector<std::string> sources;
        /// Refuse what Windows would read differently (http::isSuspiciousName). Needed where files lie on
        /// such a file system; elsewhere "a:b" and "x~1" are ordinary names.
        bool strictNames = false;
    };

    AccessPolicy() : AccessPolicy(Options{}) {}
    explicit AccessPolicy(const Options& options);

    /// `path`: "dir/file.ext", relative to the site's folder, normalised and folded. Any thread.
    /// Names of folders on the way can only be hidden, version control or suspicious; the last name can be
    /// all.
    Denial judge(std::string_view path) const;
    bool allows(std::string_view path) const { return judge(path) == Denial::none; }

private:
    Denial judgeNames(std::string_view path) const;
    /// The name that begins at `start`; `dot`: the last one in it, not in front of it; npos without.
    Denial judgeLast(std::string_view path, std::size_t start, std::size_t dot) const;

    /// Extensions of up to eight bytes as numbers, open addressing; 0 is a free slot.
    struct Slot {
        std::uint64_t extension = 0;
        Denial denial = Denial::none;
    };
    static constexpr std::size_t kSlots = 256;
    std::array<Slot, kSlots> slots_{};
    std::vector<std::string> otherSources_; // longer ones, and those without a slot
    bool strictNames_ = false;
};

} // namespace saker::routing
