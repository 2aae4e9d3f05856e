#include "handlers/static_files/representation.h"

#include "http/date.h"

#include <fmt/format.h>

namespace saker::static_files {

namespace {

/// About what a rendered head takes, with what belongs to it.
constexpr std::uint64_t kHeadBytes = 1024;

bool isAscii(std::string_view text) {
    for (char c : text) {
        if (static_cast<unsigned char>(c) >= 0x80) {
            return false;
        }
    }
    return true;
}

/// attachment; filename="…" and, for other than ASCII, filename*=UTF-8''… (RFC 6266, RFC 8187).
std::string disposition(std::string_view name) {
    std::string out = "attachment; filename=\"";
    for (char c : name) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        auto byte = static_cast<unsigned char>(c);
        out += byte < 0x20 || byte >= 0x7f ? '_' : c;
    }
    out += '"';
    if (!isAscii(name)) {
        out += "; filename*=UTF-8''";
        for (char c : name) {
            auto byte = static_cast<unsigned char>(c);
            bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                         c == '-' || c == '.' || c == '_' || c == '~';
            if (plain) {
                out += c;
            } else {
                fmt::format_to(std::back_inserter(out), "%{:02X}", byte);
            }
        }
    }
    return out;
}

} // namespace

Representation::Representation(std::shared_ptr<const routing::Site> site, std::string path, FileStamp stamp,
                               routing::FileType type)
    : site_(std::move(site)), path_(std::move(path)), stamp_(stamp), type_(std::move(type)) {
    Variant& identity = variant(http::Coding::identity);
    identity.path = path_;
    identity.stamp = stamp_;
}

http::CodingSet Representation::available() const {
    http::CodingSet set;
    for (std::size_t i = 0; i < variants_.size(); ++i) {
        if (variants_[i].state != Variant::State::absent) {
            set.add(static_cast<http::Coding>(i));
        }
    }
    return set;
}

bool Representation::isNegotiated() const {
    for (std::size_t i = 1; i < variants_.size(); ++i) {
        if (variants_[i].state != Variant::State::absent) {
            return true;
        }
    }
    return false;
}

std::int64_t Representation::modifiedSeconds() const {
    return stamp_.modified / 1'000'000'000;
}

http::ResponseHead Representation::head(http::Coding coding, std::string_view etag) const {
    http::ResponseHead head;
    site_->rules->addDefaultHeaders(head);
    head.set("Content-Type", type_.contentType);
    for (const http::ResponseHead::Field& field : type_.fields) {
        head.set(field.name, field.value);
    }
    if (type_.isDownload) {
        std::string_view path = path_;
        head.set("Content-Disposition", disposition(path.substr(path.rfind('/') + 1)));
    }
    head.set("ETag", etag);
    head.set("Last-Modified", http::httpDate(modifiedSeconds()));
    if (coding != http::Coding::identity) {
        head.set("Content-Encoding", http::codingName(coding));
    }
    if (isNegotiated()) {
        head.addToList("Vary", "Accept-Encoding");
    }
    head.setDefault("Accept-Ranges", "bytes");
    return head;
}

void Representation::fill(http::Coding coding, http::PreparedResponse::Body body, std::string etag,
                          const FileStamp& stamp) {
    Variant& v = variant(coding);
    if (coding == http::Coding::identity) {
        stamp_.modified = stamp.modified; // the truth at the moment of reading
    }
    v.etag = std::move(etag);
    v.state = Variant::State::ready;
    v.whole = makeRef<http::PreparedResponse>(head(coding, v.etag), std::move(body));
    v.notModified = {};
}

http::PreparedResponse& Representation::notModified(http::Coding coding) {
    Variant& v = variant(coding);
    if (!v.notModified) {
        // RFC 9110, section 15.4.5: what a cache needs to update its copy; nothing about the body.
        http::ResponseHead reply = v.whole->head();
        reply.status = 304;
        for (std::string_view name :
             {"Content-Type", "Content-Length", "Content-Encoding", "Content-Disposition", "Accept-Ranges"}) {
            reply.remove(name);
        }
        v.notModified = makeRef<http::PreparedResponse>(std::move(reply), http::PreparedResponse::Body{});
    }
    return *v.notModified;
}

std::uint64_t Representation::memoryUse() const {
    std::uint64_t bytes = sizeof(*this) + path_.capacity();
    for (const Variant& v : variants_) {
        bytes += v.path.capacity() + v.etag.capacity();
        if (v.whole) {
            // A small body is copied behind the head; a larger one is kept alive, be it the store's or not.
            bytes += kHeadBytes + v.whole->body().bytes.size();
        }
        bytes += v.notModified ? kHeadBytes : 0;
    }
    return bytes;
}

} // namespace saker::static_files
