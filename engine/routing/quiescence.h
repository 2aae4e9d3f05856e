// Reclamation of look-up tables that are read without locks: what a writer replaces is freed once every
// reader has passed a point at which it holds nothing (quiescent-state-based reclamation).
//
// How it is right: the writer unlinks an object, then advances the epoch, and notes the new value with the
// object. A reader that has loaded that value can no longer come upon the object, and says so by storing the
// value in its slot; everything it did with the object before is ordered before that store. So an object may
// go when all slots have reached its epoch, or are offline.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace saker::routing {

/// Readers register a slot each (one per event loop); writers retire objects.
class Quiescence {
public:
    class Reader;

    Quiescence();
    Quiescence(const Quiescence&) = delete;
    Quiescence& operator=(const Quiescence&) = delete;
    /// Frees everything. REQUIRES: no Reader is left.
    ~Quiescence();

    /// Writers, any thread: calls `destroy` once no reader can still see the object. REQUIRES: unlinked
    /// already.
    void retire(std::function<void()> destroy);
    /// Frees what can be freed; called by retire() and by writers now and then.
    void collect();
    /// Blocks until everything retired so far is freed; for tests and shutdown. REQUIRES: not called by a
    /// thread that has a Reader online.
    void drain();

private:
    struct Slot;
    struct Retired {
        std::uint64_t epoch;
        std::function<void()> destroy;
    };

    std::uint64_t oldestSeen() const; // REQUIRES: mutex_ held
    std::vector<Retired> takeFreeable();

    std::atomic<std::uint64_t> epoch_{1};
    std::mutex mutex_; // slots and retired
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<Retired> retired_; // in the order of their epochs
};

/// One thread's registration. Online from the start.
class Quiescence::Reader {
public:
    explicit Reader(Quiescence& domain);
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader();
    /// "I hold nothing I looked up": once per turn of the loop. No lock, no read-modify-write.
    void quiescent();
    /// Before blocking for long; find nothing until online() again.
    void offline();
    void online();

private:
    Quiescence& domain_;
    Slot* slot_;
};

} // namespace saker::routing
