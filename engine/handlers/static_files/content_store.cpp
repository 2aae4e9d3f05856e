#include "handlers/static_files/content_store.h"

#include "base/hash.h"
#include "handlers/static_files/stable_read.h"
#include "os/file.h"

#include <algorithm>
#include <chrono>
#include <list>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace saker::static_files {

namespace {

/// What an entry costs besides its bytes and its path: nodes, the two hash tables, the allocator.
constexpr std::uint64_t kEntryCost = 200;
/// Entries in use that one eviction passes over before it takes one all the same.
constexpr int kMaxPassed = 32;

/// What a body is filed under; the stamp is compared afterwards, so a new version replaces the old one.
struct Id {
    std::string_view path;
    http::Coding coding;
    CompressionLevel level;

    friend bool operator==(const Id&, const Id&) = default;
};

struct IdHash {
    std::size_t operator()(const Id& id) const {
        auto variant = static_cast<std::uint64_t>(id.coding) << 8 | static_cast<std::uint64_t>(id.level);
        return hashBytes(id.path, processHashKey() + variant);
    }
};

CompressionLevel levelFor(const ContentKey& key) {
    return key.coding == http::Coding::identity ? CompressionLevel::optimal : key.level;
}

std::int64_t systemNow() {
    auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

Fetched ready(ContentPtr content) {
    Fetched fetched;
    fetched.outcome = Fetched::Outcome::ready;
    fetched.stamp = content->stamp;
    fetched.content = std::move(content);
    return fetched;
}

Fetched failed(const FileStamp& stamp, Error error) {
    Fetched fetched;
    fetched.stamp = stamp;
    fetched.error = std::move(error);
    return fetched;
}

} // namespace

std::string Content::tag() const {
    return entityTag(stamp, coding, coding == http::Coding::identity ? std::nullopt : std::optional(level),
                     settled);
}

/// Everything behind the mutex. Loads hold it too, so that one that is late finds it.
struct ContentStore::State {
    struct Entry {
        std::string path;
        ContentPtr content;
        std::uint64_t cost = 0;
        bool passed = false; ///< was in use when it should have been evicted

        Id id() const { return {path, content->coding, content->level}; }
    };
    struct Flight {
        Id id;
        FileStamp stamp;

        friend bool operator==(const Flight&, const Flight&) = default;
    };
    struct FlightHash {
        std::size_t operator()(const Flight& flight) const {
            return IdHash()(flight.id) ^ hashBytes({}, static_cast<std::uint64_t>(flight.stamp.modified)) ^
                   flight.stamp.size;
        }
    };

    explicit State(Options given, Clock clock) : options(given), now(clock ? std::move(clock) : systemNow) {}

    // All of these: REQUIRES the mutex held.

    ContentPtr find(const Id& id, const FileStamp& stamp) {
        auto found = entries.find(id);
        if (found == entries.end() || found->second->content->stamp != stamp) {
            return nullptr;
        }
        auto entry = found->second;
        // Read while the file could still change under the same stamp: not trusted for longer than that.
        if (!entry->content->settled && isSettled(stamp, now())) {
            drop(entry);
            return nullptr;
        }
        entry->passed = false;
        recent.splice(recent.begin(), recent, entry);
        return entry->content;
    }

    void keep(std::string_view path, ContentPtr content) {
        Id id{path, content->coding, content->level};
        if (auto old = entries.find(id); old != entries.end()) {
            drop(old->second);
        }
        std::uint64_t cost = content->bytes.size() + path.size() + kEntryCost;
        if (cost > options.budget / 4) {
            return;
        }
        recent.push_front(Entry{std::string(path), std::move(content), cost, false});
        entries.emplace(recent.front().id(), recent.begin());
        statistics.bytes += cost;
        evict();
    }

    void evict() {
        int passed = 0;
        while (statistics.bytes > options.budget && !recent.empty()) {
            auto last = std::prev(recent.end());
            // Dropping what a loop still holds frees nothing; it gets a second chance.
            if (last->content.use_count() > 1 && !last->passed && passed++ < kMaxPassed) {
                last->passed = true;
                recent.splice(recent.begin(), recent, last);
                continue;
            }
            drop(last);
            ++statistics.evictions;
        }
    }

    void drop(std::list<Entry>::iterator entry) {
        statistics.bytes -= entry->cost;
        entries.erase(entry->id());
        recent.erase(entry);
    }

    std::uint64_t limitFor(http::Coding coding) const {
        return coding == http::Coding::identity
                   ? options.maxIdentity
                   : std::min<std::uint64_t>(options.maxCompressible, kMaxCompressible);
    }

    mutable std::mutex mutex;
    Options options;
    const Clock now;
    std::list<Entry> recent;                                            // the most recently used first
    std::unordered_map<Id, std::list<Entry>::iterator, IdHash> entries; // ids point into `recent`
    std::unordered_map<Flight, Load*, FlightHash> loads;                // flights point into their load
    Statistics statistics;
};

/// One reading of a file for all who wait for it. Lives in the job given to the executor; dying without
/// having run it fails the fetch.
class ContentStore::Load {
public:
    Load(std::shared_ptr<State> state, const ContentKey& key, Opener open)
        : state_(std::move(state)), path_(key.path), key_{path_, key.stamp, key.coding, levelFor(key)},
          open_(std::move(open)) {}
    Load(const Load&) = delete;
    Load& operator=(const Load&) = delete;
    ~Load() {
        if (!finished_) {
            finish(failed(key_.stamp,
                          Error{ErrorKind::temporary,
                                "The file was not read: the server is too busy, or shutting down.", path_}));
        }
    }

