// Reclamation of look-up tables that are read without locks: what a writer replaces is freed once every reader has
// passed a point at which it holds nothing (quiescent-state-based reclamation).
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
    /// Writers, any thread: calls `destroy` once no reader can still see the object.
    void retire(std::function<void()> destroy);
    /// Frees what can be freed; called by retire() and by writers now and then.
    void collect();
    /// Blocks until everything retired so far is freed; for tests and shutdown.
    void drain();
    ~Quiescence();

private:
    struct Slot;
    struct Retired {
        std::uint64_t epoch;
        std::function<void()> destroy;
    };

    std::atomic<std::uint64_t> epoch_{1};
    std::mutex mutex_; // slots and retired
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<Retired> retired_;
};

/// One thread's registration. Online from the start.
class Quiescence::Reader {
public:
    explicit Reader(Quiescence& domain);
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
