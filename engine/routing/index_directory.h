// One directory of a FileIndex: its path, the files in it and the names of its sub-directories, in one
// immutable piece of memory. A change makes a new one and swaps the pointer in the IndexDirectoryTable;
// readers never see one half made.
//
// Layout, in 8-byte words: this object, hash slots, the path, records. A slot holds the upper half of the
// name's folded hash and the word offset of its record (0: empty). Records lie in byte order of their names,
// files before sub-directories, and entered the slots in that order: along a probe sequence the first folded
// match is the first one in byte order.
#pragma once

#include "routing/file_index.h"

#include <memory>
#include <span>
#include <string_view>

namespace saker::routing {

class IndexDirectory {
public:
    /// What a directory is made of.
    struct Name {
        std::string_view text;
        bool directory = false;
        ExtensionId extension = 0;
        std::uint64_t size = 0;
        std::int64_t modified = 0;
    };

    /// A name as stored.
    class Record {
    public:
        bool isDirectory() const { return (lengthAndKind_ & kDirectory) != 0; }
        std::string_view name() const {
            return {reinterpret_cast<const char*>(this) + kNameOffset,
                    std::size_t{lengthAndKind_} & ~kDirectory};
        }
        FileFacts facts() const { return FileFacts{name(), size_, modified_, extension_}; }

    private:
        friend class IndexDirectory;
        static constexpr std::size_t kDirectory = 0x8000;
        static constexpr std::size_t kNameOffset = 20;

        std::uint64_t size_;
        std::int64_t modified_;
        ExtensionId extension_;
        std::uint16_t lengthAndKind_;
        // The name follows, without an end mark, up to a multiple of eight bytes.
    };

    enum class Want : std::uint8_t { file, directory, either };

    struct Free {
        void operator()(const IndexDirectory* directory) const;
    };
    using Pointer = std::unique_ptr<const IndexDirectory, Free>;

    /// Sorts `names` and copies everything. REQUIRES: no name twice, none longer than kLongestName.
    static Pointer make(std::string_view path, std::span<Name> names);
    static constexpr std::size_t kLongestName = 0x7fff;

    /// The hash that directories are looked up by.
    static std::uint64_t hashOf(std::string_view path);

    std::uint64_t hash() const { return hash_; }
    std::string_view path() const { return {reinterpret_cast<const char*>(words() + pathAt_), pathLength_}; }
    std::uint32_t fileCount() const { return files_; }
    std::uint32_t subCount() const { return subs_; }
    std::size_t bytes() const { return std::size_t{size_} * sizeof(std::uint64_t); }
    bool sameAs(const IndexDirectory& other) const;

    /// The record of a name: the exact one, else with `fold` the first in the order of the records; null if
    /// none.
    const Record* find(std::string_view name, CaseMode mode, Want want) const;

    /// Calls for every record, files first, each kind in byte order.
    template <class Visit>
    void forEach(Visit visit) const {
        std::size_t at = recordsAt_;
        for (std::uint64_t i = 0; i < std::uint64_t{files_} + subs_; ++i) {
            const Record& record = recordAt(at);
            visit(record);
            at += wordsOf(record.name().size());
        }
    }

private:
    struct Key {}; // only make() can construct: the object is nothing without the memory behind it

public:
    explicit IndexDirectory(Key) {}
    IndexDirectory(const IndexDirectory&) = delete;
    IndexDirectory& operator=(const IndexDirectory&) = delete;

private:
    static std::size_t wordsOf(std::size_t nameLength) { return (Record::kNameOffset + nameLength + 7) / 8; }
    const std::uint64_t* words() const { return reinterpret_cast<const std::uint64_t*>(this); }
    const std::uint64_t* slots() const { return reinterpret_cast<const std::uint64_t*>(this + 1); }
    const Record& recordAt(std::size_t word) const {
        return *reinterpret_cast<const Record*>(words() + word);
    }

    std::uint64_t hash_ = 0;
    std::uint32_t size_ = 0;     // of everything, in words
    std::uint32_t slotMask_ = 0; // number of slots - 1
    std::uint32_t files_ = 0;
    std::uint32_t subs_ = 0;
    std::uint32_t pathAt_ = 0; // in words
    std::uint32_t pathLength_ = 0;
    std::uint32_t recordsAt_ = 0; // in words
};

} // namespace saker::routing
