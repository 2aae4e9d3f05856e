// Has workers read windows of files into the system's cache, so that sendfile does not wait for a disk
// afterwards. Private to this library; belongs to the loop's thread.
#pragma once

#include "loop/backend.h"
#include "loop/timer_wheel.h"

#include <deque>

namespace saker::loop {

/// The backend that asked.
class ColdFilesUser {
public:
    /// The window was read, or cannot be (sending it will tell).
    virtual void onWarm(Socket& socket) = 0;

protected:
    ~ColdFilesUser() = default;
};

class ColdFiles final : private Timer {
public:
    ColdFiles(EventLoop& loop, WorkerPool* workers, ColdFilesUser& user)
        : loop_(loop), workers_(workers), user_(user) {}

    /// False: there are no workers, the loop has to read by itself.
    bool isUseful() const { return workers_ != nullptr; }
    /// Has the start of the piece in front of the socket's write read. REQUIRES: the socket and its chain
    /// live, and the chain is left alone, until onWarm().
    void load(Socket& socket);

private:
    struct Wanted {
        Socket* socket;
        int file;
        std::uint64_t offset;
        std::uint64_t size;
    };
    bool start(const Wanted& wanted);
    void onTimer() override;

    EventLoop& loop_;
    WorkerPool* workers_;
    ColdFilesUser& user_;
    std::deque<Wanted> waiting_; // refused by a full pool, tried again soon
};

} // namespace saker::loop
