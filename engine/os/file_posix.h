// What the POSIX bodies of file.h share: how files are opened for reading, and the way of opening below a
// folder for kernels without openat2.
#pragma once

#include "os/file.h"

#include <fcntl.h>

namespace saker::os {

/// A fifo without a writer does not hang, a terminal does not become ours, a child process does not inherit
/// it.
inline constexpr int kReadFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

/// Takes an open descriptor over: the file, or an error (and it is closed) when it is not a regular one.
Result<File> regularFile(int handle, std::string_view path);

/// Opens every name of the path from the one before, and refuses links: a descriptor, or a negated errno
/// value. REQUIRES: names only, without "..".
int openByNames(int folder, std::string_view path);

} // namespace saker::os
