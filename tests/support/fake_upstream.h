// A server for tests of what connects to one: the test is the program behind it. Non-blocking; poll() looks
// for new connections and bytes. Over TCP on the loopback, or on a local socket.
#pragma once

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace saker::test {

class FakeUpstream {
public:
    struct Connection {
        int fd = -1;
        std::string received;
        bool isEnded = false; ///< the other side has closed or broken it

        bool isOpen() const { return fd >= 0; }
    };

    /// TCP on a free port; or a local socket at the path.
    explicit FakeUpstream(const std::string& path = {}) : path_(path) { listen(); }
    ~FakeUpstream() { stop(); }
    FakeUpstream(const FakeUpstream&) = delete;
    FakeUpstream& operator=(const FakeUpstream&) = delete;

    std::uint16_t port() const { return port_; }
    /// Behind "http://" or "fcgi://".
    std::string address() const { return path_.empty() ? "127.0.0.1:" + std::to_string(port_) : path_; }

    /// Ends with all connections; start() takes the same address again.
    void stop() {
        for (std::size_t i = 0; i < connections.size(); ++i) {
            close(i);
        }
        if (listener_ >= 0) {
            ::close(std::exchange(listener_, -1));
        }
        if (!path_.empty()) {
            ::unlink(path_.c_str());
        }
    }
    void start() { listen(); }

    void poll() {
        for (int fd = listener_ >= 0 ? accept() : -1; fd >= 0; fd = accept()) {
            connections.push_back({fd, {}, false});
        }
        for (Connection& connection : connections) {
            while (connection.isOpen() && !connection.isEnded && !isDeaf) {
                char bytes[65536];
                const ssize_t n = ::recv(connection.fd, bytes, sizeof bytes, MSG_DONTWAIT);
                if (n > 0) {
                    connection.received.append(bytes, static_cast<std::size_t>(n));
                    continue;
                }
                connection.isEnded = n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
                break;
            }
        }
    }
    /// As much as the system takes; returns how much.
    std::size_t send(std::size_t i, std::string_view bytes) {
        const ssize_t n =
            ::send(connections.at(i).fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        return n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    void close(std::size_t i, bool reset = false) {
        Connection& connection = connections.at(i);
        if (!connection.isOpen()) {
            return;
        }
        if (reset) {
            const linger now{1, 0};
            ::setsockopt(connection.fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        }
        ::close(std::exchange(connection.fd, -1));
    }

    std::vector<Connection> connections;
    bool isDeaf = false; ///< reads nothing

private:
    void listen() {
        if (path_.empty()) {
            listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            const int one = 1;
            ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
            sockaddr_in address{};
            address.sin_family = AF_INET;
            address.sin_port = htons(port_);
            address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            bind(address);
            socklen_t length = sizeof address;
            ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length);
            port_ = ntohs(address.sin_port);
        } else {
            listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
            sockaddr_un address{};
            address.sun_family = AF_UNIX;
            path_.copy(address.sun_path, sizeof address.sun_path - 1);
            bind(address);
        }
    }
    template <class Address>
    void bind(const Address& address) {
        EXPECT_EQ(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(::listen(listener_, 64), 0);
    }
    int accept() { return ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK); }

    std::string path_;
    std::uint16_t port_ = 0;
    int listener_ = -1;
};

} // namespace saker::test
