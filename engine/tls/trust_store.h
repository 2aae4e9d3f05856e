// Places where programs of this machine look up whom they trust, so that browsers believe the local
// authority. One object for each place found; they run the tools that belong to it, with fixed arguments and
// without a shell. Never asks for more rights than there are: what cannot be done is said, with the command
// that a person can give. Blocks; not on a loop.
#pragma once

#include "base/result.h"
#include "os/run_program.h"
#include "tls/openssl_types.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace saker::tls {

enum class TrustState : std::uint8_t {
    trusted,
    absent,
    outdated, ///< another authority of ours is there, or a part of this one is missing
    unknown,  ///< a tool is missing, or it failed
};
const char* trustStateName(TrustState state);

enum class TrustChange : std::uint8_t { install, remove };

class TrustStore {
public:
    virtual ~TrustStore() = default;
    /// For people: "Debian's system store", "Firefox: /home/a/.mozilla/firefox/x.default".
    virtual std::string name() const = 0;
    virtual TrustState state(const X509& authority) const = 0;
    /// What apply() would do, a line for each step; does nothing.
    virtual std::vector<std::string> plan(const X509& authority, TrustChange change) const = 0;
    /// Errors say what is missing and how to get it. Installing what is there and removing what is not
    /// succeed.
    virtual Result<void> apply(const X509& authority, TrustChange change) = 0;
};

/// The machine as the stores see it; tests give another one.
struct TrustEnvironment {
    std::string root; ///< in front of the machine's paths; "": the machine itself
    std::string home; ///< of the user whose browsers are meant; "": none
    std::function<Result<os::ProgramOutcome>(const std::vector<std::string>& argv)> run;
    std::function<std::string(std::string_view program)> which; ///< full path, or ""
    bool isAdministrator = false;

    static TrustEnvironment ofThisMachine();
};

/// What the authority is called within stores, and the stem of its files there: "Saker local CA 1a2b3c4d".
std::string trustName(const X509& authority);

struct TrustStores {
    std::vector<std::unique_ptr<TrustStore>> stores;
    std::vector<std::string> notes; ///< why a store is not among them: sentences
};
TrustStores findTrustStores(const TrustEnvironment& environment);

} // namespace saker::tls
