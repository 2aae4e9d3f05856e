// Linux's inotify as an object: an instance with its watches and its queue of events. Not thread-safe, except
// that add() and remove() may run while another thread drains.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace saker::os {

class Inotify {
public:
    struct Event {
        int descriptor; ///< of the watch; -1 when the queue has overflowed
        std::uint32_t mask;
        std::string_view name; ///< in the watched directory; empty: the watched thing itself
    };

    /// Without an instance (too many in use), add() fails with the error of its making.
    Inotify();
    Inotify(const Inotify&) = delete;
    Inotify& operator=(const Inotify&) = delete;
    ~Inotify();

    /// To wait on; -1 without an instance.
    int handle() const { return handle_; }
    /// 0, or the error that kept the instance from being made.
    int error() const { return error_; }
    /// The watch's descriptor, or a negated errno value. The same inode gets the same descriptor.
    int add(const std::string& path, std::uint32_t mask);
    void remove(int descriptor);
    /// Hands over the events that are waiting; returns whether there were any.
    bool drain(const std::function<void(const Event&)>& visit);

private:
    int handle_;
    int error_ = 0;
};

} // namespace saker::os
