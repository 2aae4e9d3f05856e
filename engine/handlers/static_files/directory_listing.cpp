#include "handlers/static_files/directory_listing.h"

#include "base/text.h"
#include "handlers/static_files/embedded_pages.h"
#include "http/mime.h"
#include "http/url.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <tuple>

namespace saker::static_files {

namespace {

using Column = ListingOrder::Column;

constexpr std::string_view kPage = kEmbeddedPages[0].text;
static_assert(kEmbeddedPages[0].path == "listing.html");

struct Head {
    Column column;
    std::string_view key;
    std::string_view label;
};
constexpr Head kHeads[] = {
    {Column::name, "name", "Name"},
    {Column::size, "size", "Size"},
    {Column::modified, "modified", "Modified (UTC)"},
};

/// UTC; "2025-03-01 14:05" for people, "2025-03-01T14:05:09Z" for programs.
std::string dateText(std::int64_t nanoseconds, bool forPeople) {
    using namespace std::chrono;
    sys_seconds time{floor<seconds>(std::chrono::nanoseconds(nanoseconds))};
    sys_days day = floor<days>(time);
    year_month_day date{day};
    auto rest = static_cast<unsigned>((time - day).count());
    std::string text = fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                                   static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
    auto out = std::back_inserter(text);
    if (forPeople) {
        fmt::format_to(out, " {:02}:{:02}", rest / 3600, rest / 60 % 60);
    } else {
        fmt::format_to(out, "T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60);
    }
    return text;
}

/// The class of a row: which icon its name gets.
std::string_view iconClass(const ListingEntry& entry) {
    if (entry.directory) {
        return "d";
    }
    std::size_t dot = entry.name.rfind('.');
    std::string_view type = dot == std::string::npos
                                ? std::string_view()
                                : http::findMediaType(std::string_view(entry.name).substr(dot + 1));
    if (type.starts_with("image/")) {
        return "i";
    }
    if (type.starts_with("audio/") || type.starts_with("video/")) {
        return "m";
    }
    return !type.empty() && http::isCompressible(type) ? "t" : "f";
}

bool comesBefore(const ListingEntry& a, const ListingEntry& b, ListingOrder order) {
    if (a.directory != b.directory) {
        return a.directory;
    }
    int difference = 0;
    if (order.column == Column::size && a.size != b.size) {
        difference = a.size < b.size ? -1 : 1;
    } else if (order.column == Column::modified && a.modified != b.modified) {
        difference = a.modified < b.modified ? -1 : 1;
    } else {
        difference = compareNatural(a.name, b.name);
    }
    return order.descending ? difference > 0 : difference < 0;
}

/// "example.com / dir / sub", every part but the last a link.
void appendCrumbs(const ListingRequest& request, std::string& out) {
    std::vector<std::string_view> names = split(request.path, '/');
    std::erase(names, std::string_view());
    std::string_view root = request.host.empty() ? std::string_view("/") : request.host;
    if (names.empty()) {
        out += escapeHtml(root);
        return;
    }
    std::string link = "/";
    fmt::format_to(std::back_inserter(out), "<a href=\"/\">{}</a>", escapeHtml(root));
    for (std::size_t i = 0; i < names.size(); ++i) {
        out += "<i>/</i>";
        http::appendEncodedPath(names[i], link);
        link += '/';
        if (i + 1 < names.size()) {
            fmt::format_to(std::back_inserter(out), "<a href=\"{}\">{}</a>", link, escapeHtml(names[i]));
        } else {
            out += escapeHtml(names[i]);
        }
    }
}

/// The links sort by their column; the one in use turns the order round.
void appendHeads(ListingOrder order, std::string& out) {
    for (const Head& head : kHeads) {
        bool used = head.column == order.column;
        std::string_view sorted = !used              ? ""
                                  : order.descending ? " aria-sort=\"descending\""
                                                     : " aria-sort=\"ascending\"";
        fmt::format_to(std::back_inserter(out), "<th{}><a href=\"?sort={}{}\">{}</a></th>", sorted, head.key,
                       used && !order.descending ? "&amp;order=desc" : "", head.label);
    }
}

void appendRows(const ListingRequest& request, const std::vector<ListingEntry>& entries, std::string& out) {
    if (request.path.size() > 1) {
        out += "<tr class=\"u\"><td><a href=\"../\">Parent folder</a></td><td></td><td></td></tr>\n";
    }
    for (const ListingEntry& entry : entries) {
        // "./" keeps a name with a colon from being read as a scheme.
        fmt::format_to(std::back_inserter(out), "<tr class=\"{}\"><td><a href=\"./", iconClass(entry));
        http::appendEncodedPath(entry.name, out);
        fmt::format_to(std::back_inserter(out), "{0}\">{1}{0}</a></td><td>{2}</td><td>{3}</td></tr>\n",
                       entry.directory ? "/" : "", escapeHtml(entry.name),
                       entry.directory ? std::string() : formatBytes(entry.size),
                       entry.modified == 0 ? std::string() : dateText(entry.modified, true));
    }
}

std::string summary(const std::vector<ListingEntry>& entries, std::size_t left) {
    std::uint64_t bytes = 0;
    std::size_t folders = 0;
    for (const ListingEntry& entry : entries) {
        folders += entry.directory ? 1 : 0;
        bytes += entry.directory ? 0 : entry.size;
    }
    std::size_t files = entries.size() - folders;
    if (entries.empty()) {
        return "This folder is empty.";
    }
    std::string text = folders > 0 ? counted(folders, "folder") : std::string();
    if (files > 0) {
        text += fmt::format("{}{}, {}", folders > 0 ? ", " : "", counted(files, "file"), formatBytes(bytes));
    }
    return left == 0 ? text : fmt::format("{}; {} more are not shown", text, left);
}

std::string html(const ListingRequest& request, const std::vector<ListingEntry>& entries, std::size_t left) {
    std::string page;
    page.reserve(kPage.size() + 1024 + entries.size() * 192);
    routing::fillTemplate(kPage, page, [&](std::string_view name, std::string& out) {
        if (name == "title") {
            out += escapeHtml(request.host);
            out += escapeHtml(request.path);
        } else if (name == "crumbs") {
            appendCrumbs(request, out);
        } else if (name == "heads") {
            appendHeads(request.order, out);
        } else if (name == "rows") {
            appendRows(request, entries, out);
        } else if (name == "summary") {
            out += summary(entries, left);
        }
        return true;
    });
    return page;
}

std::string json(const ListingRequest& request, const std::vector<ListingEntry>& entries, std::size_t left) {
    std::string out = "{\"path\":";
    routing::appendJson(request.path, out);
    out += ",\"entries\":[";
    for (const ListingEntry& entry : entries) {
        out += &entry == entries.data() ? "{\"name\":" : ",{\"name\":";
        routing::appendJson(entry.name, out);
        out += entry.directory ? ",\"type\":\"directory\"" : ",\"type\":\"file\"";
        if (!entry.directory) {
            fmt::format_to(std::back_inserter(out), ",\"size\":{}", entry.size);
        }
        if (entry.modified != 0) {
            fmt::format_to(std::back_inserter(out), ",\"modified\":\"{}\"", dateText(entry.modified, false));
        }
        out += '}';
    }
    fmt::format_to(std::back_inserter(out), "],\"not_shown\":{}}}\n", left);
    return out;
}

/// One line a name; a line break in a name would make two of it.
std::string text(const std::vector<ListingEntry>& entries) {
    std::string out;
    for (const ListingEntry& entry : entries) {
        out += escapeControl(entry.name);
        out += entry.directory ? "/\n" : "\n";
    }
    return out;
}

std::string_view digitsAt(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && isDigit(text[end])) {
        ++end;
    }
    return text.substr(at, end - at);
}

/// Numbers of any length: without leading zeros the longer one is the larger.
int compareDigits(std::string_view a, std::string_view b) {
    a.remove_prefix(std::min(a.find_first_not_of('0'), a.size()));
    b.remove_prefix(std::min(b.find_first_not_of('0'), b.size()));
    return a.size() != b.size() ? (a.size() < b.size() ? -1 : 1) : a.compare(b);
}

} // namespace

int compareNatural(std::string_view a, std::string_view b) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (isDigit(a[i]) && isDigit(b[j])) {
            std::string_view left = digitsAt(a, i);
            std::string_view right = digitsAt(b, j);
            if (int difference = compareDigits(left, right); difference != 0) {
                return difference;
            }
            i += left.size();
            j += right.size();
            continue;
        }
        auto left = static_cast<unsigned char>(lowerAscii(a[i++]));
        auto right = static_cast<unsigned char>(lowerAscii(b[j++]));
        if (left != right) {
            return left < right ? -1 : 1;
        }
    }
    if (i < a.size() || j < b.size()) {
        return i < a.size() ? 1 : -1;
    }
    return a.compare(b);
}

