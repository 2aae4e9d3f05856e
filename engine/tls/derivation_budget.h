// What decrypting a key may cost. The number of rounds by which a password becomes a key is written in the
// file itself, so a file can ask for years of work.
#pragma once

#include <cstdint>

#include <openssl/x509.h>

namespace saker::tls {

class DerivationBudget {
public:
    explicit DerivationBudget(std::uint64_t rounds) : left_(rounds) {}

    /// Whether the work that the algorithm asks for is within what is left; takes it off.
    bool pays(const X509_ALGOR* algorithm);
    bool pays(std::int64_t rounds);
    bool isExhausted() const { return exhausted_; }

private:
    std::uint64_t left_;
    bool exhausted_ = false;
};

} // namespace saker::tls
