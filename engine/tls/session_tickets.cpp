#include "tls/session_tickets.h"

#include <algorithm>
#include <cstring>

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rand.h>

namespace saker::tls {

namespace {

int contextIndex() {
    static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

/// Fetched once: OpenSSL would look it up by its name for every ticket.
const EVP_CIPHER* ticketCipher() {
    static const EVP_CIPHER* cipher = EVP_CIPHER_fetch(nullptr, "AES-256-CBC", nullptr);
    return cipher;
}

bool setMacKey(EVP_MAC_CTX* mac, unsigned char* key, std::size_t size) {
    char digest[] = "SHA256";
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, size),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end(),
    };
    return EVP_MAC_CTX_set_params(mac, parameters) == 1;
}

} // namespace

SessionTickets::SessionTickets(std::chrono::seconds lifetime, Clock clock)
    : clock_(std::move(clock)), lifetime_(lifetime) {
    keys_.reserve(8); // keys are not left behind in memory that was given back
}

SessionTickets::~SessionTickets() {
    for (Key& key : keys_) {
        OPENSSL_cleanse(&key, sizeof key);
    }
}

std::chrono::seconds SessionTickets::steadySeconds() {
    return std::chrono::duration_cast<std::chrono::seconds>(
        std::chrono::steady_clock::now().time_since_epoch());
}

void SessionTickets::setLifetime(std::chrono::seconds lifetime) {
    std::lock_guard lock(mutex_);
    lifetime_ = lifetime;
}

void SessionTickets::rotate() {
    const std::chrono::seconds now = clock_();
    std::lock_guard lock(mutex_);
    rotateLocked(now);
}

bool SessionTickets::rotateLocked(std::chrono::seconds now) {
    Key key{};
    key.since = now;
    if (RAND_priv_bytes(key.cipher.data(), static_cast<int>(key.cipher.size())) != 1 ||
        RAND_priv_bytes(key.mac.data(), static_cast<int>(key.mac.size())) != 1 ||
        RAND_bytes(key.name.data(), static_cast<int>(key.name.size())) != 1) {
        return false;
    }
    if (!keys_.empty()) {
        keys_.front().until = now;
    }
    if (keys_.size() == keys_.capacity()) {
        OPENSSL_cleanse(&keys_.back(), sizeof(Key));
        keys_.pop_back();
    }
    keys_.insert(keys_.begin(), key);
    OPENSSL_cleanse(&key, sizeof key);
    return true;
}

/// Drops keys whose tickets have all expired.
void SessionTickets::forgetLocked(std::chrono::seconds now) {
    while (keys_.size() > 1 && keys_.back().until + lifetime_ < now) {
        OPENSSL_cleanse(&keys_.back(), sizeof(Key));
        keys_.pop_back();
    }
}

bool SessionTickets::sealing(Key& key) {
    const std::chrono::seconds now = clock_();
    std::lock_guard lock(mutex_);
    if (keys_.empty() || keys_.front().since + lifetime_ / 2 <= now) {
        if (!rotateLocked(now)) {
            return false;
        }
    }
    forgetLocked(now);
    key = keys_.front();
    return true;
}

bool SessionTickets::opening(const unsigned char* name, Key& key, bool& isCurrent) {
    const std::chrono::seconds now = clock_();
    std::lock_guard lock(mutex_);
    forgetLocked(now);
    auto found = std::find_if(keys_.begin(), keys_.end(), [name](const Key& one) {
        return std::memcmp(one.name.data(), name, kNameSize) == 0;
    });
    if (found == keys_.end()) {
        return false;
    }
    isCurrent = found == keys_.begin();
    key = *found;
    return true;
}

void SessionTickets::attach(SSL_CTX& context) {
    SSL_CTX_set_ex_data(&context, contextIndex(), this);
    SSL_CTX_set_tlsext_ticket_key_evp_cb(&context, onTicket);
}

/// OpenSSL's contract: 1 goes on, 2 goes on and replaces the ticket, 0 does without, -1 fails the handshake.
int SessionTickets::onTicket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                             EVP_MAC_CTX* mac, int seal) {
    auto* self = static_cast<SessionTickets*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), contextIndex()));
    Key key{};
    bool isCurrent = true;
    int outcome = -1;
    if (seal != 0) {
        if (!self->sealing(key) || RAND_bytes(iv, EVP_CIPHER_get_iv_length(ticketCipher())) != 1) {
            return -1;
        }
        std::memcpy(name, key.name.data(), kNameSize);
        if (EVP_EncryptInit_ex(cipher, ticketCipher(), nullptr, key.cipher.data(), iv) == 1 &&
            setMacKey(mac, key.mac.data(), key.mac.size())) {
            outcome = 1;
        }
    } else if (!self->opening(name, key, isCurrent)) {
        outcome = 0;
    } else if (setMacKey(mac, key.mac.data(), key.mac.size()) &&
               EVP_DecryptInit_ex(cipher, ticketCipher(), nullptr, key.cipher.data(), iv) == 1) {
        // Clients use a ticket of TLS 1.3 once (RFC 8446, C.4): without another one every second connection
        // would take a full handshake.
        outcome = isCurrent && SSL_version(ssl) < TLS1_3_VERSION ? 1 : 2;
    }
    OPENSSL_cleanse(&key, sizeof key);
    return outcome;
}

} // namespace saker::tls
