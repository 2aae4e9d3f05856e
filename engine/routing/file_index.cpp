#include "routing/file_index.h"

#include "routing/extension_table.h"
#include "routing/index_directory_table.h"
#include "routing/index_writer.h"

#include <mutex>

namespace saker::routing {

namespace {

using Record = IndexDirectory::Record;
using Want = IndexDirectory::Want;

Found fileIn(const IndexDirectory& directory, const Record& record, std::string_view rest) {
    return Found{Found::Kind::file, false, &directory, record.facts(), rest};
}

/// The directories to look into for a path, in the order in which they count.
class Candidates {
public:
    Candidates(const IndexDirectoryTable& table, std::string_view path, CaseMode mode)
        : table_(table), path_(path), mode_(mode), current_(table.first(path, mode)) {}
    const IndexDirectory* get() const { return current_; }
    void advance() { current_ = mode_ == CaseMode::fold ? table_.next(path_, *current_) : nullptr; }

private:
    const IndexDirectoryTable& table_;
    std::string_view path_;
    CaseMode mode_;
    const IndexDirectory* current_;
};

/// The nearest ancestor that is a file. Goes down from the root: what is above a directory is a directory, so
/// the search ends where directories do, however long the path is.
Found findWithRest(const IndexDirectoryTable& table, std::string_view path, CaseMode mode) {
    Found found;
    for (std::size_t start = 0;;) {
        const std::size_t end = path.find('/', start);
        Candidates candidates(table, path.substr(0, start == 0 ? 0 : start - 1), mode);
        if (end == std::string_view::npos || candidates.get() == nullptr) {
            return found;
        }
        const std::string_view name = path.substr(start, end - start);
        for (; candidates.get(); candidates.advance()) {
            if (const Record* record = candidates.get()->find(name, mode, Want::file)) {
                found = fileIn(*candidates.get(), *record, path.substr(end));
                break;
            }
        }
        start = end + 1;
    }
}

Found findAnyCase(const IndexDirectoryTable& table, std::string_view path, CaseMode mode) {
    const std::size_t slash = path.rfind('/');
    const std::string_view parent =
        slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    Candidates candidates(table, parent, mode);
    if (path.empty() || candidates.get() == nullptr) {
        return path.empty() ? Found{Found::Kind::directory, false, table.exact(path), {}, {}}
                            : findWithRest(table, path, mode);
    }
    const std::string_view name = path.substr(slash + 1);
    for (; candidates.get(); candidates.advance()) {
        const Record* record = candidates.get()->find(name, mode, Want::either);
        if (record && !record->isDirectory()) {
            return fileIn(*candidates.get(), *record, {});
        }
        if (record) {
            if (const IndexDirectory* directory = table.first(path, mode)) {
                return Found{Found::Kind::directory, false, directory, {}, {}};
            }
        }
    }
    return {};
}

/// Is `path` how the thing found is spelled on disk?
bool isSpelledSo(const Found& found, std::string_view path) {
    path.remove_suffix(found.rest.size());
    const std::string_view directory = found.directory->path();
    if (found.kind == Found::Kind::directory) {
        return path == directory;
    }
    return path.ends_with(found.file.name) && path.starts_with(directory);
}

IndexOptions withoutTrailingSlash(IndexOptions options) {
    while (options.root.size() > 1 && options.root.back() == '/') {
        options.root.pop_back();
    }
    return options;
}

} // namespace

struct FileIndex::Tables {
    Tables(IndexOptions given, Quiescence& quiescence)
        : options(withoutTrailingSlash(std::move(given))), directories(quiescence),
          writer(options, directories, extensions, files) {}

