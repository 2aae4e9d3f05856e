// PHP without set-up: finds the versions that are installed and runs those that sites ask for, one pool each.
// One object for the life of the engine, made after the process has become the user that it stays (a thread
// is started); pools live through reloads.
//
// A reload, by whoever builds the new configuration:
//     pools.configure(options);                     looks for PHP; may take some tenths of a second
//     pools.pool(site.phpVersion)  for each site    an endpoint at once; PHP itself starts with the first
//     client pools.settle();                               once the new configuration serves: changed
//     settings reach the
//                                                   pools, and those that nobody asked for end
// When the new configuration is not taken after all: configure() with the old options again.
//
// configure() blocks and is called by one thread at a time; the other functions may be called by any thread
// and do not wait for PHP.
#pragma once

#include "os/runtime_folder.h"
#include "php/php_finder.h"
#include "php/php_options.h"
#include "php/php_pool.h"

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::php {

class PhpPools {
public:
    struct Place {
        std::string folder;               ///< where sockets and files of running programs may be: /run/saker
        std::vector<std::string> folders; ///< where to look for PHP; usualPhpFolders()
        PhpLog log;                       ///< empty: the error log
    };

    explicit PhpPools(Place place);
    /// stop() without a grace.
    ~PhpPools();
    PhpPools(const PhpPools&) = delete;
    PhpPools& operator=(const PhpPools&) = delete;

    /// Sentences about what was found and is of no use. Not finding any PHP is no problem by itself.
    std::vector<std::string> configure(const PhpOptions& options);

    /// The pool for a version as sites write it ("auto", "8.2"), "" for PhpVersion's. Errors are sentences
    /// for the page and the log: PHP is switched off, not installed, not in that version.
    Result<std::shared_ptr<const PhpPool>> pool(std::string_view version = {});

    void settle();

    /// Starts, at once instead of with the first client, all pools that there are.
    void startAll();

    std::vector<PhpBinary> found() const;
    std::vector<PhpStatus> status() const;

    /// Ends all of PHP and waits for it, `grace` long for requests under way. No pool is given out
    /// afterwards.
    void stop(std::chrono::milliseconds grace);

private:
    struct Kept {
        PhpPoolSettings settings; ///< as of the last settle(), or of its making
        std::shared_ptr<PhpPool> pool;
        bool asked = true;   ///< since configure()
        bool ending = false; ///< nobody asked
    };

    Result<PhpPoolSettings> settingsFor(const PhpBinary& binary) const;
    Result<std::shared_ptr<PhpPool>> make(const PhpPoolSettings& settings);

    const Place place_;
    mutable std::mutex mutex_;
    PhpOptions options_; // guarded by mutex_, as all below
    std::vector<PhpBinary> found_;
    std::optional<os::RuntimeFolder> folder_; ///< made with the first pool
    std::vector<Kept> pools_;
    unsigned made_ = 0;
    bool stopped_ = false;
    std::unique_ptr<os::ChildThread> thread_; ///< made with the first pool; ends before the pools do
};

} // namespace saker::php
