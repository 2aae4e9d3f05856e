#include "tls/leaf_cache.h"

#include <algorithm>
#include <utility>

namespace saker::tls {

namespace {

/// A leaf is issued anew when less than this part of its life is left.
constexpr std::int64_t kRenewAtPart = 3;

bool isFresh(const Credential& credential, std::int64_t now) {
    const CertificateInfo& info = credential.info;
    return now >= info.notBefore && (info.notAfter - now) * kRenewAtPart > info.notAfter - info.notBefore;
}

bool isValid(const Credential& credential, std::int64_t now) {
    return now >= credential.info.notBefore && now < credential.info.notAfter;
}

} // namespace

LeafCache::LeafCache(std::shared_ptr<const LocalCa> authority, Options options, Clock clock)
    : authority_(std::move(authority)), options_(options), clock_(std::move(clock)),
      tokens_(options.issuesAtOnce) {}

std::shared_ptr<const Credential> LeafCache::find(std::string_view name) {
    if (!authority_->permits(name)) {
        return nullptr;
    }
    return findOrIssue(std::string(name), [&](std::int64_t now) { return authority_->issue(name, now); });
}

std::shared_ptr<const Credential> LeafCache::find(const loop::SocketAddress& address) {
    if (!authority_->permits(address)) {
        return nullptr;
    }
    // No name is an address: the brackets keep them apart.
    return findOrIssue("[" + address.host() + "]",
                       [&](std::int64_t now) { return authority_->issue(address, now); });
}

std::shared_ptr<const Credential> LeafCache::findOrIssue(const std::string& key, const Issue& issue) {
    const std::int64_t now = clock_();
    auto known = cached(key, now);
    if (known && isFresh(*known, now)) {
        return known;
    }
    std::lock_guard issuing(issuing_);
    known = cached(key, now); // another loop may have been waited for, for the same name
    if (known && isFresh(*known, now)) {
        return known;
    }
    auto stillGood = known && isValid(*known, now) ? known : nullptr;
    if (!takeToken(now)) {
        std::lock_guard lock(mutex_);
        ++refused_;
        return stillGood;
    }
    auto issued = issue(now);
    if (!issued) {
        return stillGood;
    }
    std::lock_guard lock(mutex_);
    ++issued_;
    if (auto old = byName_.find(key); old != byName_.end()) {
        entries_.erase(old->second);
        byName_.erase(old);
    }
    while (entries_.size() >= std::max<std::size_t>(options_.capacity, 1)) {
        byName_.erase(entries_.back().name);
        entries_.pop_back();
    }
    entries_.push_front({key, *issued});
    byName_[key] = entries_.begin();
    return *issued;
}

std::shared_ptr<const Credential> LeafCache::cached(const std::string& key, std::int64_t now) {
    std::lock_guard lock(mutex_);
    auto found = byName_.find(key);
    if (found == byName_.end()) {
        return nullptr;
    }
    auto credential = found->second->credential;
    if (!isValid(*credential, now)) {
        entries_.erase(found->second);
        byName_.erase(found);
        return nullptr;
    }
    entries_.splice(entries_.begin(), entries_, found->second);
    return credential;
}

bool LeafCache::takeToken(std::int64_t now) {
    // A clock that is set back gives nothing, and takes nothing away.
    tokens_ = std::min(options_.issuesAtOnce,
                       tokens_ + static_cast<double>(std::max<std::int64_t>(now - tokensAt_, 0)) *
                                     options_.issuesPerSecond);
    tokensAt_ = now;
    if (tokens_ < 1) {
        return false;
    }
    tokens_ -= 1;
    return true;
}

std::size_t LeafCache::size() const {
    std::lock_guard lock(mutex_);
    return entries_.size();
}

std::uint64_t LeafCache::issued() const {
    std::lock_guard lock(mutex_);
    return issued_;
}

std::uint64_t LeafCache::refused() const {
    std::lock_guard lock(mutex_);
    return refused_;
}

} // namespace saker::tls
