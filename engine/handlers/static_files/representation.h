// A file as one loop answers with it: the prepared answer of each content coding, made on first use and kept.
// The bodies themselves are shared by all loops (ContentStore); what is kept here are rendered heads and
// references.
#pragma once

#include "handlers/static_files/content_store.h"
#include "http/prepared_response.h"
#include "routing/site.h"

#include <array>
#include <memory>
#include <string>

namespace saker::static_files {

/// The file in one coding.
struct Variant {
    enum class State : std::uint8_t {
        unknown, ///< not asked for yet
        ready,
        absent, ///< not to be had: the file is not compressible, or compressing does not pay
    };
    State state = State::unknown;
    bool isSibling = false;                  ///< a precompressed file beside the file
    std::string path;                        ///< of the file the bytes are read from, below the root
    FileStamp stamp;                         ///< of that file
    std::string etag;                        ///< when ready
    Ref<http::PreparedResponse> whole;       ///< when ready
    Ref<http::PreparedResponse> notModified; ///< made on first use
};

class Representation final : public RefCounted {
public:
    /// Leads to the representation for as long as it is in the cache, and keeps nothing of it alive.
    struct Handle final : RefCounted {
        Representation* target = nullptr;
    };

    Representation(std::shared_ptr<const routing::Site> site, std::string path, FileStamp stamp,
                   routing::FileType type);

    Variant& variant(http::Coding coding) { return variants_[static_cast<std::size_t>(coding)]; }
    /// Codings that are ready or may still become so.
    http::CodingSet available() const;
    /// More than one coding is possible: the answer depends on Accept-Encoding.
    bool isNegotiated() const;

    /// Makes the variant ready. `stamp`: of the file, as it was when it was read or opened.
    void fill(http::Coding coding, http::PreparedResponse::Body body, std::string etag,
              const FileStamp& stamp);
    http::PreparedResponse& notModified(http::Coding coding);
    /// Status 200 with all fields but Content-Length.
    http::ResponseHead head(http::Coding coding, std::string_view etag) const;

    const routing::Site& site() const { return *site_; }
    const std::shared_ptr<const routing::Site>& siteRef() const { return site_; }
    const std::string& path() const { return path_; }
    /// As the index knew the file when it was asked for.
    const FileStamp& stamp() const { return stamp_; }
    const routing::FileType& type() const { return type_; }
    std::int64_t modifiedSeconds() const;
    /// Bytes that this loop keeps for it.
    std::uint64_t memoryUse() const;

    /// At which state of the index the siblings were looked for.
    std::uint64_t indexGeneration = 0;

    // The cache's own notes.
    Ref<Handle> handle; ///< while it is in the cache: what it says of the file still holds
    bool isRecentlyUsed = false;
    std::uint64_t countedBytes = 0;

private:
    std::shared_ptr<const routing::Site> site_;
    std::string path_;
    FileStamp stamp_;
    routing::FileType type_;
    std::array<Variant, static_cast<std::size_t>(http::Coding::count_)> variants_;
};

} // namespace saker::static_files