ListingOrder parseListingOrder(std::string_view query) {
    ListingOrder order;
    for (std::string_view pair : split(query, '&')) {
        std::size_t equals = std::min(pair.find('='), pair.size());
        std::string_view key = pair.substr(0, equals);
        std::string_view value = pair.substr(std::min(equals + 1, pair.size()));
        if (key == "order") {
            order.descending = value == "desc";
        } else if (key == "sort") {
            for (const Head& head : kHeads) {
                order.column = head.key == value ? head.column : order.column;
            }
        }
    }
    return order;
}

routing::Page renderListing(const ListingRequest& request, std::vector<ListingEntry> entries,
                            routing::PageFormat format) {
    if (request.visible) {
        std::erase_if(entries, [&](const ListingEntry& entry) { return !request.visible(entry); });
    }
    std::size_t shown = std::min(entries.size(), kMaxListed);
    std::size_t left = entries.size() - shown;
    std::partial_sort(
        entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(shown), entries.end(),
        [&](const ListingEntry& a, const ListingEntry& b) { return comesBefore(a, b, request.order); });
    entries.resize(shown);
    switch (format) {
    case routing::PageFormat::json:
        return {"application/json", json(request, entries, left)};
    case routing::PageFormat::text:
        return {"text/plain; charset=utf-8", text(entries)};
    case routing::PageFormat::html:
        break;
    }
    return {"text/html; charset=utf-8", html(request, entries, left)};
}

} // namespace saker::static_files
