#include "loop/worker_pool.h"

#include <algorithm>

namespace saker::loop {

WorkerPool::WorkerPool(unsigned threads, std::size_t capacity) : capacity_(capacity) {
    threads_.reserve(std::max(threads, 1U));
    for (unsigned i = 0; i < std::max(threads, 1U); ++i) {
        threads_.emplace_back([this] { work(); });
    }
}

WorkerPool::~WorkerPool() {
    finish();
}

void WorkerPool::finish() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    threads_.clear();
}

bool WorkerPool::submit(std::function<void()> job) {
    {
        const std::lock_guard lock(mutex_);
        if (stopping_ || jobs_.size() >= capacity_) {
            return false;
        }
        jobs_.push_back(std::move(job));
    }
    wake_.notify_one();
    return true;
}

void WorkerPool::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
        if (jobs_.empty()) {
            return;
        }
        std::function<void()> job = std::move(jobs_.front());
        jobs_.pop_front();
        lock.unlock();
        job();
        job = nullptr; // what it holds dies outside the lock
        lock.lock();
    }
}

} // namespace saker::loop
