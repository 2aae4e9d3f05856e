// Wakes the thread that waits on it, together with what else that thread waits on (poll).
#pragma once

namespace saker::os {

class Wakeup {
public:
    Wakeup();
    Wakeup(const Wakeup&) = delete;
    Wakeup& operator=(const Wakeup&) = delete;
    ~Wakeup();

    /// To wait on: readable once it was signalled.
    int handle() const { return handle_; }
    /// Any thread.
    void signal() const;
    void clear() const;

private:
    int handle_;
};

} // namespace saker::os
