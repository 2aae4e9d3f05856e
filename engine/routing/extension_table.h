// File name extensions as small numbers, so that an index entry holds two bytes and a Runtime finds handler
// and headers by an array. Numbers are given once and for all. Reading a text takes no lock; making a number
// does.
#pragma once

#include "routing/file_index.h"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace saker::routing {

class ExtensionTable {
public:
    ExtensionTable();
    ~ExtensionTable();

    /// The text of a number; empty for 0 and for numbers not given yet.
    std::string_view text(ExtensionId id) const;
    /// The number of an extension in any case, made if new; 0 for "" and when all numbers are given.
    ExtensionId id(std::string_view extension);
    /// The same of what is behind the last '.' of a file's name. Leaves the last numbers to id(): names of
    /// files, which strangers may choose, cannot use up what the configuration needs.
    ExtensionId idOfFile(std::string_view name);
    std::uint64_t memoryUse() const;

private:
    static constexpr std::size_t kPerChunk = 256;
    static constexpr std::size_t kForFiles = 60000;
    struct Chunk {
        std::array<std::atomic<const std::string*>, kPerChunk> texts{};
    };

    ExtensionId intern(std::string_view extension, std::size_t most);

    std::array<std::atomic<Chunk*>, 65536 / kPerChunk> chunks_{}; // into storage_
    mutable std::mutex mutex_;                                    // all below
    std::unordered_map<std::string_view, ExtensionId> ids_;       // keys point into texts_
    std::deque<std::string> texts_;                               // text of number i is i - 1
    std::deque<Chunk> storage_;
};

} // namespace saker::routing
