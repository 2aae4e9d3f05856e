#include "http/web_socket_handshake.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>

namespace saker::http {

namespace {

constexpr std::string_view kMagic = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455, section 1.3
constexpr std::size_t kKeySize = 16;

using Digest = std::array<std::uint32_t, 5>;

std::uint32_t bigEndianAt(std::string_view text, std::size_t at) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        word = word << 8U | static_cast<unsigned char>(text[at + i]);
    }
    return word;
}

void addBlock(std::string_view block, Digest& digest) {
    std::array<std::uint32_t, 80> words{};
    for (std::size_t i = 0; i < 16; ++i) {
        words[i] = bigEndianAt(block, 4 * i);
    }
    for (std::size_t i = 16; i < words.size(); ++i) {
        words[i] = std::rotl(words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16], 1);
    }
    auto [a, b, c, d, e] = digest;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::uint32_t mixed = b ^ c ^ d;
        std::uint32_t constant = i < 40 ? 0x6ed9eba1U : 0xca62c1d6U;
        if (i < 20) {
            mixed = (b & c) | (~b & d);
            constant = 0x5a827999U;
        } else if (i >= 40 && i < 60) {
            mixed = (b & c) | (b & d) | (c & d);
            constant = 0x8f1bbcdcU;
        }
        const std::uint32_t next = std::rotl(a, 5) + mixed + e + constant + words[i];
        e = d;
        d = c;
        c = std::rotl(b, 30);
        b = a;
        a = next;
    }
    digest[0] += a;
    digest[1] += b;
    digest[2] += c;
    digest[3] += d;
    digest[4] += e;
}

/// FIPS 180-4: the protocol asks for SHA-1 as a check sum, not as a secret.
std::string sha1(std::string_view text) {
    std::string padded(text);
    padded += '\x80';
    padded.append((119 - text.size() % 64) % 64, '\0');
    const std::uint64_t bits = std::uint64_t{text.size()} * 8;
    for (int shift = 56; shift >= 0; shift -= 8) {
        padded += static_cast<char>(bits >> static_cast<unsigned>(shift) & 0xffU);
    }
    Digest digest{0x67452301U, 0xefcdab89U, 0x98badcfeU, 0x10325476U, 0xc3d2e1f0U};
    for (std::size_t at = 0; at < padded.size(); at += 64) {
        addBlock(std::string_view(padded).substr(at, 64), digest);
    }
    std::string bytes;
    for (const std::uint32_t word : digest) {
        for (int shift = 24; shift >= 0; shift -= 8) {
            bytes += static_cast<char>(word >> static_cast<unsigned>(shift) & 0xffU);
        }
    }
    return bytes;
}

std::string base64(std::string_view bytes) {
    static constexpr std::string_view kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t left = bytes.size() - at;
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = group << 8U | (i < left ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            text += i <= left ? kLetters[group >> (18 - 6 * i) & 63U] : '=';
        }
    }
    return text;
}

} // namespace

std::string makeWebSocketKey() {
    std::random_device random;
    std::string bytes;
    while (bytes.size() < kKeySize) {
        bytes += static_cast<char>(random() & 0xffU);
    }
    return base64(bytes);
}

std::string webSocketAccept(std::string_view key) {
    return base64(sha1(std::string(key).append(kMagic)));
}

} // namespace saker::http
