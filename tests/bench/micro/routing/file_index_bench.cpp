// What the file index costs: nanoseconds a look-up, files a second of a scan, bytes a file.
// The tree has ten files in each directory, ten directories in each of those, names as long as a site's.
// SAKER_BENCH_FILES=1000000 makes it larger.
#include "routing/file_index.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace saker::routing;
namespace fs = std::filesystem;

std::size_t filesWanted() {
    const char* wanted = std::getenv("SAKER_BENCH_FILES");
    return wanted ? std::strtoull(wanted, nullptr, 10) : 100'000;
}

/// A tree on disk and its index, made on first use and removed at the end.
class Tree {
public:
    static Tree& get() {
        static Tree tree;
        return tree;
    }
    FileIndex& index() { return *index_; }
    const std::vector<std::string>& paths() const { return paths_; }

    ~Tree() {
        index_.reset();
        fs::remove_all(root_);
    }

private:
    Tree() : root_(fs::temp_directory_path() / fmt::format("saker-bench-{}", std::random_device()())) {
        fill("example.com");
        index_ = std::make_unique<FileIndex>(IndexOptions{.root = root_.string()});
        (void)index_->scan();
        std::shuffle(paths_.begin(), paths_.end(), std::minstd_rand(1));
    }
    /// Breadth first, until there are enough files.
    void fill(const std::string& top) {
        std::vector<std::string> directories{top};
        for (std::size_t next = 0; paths_.size() < filesWanted(); ++next) {
            const std::string directory = directories[next];
            fs::create_directories(root_ / directory);
            for (int i = 0; i < 10; ++i) {
                paths_.push_back(fmt::format("{}/article-{}-{}.html", directory, next, i));
                std::ofstream made(root_ / paths_.back()); // empty: only names and facts count here
                directories.push_back(fmt::format("{}/section-{}", directory, i));
            }
        }
    }

    fs::path root_;
    std::vector<std::string> paths_;
    std::unique_ptr<FileIndex> index_;
};

/// `working` paths in turn: few stay in the processor's caches, many do not.
void hit(benchmark::State& state, CaseMode mode) {
    Tree& tree = Tree::get();
    Quiescence::Reader reader(tree.index().quiescence());
    const std::size_t working =
        std::min<std::size_t>(tree.paths().size(), static_cast<std::size_t>(state.range(0)));
    std::size_t i = 0;
    for (auto _ : state) {
        Found found = tree.index().find(tree.paths()[i], mode);
        if (found.kind != Found::Kind::file) {
            state.SkipWithError("not found");
        }
        benchmark::DoNotOptimize(found);
        i = i + 1 == working ? 0 : i + 1;
    }
}
void findHitExact(benchmark::State& state) {
    hit(state, CaseMode::exact);
}
void findHitFold(benchmark::State& state) {
    hit(state, CaseMode::fold);
}
BENCHMARK(findHitExact)->Arg(100)->Arg(10'000)->Arg(100'000'000);
BENCHMARK(findHitFold)->Arg(100)->Arg(10'000)->Arg(100'000'000);

void find(benchmark::State& state, const std::string& path, CaseMode mode) {
    Tree& tree = Tree::get();
    Quiescence::Reader reader(tree.index().quiescence());
    for (auto _ : state) {
        Found found = tree.index().find(path, mode);
        benchmark::DoNotOptimize(found);
    }
}
BENCHMARK_CAPTURE(find, otherCase, "EXAMPLE.com/Section-1/Article-2-3.HTML", CaseMode::fold);
BENCHMARK_CAPTURE(find, directory, "example.com/section-1/section-2", CaseMode::fold);
BENCHMARK_CAPTURE(find, missingFile, "example.com/section-1/section-2/favicon.ico", CaseMode::fold);
BENCHMARK_CAPTURE(find, missingDirectory, "example.com/section-1/wp-admin/css/login.css", CaseMode::fold);
BENCHMARK_CAPTURE(find, pathInfo, "example.com/article-0-1.html/more/names", CaseMode::fold);

void findAmongTen(benchmark::State& state) {
    Tree& tree = Tree::get();
    Quiescence::Reader reader(tree.index().quiescence());
    const Found found = tree.index().find("example.com/section-1", CaseMode::exact);
    FileFacts facts;
    for (auto _ : state) {
        benchmark::DoNotOptimize(tree.index().findIn(*found.directory, "index.html", CaseMode::fold, facts));
    }
}
BENCHMARK(findAmongTen);

void scan(benchmark::State& state) {
    const std::string root = Tree::get().index().root();
    std::uint64_t files = 0;
    double bytes = 0;
    for (auto _ : state) {
        FileIndex index(IndexOptions{.root = root});
        (void)index.scan();
        files += index.fileCount();
        bytes = static_cast<double>(index.memoryUse()) / static_cast<double>(index.fileCount());
    }
    state.counters["files"] = benchmark::Counter(static_cast<double>(files), benchmark::Counter::kIsRate);
    state.counters["bytes_per_file"] = bytes;
}
BENCHMARK(scan)->Unit(benchmark::kMillisecond);

void refreshOneFile(benchmark::State& state) {
    Tree& tree = Tree::get();
    for (auto _ : state) {
        tree.index().refresh(tree.paths().front());
    }
}
BENCHMARK(refreshOneFile);

} // namespace
