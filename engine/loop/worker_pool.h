// A few threads for work that blocks: cold file reads, name look-ups, compression of large bodies. Results
// come back to the loop that asked. The queue is bounded, so that a stuck disk cannot eat the memory.
//
// submit() may be called from any thread. The loops named in a submission must outlive the pool's work:
// destroy the pool before the loops.
#pragma once

#include "loop/event_loop.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace saker::loop {

class WorkerPool {
public:
    /// `capacity`: jobs that may wait for a thread.
    explicit WorkerPool(unsigned threads, std::size_t capacity = 1024);
    /// As finish().
    ~WorkerPool();
    /// Runs what was accepted to its end, then joins the threads; nothing is accepted from now on. Whoever
    /// submits may still be there: it is told so. Not on one of the threads, nor by two at a time.
    void finish();
    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

    /// Runs the job on one of the threads. False when too many are waiting, or when it has been finished:
    /// nothing was taken.
    bool submit(std::function<void()> job);

    /// Runs the job on one of the threads, then `done(result)` (`done()` when there is none) on the loop.
    /// False when too many are waiting. Both are moved along, never used by two threads at a time.
    template <class Job, class Done>
    bool submit(EventLoop& loop, Job job, Done done);

private:
    void work();

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> jobs_; // guarded by mutex_
    bool stopping_ = false;                  // guarded by mutex_
    const std::size_t capacity_;
    std::vector<std::thread> threads_;
};

template <class Job, class Done>
bool WorkerPool::submit(EventLoop& loop, Job job, Done done) {
    using Value = std::invoke_result_t<Job&>;
    // Shared only because std::function must be copyable: there is one owner at a time.
    struct Errand {
        Job job;
        Done done;
    };
    auto errand = std::make_shared<Errand>(Errand{std::move(job), std::move(done)});
    return submit([&loop, errand = std::move(errand)]() mutable {
        if constexpr (std::is_void_v<Value>) {
            errand->job();
            loop.post([errand = std::move(errand)] { errand->done(); });
        } else {
            auto value = std::make_shared<Value>(errand->job());
            loop.post(
                [errand = std::move(errand), value = std::move(value)] { errand->done(std::move(*value)); });
        }
    });
}

} // namespace saker::loop
