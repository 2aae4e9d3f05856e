// The page that shows what is in a directory. Pure: the handler collects the entries from the index and sends
// the page.
#pragma once

#include "routing/page.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::static_files {

/// A page shows no more entries than this and says how many it leaves out.
inline constexpr std::size_t kMaxListed = 10000;

struct ListingEntry {
    std::string name; ///< as stored
    bool directory = false;
    std::uint64_t size = 0;    ///< of a file
    std::int64_t modified = 0; ///< nanoseconds since 1970; 0: not shown
};

/// How the entries are ordered: the query "?sort=size&order=desc" of the links in the page's column heads.
struct ListingOrder {
    enum class Column : std::uint8_t { name, size, modified };
    Column column = Column::name;
    bool descending = false;
};
/// Unknown keys and values are ignored.
ListingOrder parseListingOrder(std::string_view query);

struct ListingRequest {
    std::string_view host; ///< as asked; shown as the root of the path
    std::string_view path; ///< decoded, from the site's root, with slashes around: "/", "/dir/sub/"
    ListingOrder order;
    /// Entries for which this is false are left out; it sees names as stored. Where null, all are shown.
    std::function<bool(const ListingEntry&)> visible;
};

/// Folders first, then files; names in natural order ("page2" before "page10", case ignored). The HTML needs
/// nothing else: no script, no other file. JSON: {"path", "entries": [{"name", "type", "size", "modified"}],
/// "not_shown"}. Text: one name a line, folders with a slash. Takes milliseconds for thousands of entries.
routing::Page renderListing(const ListingRequest& request, std::vector<ListingEntry> entries,
                            routing::PageFormat format);

/// Less than 0, 0 or more: digits compare as numbers, letters without case; equal only for equal texts.
int compareNatural(std::string_view a, std::string_view b);

} // namespace saker::static_files
