// The keys that session tickets (RFC 5077; RFC 8446, 4.6.1) are sealed with: shared by all loops, made anew
// while the server runs, never written anywhere. A ticket is good for the lifetime; a key seals for half of
// it and opens for the lifetime after that, so three keys are there at most.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include <openssl/ssl.h>

namespace saker::tls {

class SessionTickets {
public:
    using Clock = std::function<std::chrono::seconds()>;

    /// `clock`: monotonic.
    explicit SessionTickets(std::chrono::seconds lifetime, Clock clock = steadySeconds);
    ~SessionTickets();
    SessionTickets(const SessionTickets&) = delete;
    SessionTickets& operator=(const SessionTickets&) = delete;

    /// After a reload; the keys stay. Any thread.
    void setLifetime(std::chrono::seconds lifetime);
    /// Sealing goes on with a new key. Any thread.
    void rotate();

    /// Has the context's handshakes use these keys. REQUIRES: this outlives them.
    void attach(SSL_CTX& context);

private:
    static constexpr std::size_t kNameSize = 16;
    struct Key {
        std::array<unsigned char, kNameSize> name;
        std::array<unsigned char, 32> cipher;
        std::array<unsigned char, 32> mac;
        std::chrono::seconds since; // made
        std::chrono::seconds until; // seals no more; 0 while it does
    };

    static std::chrono::seconds steadySeconds();
    static int onTicket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                        EVP_MAC_CTX* mac, int seal);
    bool sealing(Key& key);
    bool opening(const unsigned char* name, Key& key, bool& isCurrent);
    bool rotateLocked(std::chrono::seconds now);
    void forgetLocked(std::chrono::seconds now);

    const Clock clock_;
    std::mutex mutex_; // all below; held for moments, once or twice a handshake
    std::chrono::seconds lifetime_;
    std::vector<Key> keys_; // the one that seals first
};

} // namespace saker::tls
