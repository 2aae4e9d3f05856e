// What the local authority has issued, by name: bounded, shared by all loops, renewed before it expires.
// Asked within handshakes for names that strangers choose; so issuing is one at a time and limited in rate,
// and names that are not permitted cost a look at the list of permitted ones.
#pragma once

#include "tls/credential.h"
#include "tls/local_ca.h"

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace saker::tls {

class LeafCache {
public:
    struct Options {
        std::size_t capacity = 256;
        double issuesPerSecond = 10; ///< in the long run
        double issuesAtOnce = 64;
    };
    /// Seconds since 1970.
    using Clock = std::function<std::int64_t()>;

    LeafCache(std::shared_ptr<const LocalCa> authority, Options options, Clock clock);

    /// Any thread. Null when the authority may not vouch for it, or not now: too many were issued.
    std::shared_ptr<const Credential> find(std::string_view name);
    std::shared_ptr<const Credential> find(const loop::SocketAddress& address);

    const LocalCa& authority() const { return *authority_; }
    std::size_t size() const;
    /// Issued since the start, and how often the rate was the reason for none.
    std::uint64_t issued() const;
    std::uint64_t refused() const;

private:
    struct Entry {
        std::string name;
        std::shared_ptr<const Credential> credential;
    };
    using Issue = std::function<Result<std::shared_ptr<const Credential>>(std::int64_t now)>;

    std::shared_ptr<const Credential> findOrIssue(const std::string& key, const Issue& issue);
    std::shared_ptr<const Credential> cached(const std::string& key, std::int64_t now);
    bool takeToken(std::int64_t now);

    const std::shared_ptr<const LocalCa> authority_;
    const Options options_;
    const Clock clock_;

    std::mutex issuing_; // one at a time; guards the tokens
    double tokens_;
    std::int64_t tokensAt_ = 0;

    mutable std::mutex mutex_; // all below; held for moments
    std::list<Entry> entries_; // the one used last in front
    std::unordered_map<std::string, std::list<Entry>::iterator> byName_;
    std::uint64_t issued_ = 0;
    std::uint64_t refused_ = 0;
};

} // namespace saker::tls
