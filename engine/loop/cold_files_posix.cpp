#include "loop/cold_files.h"

#include "loop/chain_sender.h"
#include "loop/worker_pool.h"
#include "os/read_at.h"

#include <algorithm>

namespace saker::loop {

namespace {

constexpr std::uint64_t kRetryMs = 5;

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
        loop_, [wanted] { os::readThrough(wanted.file, wanted.offset, wanted.size); },
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
