// Paths of the machine and of the user: where settings, data and sockets belong, and how relative paths are
// read. Texts are UTF-8; separators are the system's own on output, '/' is accepted everywhere. Any thread;
// start-up only (the environment is read on every call).
#pragma once

#include <string>
#include <string_view>

namespace saker::os {

/// Starts at a root ("/", "C:\", "\\server\share")?
bool isAbsolute(std::string_view path);

/// `path` below `folder`, or `path` itself when it is absolute. Not normalised.
std::string joinPath(std::string_view folder, std::string_view path);

/// Absolute, counted from the working directory, without ".", "..", repeated and trailing separators. By the
/// text alone: symbolic links are not looked at, and the path need not exist.
std::string absolutePath(std::string_view path);

/// A path written in a configuration file: a leading "~/" is the user's home, a relative one counts from the
/// folder of the file (not from the working directory). Absolute and normalised.
std::string pathFromConfig(std::string_view path, std::string_view configFile);

/// The folder that a file or folder is in: "/a/b" -> "/a", "/a" -> "/", "a" -> ".".
std::string parentPath(std::string_view path);

/// The program that is running; empty when the system does not tell.
std::string executablePath();

/// The user's home; from the account data when the environment has none. May be empty (a bare service
/// account).
std::string homeDirectory();

/// A user's own: $XDG_CONFIG_HOME/saker, $XDG_DATA_HOME/saker, $XDG_STATE_HOME/saker, with the defaults of
/// the XDG base directory specification; on Windows below AppData. Empty when there is no home. Not created.
std::string userConfigDirectory();
std::string userDataDirectory();
std::string userStateDirectory();
/// $XDG_RUNTIME_DIR/saker; where that is missing, a folder below the system's temporary one that carries the
/// user's id (whoever makes it checks owner and mode).
std::string userRuntimeDirectory();

/// The machine's: /etc/saker, /var/lib/saker and /run/saker, or %ProgramData%\Saker.
std::string systemConfigDirectory();
std::string systemDataDirectory();
std::string systemRuntimeDirectory();

/// The system's folder for temporary files.
std::string temporaryDirectory();

} // namespace saker::os
