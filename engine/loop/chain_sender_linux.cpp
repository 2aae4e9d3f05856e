#include "loop/chain_sender.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace saker::loop {

namespace {

constexpr std::size_t kMostPieces = 64;

int fileOf(const Piece& piece) {
    return static_cast<int>(piece.file->native());
}

bool isInMemory(int file, std::uint64_t offset) {
    char byte = 0;
    iovec vector{&byte, 1};
    // Only EAGAIN says "not in memory". The end of the file and file systems that cannot say count as
    // present.
    return ::preadv2(file, &vector, 1, static_cast<off_t>(offset), RWF_NOWAIT) >= 0 || errno != EAGAIN;
}

/// A window is judged by its ends: files are read in order, so that a gap is at an end.
bool isWindowInMemory(const Piece& piece, std::uint64_t size) {
    const int file = fileOf(piece);
    return isInMemory(file, piece.offset) && (size <= 4096 || isInMemory(file, piece.offset + size - 1));
}

ssize_t sendMemory(int socket, const BufferChain& chain, std::uint64_t& wanted) {
    std::array<iovec, kMostPieces> vectors;
    std::size_t count = 0;
    wanted = 0;
    while (count < chain.pieceCount() && count < kMostPieces && !chain.piece(count).isFile()) {
        const Piece& piece = chain.piece(count);
        vectors[count++] = {const_cast<char*>(piece.data), piece.size};
        wanted += piece.size;
    }
    // What follows shares a packet with these bytes.
    const int flags = MSG_NOSIGNAL | (count < chain.pieceCount() ? MSG_MORE : 0);
    if (count == 1) {
        return ::send(socket, vectors[0].iov_base, vectors[0].iov_len, flags);
    }
    msghdr message{};
    message.msg_iov = vectors.data();
    message.msg_iovlen = count;
    return ::sendmsg(socket, &message, flags);
}

void setCork(int socket, bool on) {
    const int value = on ? 1 : 0;
    ::setsockopt(socket, IPPROTO_TCP, TCP_CORK, &value, sizeof value); // on other sockets it only fails
}

} // namespace

SendProgress sendChain(int socket, BufferChain& chain, SendTurn turn) {
    using Stop = SendProgress::Stop;
    std::uint64_t sent = 0;
    while (!chain.empty()) {
        if (sent >= turn.budget) {
            return {Stop::budget, 0, sent};
        }
        const Piece& front = chain.piece(0);
        std::uint64_t wanted = 0;
        ssize_t n = 0;
        if (front.isFile()) {
            wanted = std::min(front.size, kFileWindow);
            if (turn.askMemory && !turn.warm && !isWindowInMemory(front, wanted)) {
                return {Stop::cold, 0, sent};
            }
            turn.warm = false;
            if (turn.corked != nullptr && !*turn.corked && front.size > kFileWindow) {
                setCork(socket, true);
                *turn.corked = true;
            }
            auto offset = static_cast<off_t>(front.offset);
            n = ::sendfile(socket, fileOf(front), &offset, wanted);
            if (n == 0) {
                return {Stop::broken, EIO, sent};
            }
        } else {
            n = sendMemory(socket, chain, wanted);
        }
        if (n < 0) {
            if (errno == EINTR) {
                continue;
            }
            if (errno == EAGAIN) {
                return {Stop::full, 0, sent};
            }
            return {Stop::broken, errno, sent};
        }
        chain.consume(static_cast<std::uint64_t>(n));
        sent += static_cast<std::uint64_t>(n);
    }
    if (turn.corked != nullptr && *turn.corked) {
        setCork(socket, false);
        *turn.corked = false;
    }
    return {Stop::finished, 0, sent};
}

} // namespace saker::loop
