// The fields of an HTTP/2 request as the text of an HTTP/1.1 head, so that both versions are judged by one
// parser and look the same to handlers. What makes a request malformed in HTTP/2 alone (RFC 9113,
// sections 8.2 and 8.3) is found here, above all anything that could become a second line of that text.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace saker::http {

class RequestText {
public:
    /// For another request; keeps the storage. `most`: bytes; more are counted and dropped.
    /// `takesProtocol`: whether extended CONNECT is spoken (RFC 8441).
    void begin(std::size_t most, bool takesProtocol);
    /// In the order in which they come.
    void addField(std::string_view name, std::string_view value);
    /// After the last one. False: the request is malformed or too large, and there is no text.
    bool complete();

    /// REQUIRES: complete() was true. Valid until begin().
    std::string_view text() const { return {text_.data(), used_}; }
    bool isTooLarge() const { return size_ > most_; }
    /// It must be reset (RFC 9113, section 8.1.1).
    bool isMalformed() const { return isMalformed_; }
    /// The value of Priority (RFC 9218, section 5); empty: none. Valid like text().
    std::string_view priority() const { return text().substr(priority_.offset, priority_.size); }
    /// Of all fields, those that were dropped included. Compression makes many of few (RFC 7541,
    /// section 7.3).
    std::size_t size() const { return size_; }

private:
    enum Pseudo : std::uint8_t { kMethod, kScheme, kAuthority, kPath, kProtocol, kPseudoCount };
    struct Part {
        std::uint32_t offset = 0;
        std::uint32_t size = 0;
    };

    void addPseudoField(std::string_view name, std::string_view value);
    void addHost(std::string_view value);
    void writeLine();
    void write(std::string_view name, std::string_view value);
    void writeAll(std::initializer_list<std::string_view> parts);
    bool has(Pseudo which) const { return (seen_ & (1U << which)) != 0; }
    std::string_view part(Pseudo which) const {
        return std::string_view(pseudo_).substr(parts_[which].offset, parts_[which].size);
    }

    std::string pseudo_; // values of pseudo-header fields
    std::array<Part, kPseudoCount> parts_;
    Part priority_;    // in text_
    std::string text_; // as large as it was ever needed: its first used_ bytes count
    std::size_t used_ = 0;
    std::string cookies_;
    std::size_t most_ = 0;
    std::size_t size_ = 0;
    std::uint8_t seen_ = 0; // a bit for each Pseudo
    bool takesProtocol_ = false;
    bool isLineDone_ = false;
    bool isHostDone_ = false;
    bool isMalformed_ = false;
};

} // namespace saker::http
