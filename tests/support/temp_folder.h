// A folder of a test's own, removed with everything in it at the end.
#pragma once

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <string_view>

namespace saker::test {

class TempFolder {
public:
    TempFolder() {
        std::random_device random;
        do {
            path_ = std::filesystem::canonical(std::filesystem::temp_directory_path()) /
                    ("saker-test-" + std::to_string(random()));
        } while (!std::filesystem::create_directory(path_));
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }

    const std::filesystem::path& path() const { return path_; }
    /// The absolute path of a name in it; the folder's own for "".
    std::string at(std::string_view relative) const {
        return relative.empty() ? path_.string() : (path_ / relative).string();
    }

    /// Writes a file, with the folders above it.
    void write(std::string_view relative, std::string_view content = "content") const {
        makeFolder(std::filesystem::path(relative).parent_path().string());
        std::ofstream(at(relative), std::ios::binary) << content;
    }
    void makeFolder(std::string_view relative) const { std::filesystem::create_directories(at(relative)); }
    /// A symbolic link; the target is taken as it is.
    void link(std::string_view relative, std::string_view target) const {
        makeFolder(std::filesystem::path(relative).parent_path().string());
        std::filesystem::create_symlink(target, at(relative));
    }
    void rename(std::string_view from, std::string_view to) const {
        std::filesystem::rename(at(from), at(to));
    }
    void remove(std::string_view relative) const { std::filesystem::remove_all(at(relative)); }

private:
    std::filesystem::path path_;
};

} // namespace saker::test