    const IndexOptions options;
    std::atomic<std::uint64_t> files{0};
    ExtensionTable extensions;
    IndexDirectoryTable directories;
    std::mutex mutex; // one writer at a time
    IndexWriter writer;
};

FileIndex::FileIndex(IndexOptions options)
    : tables_(std::make_unique<Tables>(std::move(options), quiescence_)) {}

FileIndex::~FileIndex() = default;

Found FileIndex::find(std::string_view path, CaseMode mode) const {
    Found found = findAnyCase(tables_->directories, path, mode);
    found.folded = mode == CaseMode::fold && found.kind != Found::Kind::none && !isSpelledSo(found, path);
    return found;
}

bool FileIndex::findIn(const IndexDirectory& directory, std::string_view name, CaseMode mode,
                       FileFacts& facts) const {
    const Record* record = directory.find(name, mode, Want::file);
    if (record) {
        facts = record->facts();
    }
    return record != nullptr;
}

bool FileIndex::hasDirectory(const IndexDirectory& directory, std::string_view name, CaseMode mode) const {
    return directory.find(name, mode, Want::directory) != nullptr;
}

void FileIndex::list(const IndexDirectory& directory, const std::function<void(const FileFacts&)>& file,
                     const std::function<void(std::string_view name)>& sub) const {
    directory.forEach([&](const Record& record) {
        if (record.isDirectory()) {
            sub(record.name());
        } else {
            file(record.facts());
        }
    });
}

std::string_view FileIndex::pathOf(const IndexDirectory& directory) const {
    return directory.path();
}

std::string_view FileIndex::extensionText(ExtensionId id) const {
    return tables_->extensions.text(id);
}

ExtensionId FileIndex::extensionId(std::string_view text) {
    return tables_->extensions.id(text);
}

std::uint64_t FileIndex::fileCount() const {
    return tables_->files.load(std::memory_order_relaxed);
}

const std::string& FileIndex::root() const {
    return tables_->options.root;
}

void FileIndex::forEach(std::string_view prefix,
                        const std::function<void(std::string_view fullPath)>& visit) const {
    const Found found = find(prefix, CaseMode::exact);
    if (found.kind == Found::Kind::none || !found.rest.empty()) {
        return;
    }
    std::string full = root();
    auto append = [&](std::string_view part) {
        if (!part.empty()) {
            full += '/';
            full += part;
        }
    };
    append(prefix);
    if (found.kind == Found::Kind::file) {
        visit(full);
        return;
    }
    auto visitTree = [&](auto& self, const IndexDirectory& directory) -> void {
        directory.forEach([&](const Record& record) {
            const std::size_t length = full.size();
            append(record.name());
            if (!record.isDirectory()) {
                visit(full);
            } else if (const IndexDirectory* sub =
                           tables_->directories.exact(std::string_view(full).substr(root().size() + 1))) {
                self(self, *sub);
            }
            full.resize(length);
        });
    };
    visitTree(visitTree, *found.directory);
}

void FileIndex::published(bool changed) {
    if (changed) {
        generation_.fetch_add(1, std::memory_order_release);
    }
}

Result<FileIndex::Progress> FileIndex::scan(std::string_view sub,
                                            const std::function<void(const Progress&)>& progress) {
    std::lock_guard lock(tables_->mutex);
    Result<Progress> result = tables_->writer.scan(sub, progress);
    published(tables_->writer.finish());
    return result;
}

Result<FileIndex::Progress> FileIndex::scanOneLevel(std::string_view sub) {
    std::lock_guard lock(tables_->mutex);
    Result<Progress> result = tables_->writer.scanOneLevel(sub);
    published(tables_->writer.finish());
    return result;
}

void FileIndex::refresh(std::string_view path) {
    const std::string one(path);
    refresh(std::span(&one, 1));
}

void FileIndex::refresh(std::span<const std::string> paths) {
    std::lock_guard lock(tables_->mutex);
    tables_->writer.refresh(paths);
    published(tables_->writer.finish());
}

void FileIndex::observe(IndexObserver* observer) {
    std::lock_guard lock(tables_->mutex);
    tables_->writer.observe(observer);
}

std::uint64_t FileIndex::memoryUse() const {
    return tables_->directories.memoryUse() + tables_->extensions.memoryUse();
}

} // namespace saker::routing
