// The fields of an HTTP/2 request as the text of an HTTP/1.1 head, so that both versions are judged by one
// parser and look the same to handlers. nghttp2 has refused what HTTP/2 forbids by itself (RFC 9113, sections
// 8.2 and 8.3): names and values hold no line ends, pseudo-header fields come first and once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace saker::http {

class RequestText {
public:
    /// For another request; keeps the storage. `most`: bytes; more are counted and dropped.
    void begin(std::size_t most);
    /// In the order in which they come.
    void addField(std::string_view name, std::string_view value);
    /// After the last one. False: no head can be made of them, or it is too large.
    bool complete();

    /// REQUIRES: complete() was true. Valid until begin().
    std::string_view text() const { return {text_.data(), used_}; }
    bool isTooLarge() const { return size_ > most_; }
    /// Of all fields, those that were dropped included. Compression makes many of few (RFC 7541,
    /// section 7.3).
    std::size_t size() const { return size_; }

private:
    struct Part {
        std::uint32_t offset = 0;
        std::uint32_t size = 0;
    };

    void addPseudoField(std::string_view name, std::string_view value);
    void addHost(std::string_view value);
    void writeLine();
    void write(std::string_view name, std::string_view value);
    void writeAll(std::initializer_list<std::string_view> parts);
    std::string_view part(Part p) const { return std::string_view(pseudo_).substr(p.offset, p.size); }

    std::string pseudo_; // values of pseudo-header fields
    Part method_, path_, authority_, protocol_;
    std::string text_; // as large as it was ever needed: its first used_ bytes count
    std::size_t used_ = 0;
    std::string cookies_;
    std::size_t most_ = 0;
    std::size_t size_ = 0;
    bool lineDone_ = false;
    bool hostDone_ = false;
    bool hostsDiffer_ = false;
};

} // namespace saker::http
