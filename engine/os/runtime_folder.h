// A folder of this server's own for sockets and files of programs that it runs, below a folder that it may
// share with other servers of the same user. Nobody else gets in (0700). While the object lives the folder is
// locked; folders of servers that died without clearing up are removed when the next one is made, and
// processes that still listen in them are killed.
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace saker::os {

class RuntimeFolder {
public:
    /// Makes `<shared>/run-XXXXXX`, and `shared` (0700) if it is missing. An error when others may write to
    /// `shared`, or when it belongs to another user.
    static Result<RuntimeFolder> make(const std::string& shared);

    /// The shared folder for a process that will become `user`, who gets it. For root; one that is there
    /// stays as it is.
    static Result<void> makeShared(const std::string& shared, const std::string& user);

    RuntimeFolder(RuntimeFolder&& other) noexcept;
    RuntimeFolder& operator=(RuntimeFolder&& other) noexcept;
    /// Removes it with everything in it.
    ~RuntimeFolder();

    const std::string& path() const { return path_; }
    std::string at(std::string_view name) const;

private:
    RuntimeFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
    std::string path_; ///< "": none
    int lock_ = -1;
};

} // namespace saker::os
