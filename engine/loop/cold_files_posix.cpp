#include "loop/cold_files.h"

#include "loop/chain_sender.h"
#include "loop/worker_pool.h"

#include <algorithm>
#include <array>
#include <unistd.h>

namespace saker::loop {

namespace {

constexpr std::uint64_t kRetryMs = 5;

/// Reading is what waits for the disk; readahead() alone would return before the data is there.
void readThrough(int file, std::uint64_t offset, std::uint64_t size) {
    static thread_local std::array<char, std::size_t{64} * 1024> scratch;
    while (size > 0) {
        const ssize_t n = ::pread(file, scratch.data(), std::min<std::uint64_t>(size, scratch.size()),
                                  static_cast<off_t>(offset));
        if (n <= 0) {
            return;
        }
        offset += static_cast<std::uint64_t>(n);
        size -= static_cast<std::uint64_t>(n);
    }
}

} // namespace

void ColdFiles::load(Socket& socket) {
    const Piece& piece = SocketAccess::chain(*SocketAccess::write(socket)).piece(0);
    const Wanted wanted{&socket, static_cast<int>(piece.file->native()), piece.offset,
                        std::min(piece.size, kFileWindow)};
    if (!waiting_.empty() || !start(wanted)) {
        waiting_.push_back(wanted);
        if (!isSet()) {
            loop_.timers().set(*this, loop_.now() + kRetryMs);
        }
    }
}

bool ColdFiles::start(const Wanted& wanted) {
    return workers_->submit(
        loop_, [wanted] { readThrough(wanted.file, wanted.offset, wanted.size); },
        [this, socket = wanted.socket] { user_.onWarm(*socket); });
}

void ColdFiles::onTimer() {
    while (!waiting_.empty() && start(waiting_.front())) {
        waiting_.pop_front();
    }
    if (!waiting_.empty()) {
        loop_.timers().set(*this, loop_.now() + kRetryMs);
    }
}

} // namespace saker::loop
