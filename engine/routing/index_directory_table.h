// All directories of a FileIndex by path: an open-addressed table of pointers, read without locks while one
// writer at a time puts, replaces and erases. Replaced directories and outgrown tables go to the Quiescence.
#pragma once

#include "routing/index_directory.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace saker::routing {

class IndexDirectoryTable {
public:
    explicit IndexDirectoryTable(Quiescence& quiescence);
    IndexDirectoryTable(const IndexDirectoryTable&) = delete;
    IndexDirectoryTable& operator=(const IndexDirectoryTable&) = delete;
    ~IndexDirectoryTable();

    // ---- readers ----

    /// The directory of exactly this path, or null.
    const IndexDirectory* exact(std::string_view path) const { return first(path, CaseMode::exact); }
    /// The directory to look into first: the exact one, else with `fold` the first in byte order that differs
    /// only in case; null if none.
    const IndexDirectory* first(std::string_view path, CaseMode mode) const;
    /// After `first` with `fold`: the next one in byte order that differs only in case; null at the end.
    const IndexDirectory* next(std::string_view path, const IndexDirectory& previous) const;

    // ---- writers, one at a time ----

    /// Adds the directory, or replaces the one of the same path.
    void put(IndexDirectory::Pointer directory);
    void erase(std::string_view path);
    /// Gives what was replaced and erased since the last call to the Quiescence. Until then the writer may
    /// still use it.
    void retireReplaced();

    /// Bytes held, an estimate of the allocator's share included.
    std::uint64_t memoryUse() const { return bytes_.load(std::memory_order_relaxed); }

private:
    struct Slots;

    std::atomic<const IndexDirectory*>* slotOf(std::string_view path);
    void grow();
    void forget(const IndexDirectory* directory);

    Quiescence& quiescence_;
    std::atomic<Slots*> slots_; // owned
    std::size_t used_ = 0;      // slots that are not empty, erased ones included
    std::size_t live_ = 0;
    std::vector<IndexDirectory::Pointer> replaced_;
    std::atomic<std::uint64_t> bytes_{0};
};

} // namespace saker::routing
