#include "routing/index_writer.h"

#include <algorithm>
#include <utility>

namespace saker::routing {

namespace {

/// Links that a path may lead through. Directories that link to each other have no end of paths; each level
/// of links multiplies their number.
constexpr std::size_t kMostLinks = 4;

std::string joined(std::string_view directory, std::string_view name) {
    std::string path(directory);
    if (!path.empty()) {
        path += '/';
    }
    path += name;
    return path;
}

std::string_view parentOf(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string_view nameOf(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

std::size_t depthOf(std::string_view path) {
    return path.empty() ? 0 : 1 + static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
}

/// Has a name in every place, and none that leads upwards.
bool isProper(std::string_view path) {
    for (std::size_t start = 0; start <= path.size();) {
        const std::size_t end = std::min(path.find('/', start), path.size());
        const std::string_view name = path.substr(start, end - start);
        if (name.empty() || name == "." || name == "..") {
            return false;
        }
        start = end + 1;
    }
    return true;
}

} // namespace

/// What is found in a directory, gathered before the block is made of it.
struct IndexWriter::Listing {
    struct Item {
        IndexDirectory::Name name; // without its text
        std::size_t at;            // of the text in `texts`
        std::size_t length;
        bool link;
    };

    void add(const IndexDirectory::Name& name, bool link) {
        items.push_back(Item{name, texts.size(), name.text.size(), link});
        texts += name.text;
    }
    std::string_view textOf(const Item& item) const {
        return std::string_view(texts).substr(item.at, item.length);
    }
    std::vector<IndexDirectory::Name> names() const {
        std::vector<IndexDirectory::Name> names;
        names.reserve(items.size());
        for (const Item& item : items) {
            names.push_back(item.name);
            names.back().text = textOf(item);
        }
        return names;
    }

    std::string texts;
    std::vector<Item> items;
};

IndexWriter::IndexWriter(const IndexOptions& options, IndexDirectoryTable& table, ExtensionTable& extensions,
                         std::atomic<std::uint64_t>& files)
    : options_(options), table_(table), extensions_(extensions), files_(files), reader_(options) {
    clearRoot(); // which is always there, as an empty directory at least
}

bool IndexWriter::finish() {
    table_.retireReplaced();
    scannedTrees_.clear();
    onProgress_ = nullptr;
    return std::exchange(changed_, false);
}

Result<void> IndexWriter::begin() {
    progress_ = {};
    ancestors_.clear();
    Result<void> ready = reader_.begin();
    if (!ready.ok()) { // no root, no files
        clearRoot();
    }
    return ready;
}

void IndexWriter::note(std::string_view directory, const DiskEntry& entry) {
    if (entry.kind == DiskEntry::Kind::refused || entry.kind == DiskEntry::Kind::dangling) {
        ++progress_.skipped;
    }
    if (observer_ && entry.kind == DiskEntry::Kind::dangling) {
        observer_->lookAgain(joined(directory, entry.name));
    } else if (observer_ && entry.kind == DiskEntry::Kind::file && entry.link) {
        observer_->linkedFile(joined(directory, entry.name));
    }
}

IndexDirectory::Name IndexWriter::nameFor(const DiskEntry& entry) {
    const bool directory = entry.kind == DiskEntry::Kind::directory;
    return {entry.name, directory, directory ? ExtensionId{0} : extensions_.idOfFile(entry.name),
            directory ? 0 : entry.size, directory ? 0 : entry.modified};
}

bool IndexWriter::permitsEntering(const DirectoryIdentity& identity, bool link) const {
    std::size_t links = 0;
    for (const Ancestor& ancestor : ancestors_) {
        if (ancestor.identity == identity) {
            return false;
        }
        links += ancestor.link ? 1 : 0;
    }
    return !link || links < kMostLinks;
}

void IndexWriter::findAncestors(std::string_view path) {
    ancestors_.clear();
    for (std::size_t end = 0;; end = std::min(path.find('/', end == 0 ? 0 : end + 1), path.size())) {
        const std::string_view prefix = path.substr(0, end);
        if (auto identity = reader_.identify(prefix)) {
            ancestors_.push_back(Ancestor{*identity, !prefix.empty() && reader_.isLink(prefix)});
        }
        if (end == path.size()) {
            return;
        }
    }
}

/// Reads a directory and everything below it, or with `newSubsOnly` only sub-directories that are not known
/// yet. False when it is not there (any more) or must not be entered; then nothing is published.
bool IndexWriter::scanTree(const std::string& path, bool link, bool newSubsOnly) {
    if (depthOf(path) > options_.maxDepth) {
        ++progress_.skipped;
        return false;
    }
    if (observer_) {
        observer_->willRead(path);
    }
    const std::size_t level = ancestors_.size();
    Listing listing;
    auto enter = [&](const DirectoryIdentity& identity) {
        if (!permitsEntering(identity, link)) {
            ++progress_.skipped;
            return false;
        }
        ancestors_.push_back(Ancestor{identity, link && !path.empty()});
        return true;
    };
    auto visit = [&](const DiskEntry& entry) {
        note(path, entry);
        if (entry.kind == DiskEntry::Kind::file || entry.kind == DiskEntry::Kind::directory) {
            listing.add(nameFor(entry), entry.link);
        }
    };
    switch (reader_.read(path, link, enter, visit)) {
    case IndexDirectoryReader::Outcome::read:
        break;
    case IndexDirectoryReader::Outcome::vanished:
        if (observer_) {
            observer_->gone(path);
        }
        return false;
    case IndexDirectoryReader::Outcome::unreadable:
        ++progress_.skipped;
        break;
    case IndexDirectoryReader::Outcome::failed:
        ++progress_.skipped;
        if (observer_) {
            observer_->lookAgain(path);
        }
        if (table_.exact(path)) {
            return true; // what was known is better than nothing
        }
        break;
    }

    std::erase_if(listing.items, [&](const Listing::Item& item) {
        if (!item.name.directory) {
            return false;
        }
        const std::string child = joined(path, listing.textOf(item));
        return !(newSubsOnly && table_.exact(child)) && !scanTree(child, item.link);
    });
    ancestors_.resize(level);
    publish(path, listing);
    ++progress_.directories;
    progress_.files += table_.exact(path)->fileCount();
    if (onProgress_) {
        onProgress_(progress_);
    }
    return true;
}

/// Replaces a directory, and takes the sub-directories that it no longer has out of the index.
void IndexWriter::publish(const std::string& path, const Listing& listing) {
    std::vector<IndexDirectory::Name> names = listing.names();
    IndexDirectory::Pointer made = IndexDirectory::make(path, names);
    const IndexDirectory& now = *made;
    const IndexDirectory* old = table_.exact(path);
    if (old && old->sameAs(now)) {
        return;
    }
    changed_ = true;
    files_.fetch_add(now.fileCount() - (old ? std::uint64_t{old->fileCount()} : 0),
                     std::memory_order_relaxed);
    table_.put(std::move(made));
    if (old && old->subCount() > 0) {
        old->forEach([&](const IndexDirectory::Record& record) {
            if (record.isDirectory() &&
                now.find(record.name(), CaseMode::exact, IndexDirectory::Want::directory) == nullptr) {
                removeTree(joined(path, record.name()));
            }
        });
    }
}

void IndexWriter::removeTree(const std::string& path) {
    const IndexDirectory* old = table_.exact(path);
    if (old == nullptr) {
        return;
    }
    changed_ = true;
    files_.fetch_sub(old->fileCount(), std::memory_order_relaxed);
    table_.erase(path);
    old->forEach([&](const IndexDirectory::Record& record) {
        if (record.isDirectory()) {
            removeTree(joined(path, record.name()));
        }
    });
    if (observer_) {
        observer_->gone(path);
    }
}

void IndexWriter::clearRoot() {
    publish({}, Listing{});
}

Result<void> IndexWriter::scanRoot() {
    ancestors_.clear();
    if (!scanTree({}, true)) {
        clearRoot();
        return Error{ErrorKind::notFound, "the folder to serve is not there", options_.root};
    }
    scannedTrees_.insert(std::string());
    return {};
}

Result<IndexWriter::Progress> IndexWriter::scan(std::string_view sub, const OnProgress& progress) {
    if (Result<void> ready = begin(); !ready.ok()) {
        return ready.error();
    }
    onProgress_ = progress;
    if (sub.empty()) {
        if (Result<void> scanned = scanRoot(); !scanned.ok()) {
            return scanned.error();
        }
        return progress_;
    }
    const std::string path(sub);
    refreshAll(std::span(&path, 1));
    if (table_.exact(path) == nullptr) {
        return Error{ErrorKind::notFound, "there is no such folder below " + options_.root, path};
    }
    return progress_;
}

Result<IndexWriter::Progress> IndexWriter::scanOneLevel(std::string_view sub) {
    if (table_.exact(sub) == nullptr) {
        return scan(sub, {});
    }
    if (Result<void> ready = begin(); !ready.ok()) {
        return ready.error();
    }
    if (!sub.empty()) {
        findAncestors(parentOf(sub));
    }
    if (!scanTree(std::string(sub), sub.empty() || reader_.isLink(sub), true)) {
        return scan(sub, {}); // takes it out of its parent, and says that it is not there
    }
    return progress_;
}

void IndexWriter::refresh(std::span<const std::string> paths) {
    if (begin().ok()) {
        refreshAll(paths);
    }
}

void IndexWriter::refreshAll(std::span<const std::string> paths) {
    struct Place {
        std::string_view parent, name;
        auto operator<=>(const Place&) const = default;
    };
    std::vector<Place> places;
    for (const std::string& path : paths) {
        if (path.empty()) {
            (void)scanRoot(); // without a root the index is empty, which is all there is to say here
            return;
        }
        if (isProper(path)) {
            places.push_back(Place{parentOf(path), nameOf(path)});
        }
    }
    std::sort(places.begin(), places.end()); // a directory before those below it
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::vector<std::string_view> names;
    for (auto first = places.begin(); first != places.end();) {
        const std::string_view parent = first->parent;
        names.clear();
        for (; first != places.end() && first->parent == parent; ++first) {
            names.push_back(first->name);
        }
        if (!wasScanned(parent) && ensure(std::string(parent)) && !wasScanned(parent)) {
            refreshIn(std::string(parent), names);
        }
    }
}

bool IndexWriter::wasScanned(std::string_view path) const {
    if (scannedTrees_.empty()) {
        return false;
    }
    for (;; path = parentOf(path)) {
        if (scannedTrees_.find(path) != scannedTrees_.end()) {
            return true;
        }
        if (path.empty()) {
            return false;
        }
    }
}

bool IndexWriter::ensure(const std::string& directory) {
    if (table_.exact(directory)) { // the root always is
        return true;
    }
    const std::string parent(parentOf(directory));
    if (!ensure(parent)) {
        return false;
    }
    if (!wasScanned(parent)) {
        const std::string_view name = nameOf(directory);
        refreshIn(parent, std::span(&name, 1));
    }
    return table_.exact(directory) != nullptr;
}

/// Re-reads some names of a directory. REQUIRES: the names are sorted and the directory is in the index.
void IndexWriter::refreshIn(const std::string& parent, std::span<const std::string_view> names) {
    findAncestors(parent);
    Listing listing;
    for (std::string_view name : names) {
        const DiskEntry entry = reader_.inspect(parent, name);
        note(parent, entry);
        const std::string path = joined(parent, name);
        if (entry.kind == DiskEntry::Kind::directory) {
            if (scanTree(path, entry.link)) {
                scannedTrees_.insert(path);
                listing.add(nameFor(entry), entry.link);
            }
            continue;
        }
        if (entry.kind == DiskEntry::Kind::file) {
            listing.add(nameFor(entry), entry.link);
        }
        if (observer_ && !entry.link) {
            observer_->gone(path); // it is no link to a file, or no longer
        }
    }
    table_.exact(parent)->forEach([&](const IndexDirectory::Record& record) {
        if (!std::binary_search(names.begin(), names.end(), record.name())) {
            const FileFacts facts = record.facts();
            listing.add({facts.name, record.isDirectory(), facts.extension, facts.size, facts.modified},
                        false);
        }
    });
    publish(parent, listing);
}

} // namespace saker::routing
