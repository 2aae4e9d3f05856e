// A Unix socket that other programs of this machine may connect to, owned by this process: it is there, and
// connections queue at it, whoever accepts them. Any thread.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>

namespace saker::os {

class LocalListener {
public:
    /// Makes the socket and listens. The name must be free (notFound: its folder is missing; limit: the path
    /// is longer than the system allows, about 100 bytes). Only this user may connect.
    static Result<LocalListener> open(const std::string& path);

    LocalListener(LocalListener&& other) noexcept;
    LocalListener& operator=(LocalListener&& other) noexcept;
    /// Removes the name and closes our handle; who has inherited it keeps what it has.
    ~LocalListener();

    const std::string& path() const { return path_; }
    std::intptr_t native() const { return handle_; }

    /// Closes the connections that nobody has accepted yet, so that they fail instead of waiting. For times
    /// when nobody else accepts.
    void turnAwayWaiting() const;

private:
    LocalListener(std::string path, std::intptr_t handle) : path_(std::move(path)), handle_(handle) {}
    std::string path_;
    std::intptr_t handle_ = -1;
};

} // namespace saker::os
