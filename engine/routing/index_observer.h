// Told by a FileIndex what it reads, so that whoever watches the disk watches exactly that. Called by
// whichever thread scans, with the index's writers locked out: do not call the index back.
#pragma once

#include <string_view>

namespace saker::routing {

class IndexObserver {
public:
    virtual ~IndexObserver() = default;
    /// A directory is about to be read: what changes in it from now on must not be missed.
    virtual void willRead(std::string_view directory) = 0;
    /// A name is a symbolic link to a file: changes of the target show nowhere in the directory.
    virtual void linkedFile(std::string_view path) = 0;
    /// A name could not be judged now and should be refreshed later: a link to what does not exist yet, or a
    /// directory that the system had no means to read.
    virtual void lookAgain(std::string_view path) = 0;
    /// A directory, with all below it, or a file is no longer in the index.
    virtual void gone(std::string_view path) = 0;
};

} // namespace saker::routing
