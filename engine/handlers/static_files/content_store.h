// Bodies of files, whole and immutable, shared by all loops: read once, compressed once per coding, kept
// within a budget of bytes. One store per process; it outlives reloads (a key says everything that the bytes
// depend on).
//
// A loop asks get() first, which only takes a mutex for a look-up; loops keep the returned pointer beside the
// response heads they have rendered, so that a hot file does not come here at all. On a miss it calls
// fetch(), which reads and compresses on a worker thread, once for all who ask meanwhile.
//
// Files are read, never mapped: a mapped file that shrinks kills the process.
#pragma once

#include "base/error.h"
#include "handlers/static_files/compressor.h"
#include "handlers/static_files/entity_tag.h"
#include "http/negotiate.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace saker {
template <class T>
class Result;
namespace os {
class File;
}
} // namespace saker

namespace saker::static_files {

/// Which bytes are meant. `path` is any text that names the file unambiguously in the process: its full path.
struct ContentKey {
    std::string_view path;
    FileStamp stamp; ///< as the index knows it
    http::Coding coding = http::Coding::identity;
    CompressionLevel level = CompressionLevel::optimal; ///< without meaning for identity
};

struct Content {
    /// Empty, with `worthwhile` false, when compressing does not pay: send the identity body. This is
    /// remembered too.
    std::string bytes;
    /// Of the file the bytes were read from: the truth at that moment, which may differ from the key's.
    FileStamp stamp;
    http::Coding coding = http::Coding::identity;
    CompressionLevel level = CompressionLevel::optimal;
    bool worthwhile = true;
    bool settled = true; ///< see entity_tag.h

    std::string tag() const;
};
using ContentPtr = std::shared_ptr<const Content>;

struct Fetched {
    enum class Outcome : std::uint8_t {
        ready,    ///< `content` is set; compare its stamp with the one asked for, the file may have changed
        tooLarge, ///< larger than the store takes: send from the file
        unstable, ///< changed while it was read, repeatedly: send from the file
        failed,   ///< could not be opened or read: `error`
    };
    Outcome outcome = Outcome::failed;
    ContentPtr content;
    FileStamp stamp; ///< the file's facts now; as in the key when `failed`
    Error error;
};

class ContentStore {
public:
    struct Options {
        std::uint64_t budget = 64 << 20;     ///< bytes of all bodies together, with 200 bytes for each entry
        std::uint64_t maxIdentity = 1 << 20; ///< a larger file is not kept as it is
        std::uint64_t maxCompressible = 16
                                        << 20; ///< a larger file is not compressed; at most kMaxCompressible
    };
    struct Statistics {
        std::uint64_t bytes = 0, entries = 0, hits = 0, misses = 0, loads = 0, evictions = 0;
    };
    /// Opens the file of a key; called on a worker thread. It is where links are contained in the site's
    /// roots.
    using Opener = std::function<Result<os::File>()>;
    /// Runs a job on a worker thread. A job that is dropped instead fails its fetch.
    using Executor = std::function<void(std::function<void()>)>;
    using Callback = std::function<void(const Fetched&)>;
    using Clock = std::function<std::int64_t()>;

    ContentStore();
    /// `now`: nanoseconds since 1970, any thread; the system's clock when null.
    explicit ContentStore(Options options, Clock now = nullptr);
    ~ContentStore(); ///< what is under way ends by itself
    ContentStore(const ContentStore&) = delete;
    ContentStore& operator=(const ContentStore&) = delete;

    /// The body if it is here with exactly that stamp; null otherwise. Any thread.
    ContentPtr get(const ContentKey& key);
    /// Reads (and compresses) the file, unless that is under way already: then only waits for it. `done` is
    /// called once, on the worker thread that did it; it posts the result to its own loop. Any thread.
    void fetch(const ContentKey& key, Opener open, const Executor& executor, Callback done);
    /// Whether a file of that size would be kept: ask before fetch().
    bool takes(std::uint64_t size, http::Coding coding) const;

    /// Changes the limits and evicts what is over them. Any thread.
    void configure(Options options);
    void clear();
    Statistics statistics() const;

private:
    class Load;
    struct State;
    std::shared_ptr<State> state_;
};

} // namespace saker::static_files