    State::Flight flight() const { return {{key_.path, key_.coding, key_.level}, key_.stamp}; }
    std::vector<Callback>& waiting() { return waiting_; } // REQUIRES the mutex held

    void run() {
        Fetched fetched = key_.coding == http::Coding::identity ? readWhole() : readAndCompress();
        finish(fetched);
    }

private:
    Fetched readWhole() const { return read(limit(key_.coding)); }

    Fetched readAndCompress() const {
        Fetched identity;
        {
            std::lock_guard lock(state_->mutex);
            ContentPtr kept =
                state_->find({path_, http::Coding::identity, CompressionLevel::optimal}, key_.stamp);
            identity.content = std::move(kept);
        }
        if (!identity.content) {
            identity = read(limit(key_.coding));
            if (!identity.content) {
                return identity;
            }
        }
        auto content = std::make_shared<Content>();
        content->stamp = identity.content->stamp;
        content->settled = identity.content->settled;
        content->coding = key_.coding;
        content->level = key_.level;
        std::optional<std::string> coded = compress(identity.content->bytes, key_.coding, key_.level);
        content->worthwhile = coded.has_value();
        content->bytes = coded ? std::move(*coded) : std::string();
        return ready(std::move(content));
    }

    Fetched read(std::uint64_t limit) const {
        Result<os::File> file = open_();
        if (!file) {
            return failed(key_.stamp, file.error());
        }
        std::int64_t now = state_->now(); // before the file's facts are taken: see isSettled()
        Result<StableRead> read = readStable(*file, limit);
        if (!read) {
            return failed(key_.stamp, read.error());
        }
        if (read->outcome == StableRead::Outcome::read) {
            auto content = std::make_shared<Content>();
            content->bytes = std::move(read->bytes);
            content->stamp = read->stamp;
            content->settled = isSettled(read->stamp, now);
            return ready(std::move(content));
        }
        Fetched fetched;
        fetched.stamp = read->stamp;
        fetched.outcome = read->outcome == StableRead::Outcome::tooLarge ? Fetched::Outcome::tooLarge
                                                                         : Fetched::Outcome::unstable;
        return fetched;
    }

    std::uint64_t limit(http::Coding coding) const {
        std::lock_guard lock(state_->mutex);
        return state_->limitFor(coding);
    }

    void finish(const Fetched& fetched) {
        finished_ = true;
        std::vector<Callback> waiting;
        {
            std::lock_guard lock(state_->mutex);
            state_->loads.erase(flight());
            waiting.swap(waiting_);
            if (fetched.content) {
                state_->keep(path_, fetched.content);
            }
        }
        for (const Callback& done : waiting) {
            done(fetched);
        }
    }

    const std::shared_ptr<State> state_;
    const std::string path_;
    const ContentKey key_;
    const Opener open_;
    std::vector<Callback> waiting_;
    bool finished_ = false;
};

ContentStore::ContentStore() : ContentStore(Options{}) {}
ContentStore::ContentStore(Options options, Clock now)
    : state_(std::make_shared<State>(options, std::move(now))) {}
ContentStore::~ContentStore() = default;

ContentPtr ContentStore::get(const ContentKey& key) {
    std::lock_guard lock(state_->mutex);
    ContentPtr content = state_->find({key.path, key.coding, levelFor(key)}, key.stamp);
    ++(content ? state_->statistics.hits : state_->statistics.misses);
    return content;
}

void ContentStore::fetch(const ContentKey& key, Opener open, const Executor& executor, Callback done) {
    std::shared_ptr<Load> load;
    ContentPtr content;
    {
        std::lock_guard lock(state_->mutex);
        Id id{key.path, key.coding, levelFor(key)};
        content = state_->find(id, key.stamp); // another loop may have had it read since get()
        if (!content) {
            if (auto flying = state_->loads.find({id, key.stamp}); flying != state_->loads.end()) {
                flying->second->waiting().push_back(std::move(done));
                return;
            }
            load = std::make_shared<Load>(state_, key, std::move(open));
            load->waiting().push_back(std::move(done));
            state_->loads.emplace(load->flight(), load.get());
            ++state_->statistics.loads;
        }
    }
    if (content) {
        executor([content, done] { done(ready(content)); });
    } else {
        executor([load] { load->run(); });
    }
}

bool ContentStore::takes(std::uint64_t size, http::Coding coding) const {
    std::lock_guard lock(state_->mutex);
    return size <= state_->limitFor(coding);
}

void ContentStore::configure(Options options) {
    std::lock_guard lock(state_->mutex);
    state_->options = options;
    state_->evict();
}

void ContentStore::clear() {
    std::lock_guard lock(state_->mutex);
    state_->entries.clear();
    state_->recent.clear();
    state_->statistics.bytes = 0;
}

ContentStore::Statistics ContentStore::statistics() const {
    std::lock_guard lock(state_->mutex);
    Statistics statistics = state_->statistics;
    statistics.entries = state_->recent.size();
    return statistics;
}

} // namespace saker::static_files
