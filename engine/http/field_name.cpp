#include "http/request.h"

#include <array>
#include <cstring>

namespace saker::http {

namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(FieldName::count_)> kNames = {
    "", // other
    "accept",
    "accept-encoding",
    "authorization",
    "connection",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "origin",
    "proxy-connection",
    "range",
    "referer",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
    "x-forwarded-for",
};

constexpr std::size_t kLongest = 24;
constexpr std::uint32_t kSlotBits = 6;
constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

// Setting bit 5 makes a letter lower case and does no harm to digits; it is only compared where the name has
// a letter, for it would also make '-' of a carriage return.
struct Spelling {
    std::uint8_t size = 0;
    FieldName id = FieldName::other;
    std::array<char, kLongest> text{};
    std::array<char, kLongest> fold{};
};

// Size, first and last letter tell all names apart; multiplying spreads them over the slots.
constexpr std::size_t slotOf(std::size_t size, char first, char last, std::uint32_t factor) {
    auto a = static_cast<std::uint32_t>(static_cast<unsigned char>(first)) | 0x20U;
    auto b = static_cast<std::uint32_t>(static_cast<unsigned char>(last)) | 0x20U;
    std::uint32_t key = a | b << 8U | static_cast<std::uint32_t>(size) << 16U;
    return key * factor >> (32U - kSlotBits);
}

constexpr bool isPerfect(std::uint32_t factor) {
    std::array<bool, kSlots> used{};
    for (std::size_t i = 1; i < kNames.size(); ++i) {
        std::size_t slot = slotOf(kNames[i].size(), kNames[i].front(), kNames[i].back(), factor);
        if (used[slot]) {
            return false;
        }
        used[slot] = true;
    }
    return true;
}

constexpr std::uint32_t findFactor() {
    std::uint32_t factor = 1;
    for (int tries = 0; tries < 4096 && !isPerfect(factor); ++tries) {
        factor = factor * 1664525U + 1013904223U; // any sequence will do
    }
    return factor;
}

// Found by the compiler, so that a new name needs no thought: every name has a slot of its own.
constexpr std::uint32_t kFactor = findFactor();
static_assert(isPerfect(kFactor), "no factor separates the field names: add a slot bit");

constexpr std::array<Spelling, kSlots> makeSlots() {
    std::array<Spelling, kSlots> slots{};
    for (std::size_t i = 1; i < kNames.size(); ++i) {
        std::string_view name = kNames[i];
        Spelling& slot = slots[slotOf(name.size(), name.front(), name.back(), kFactor)];
        slot.size = static_cast<std::uint8_t>(name.size());
        slot.id = static_cast<FieldName>(i);
        for (std::size_t k = 0; k < name.size(); ++k) {
            slot.text[k] = name[k];
            slot.fold[k] = name[k] >= 'a' && name[k] <= 'z' ? 0x20 : 0;
        }
    }
    return slots;
}

constexpr std::array<Spelling, kSlots> kTable = makeSlots();

template <class Word>
bool isSame(const char* name, const Spelling& spelling, std::size_t at) {
    Word have;
    Word fold;
    Word want;
    std::memcpy(&have, name + at, sizeof(Word));
    std::memcpy(&fold, spelling.fold.data() + at, sizeof(Word));
    std::memcpy(&want, spelling.text.data() + at, sizeof(Word));
    return (have | fold) == want;
}

/// All bytes of a name of `Word` size or more, the last word overlapping the one before.
template <class Word>
bool isSameInWords(std::string_view name, const Spelling& spelling) {
    std::size_t last = name.size() - sizeof(Word);
    for (std::size_t at = 0; at < last; at += sizeof(Word)) {
        if (!isSame<Word>(name.data(), spelling, at)) {
            return false;
        }
    }
    return isSame<Word>(name.data(), spelling, last);
}

} // namespace

FieldName fieldNameId(std::string_view name) {
    if (name.empty()) {
        return FieldName::other;
    }
    const Spelling& spelling = kTable[slotOf(name.size(), name.front(), name.back(), kFactor)];
    if (spelling.size != name.size()) {
        return FieldName::other;
    }
    bool same = name.size() >= 8   ? isSameInWords<std::uint64_t>(name, spelling)
                : name.size() >= 4 ? isSameInWords<std::uint32_t>(name, spelling)
                                   : isSameInWords<std::uint8_t>(name, spelling);
    return same ? spelling.id : FieldName::other;
}

} // namespace saker::http
