#include "handlers/static_files/entity_tag.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>

namespace saker::static_files {

bool isSettled(const FileStamp& stamp, std::int64_t now) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    // FAT counts two seconds; kernels renew the time they stamp with at every tick, at worst 100 times a
    // second.
    std::int64_t tick = stamp.modified % kSecond == 0 ? 2 * kSecond : 2 * kSecond / 100;
    std::int64_t age = now - stamp.modified;
    return age >= tick || age <= -tick;
}

std::string entityTag(const FileStamp& stamp, http::Coding coding, std::optional<CompressionLevel> level,
                      bool settled) {
    std::string tag = fmt::format("{}\"{:x}-{:x}", settled ? "" : "W/", stamp.size,
                                  static_cast<std::uint64_t>(stamp.modified));
    if (coding != http::Coding::identity) {
        tag += '-';
        tag += http::codingName(coding);
        if (level) {
            tag += static_cast<char>('0' + static_cast<int>(*level));
        }
    }
    tag += '"';
    return tag;
}

} // namespace saker::static_files
