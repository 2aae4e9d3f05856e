// A blocking client on the loopback, as simple as can be.
#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

namespace saker::test {

class HttpClient {
public:
    explicit HttpClient(std::uint16_t port, std::string_view address = "127.0.0.1") {
        fd_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        timeval limit{20, 0}; // a test that would wait for ever fails instead
        ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        sockaddr_in to{};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        ::inet_pton(AF_INET, std::string(address).c_str(), &to.sin_addr);
        if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
            close();
        }
    }
    HttpClient(const HttpClient&) = delete;
    HttpClient& operator=(const HttpClient&) = delete;
    ~HttpClient() { close(); }

    bool isOpen() const { return fd_ >= 0; }
    int fd() const { return fd_; }
    void close() {
        if (fd_ >= 0) {
            ::close(std::exchange(fd_, -1));
        }
    }
    void send(std::string_view bytes) {
        while (!bytes.empty()) {
            ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) {
                return;
            }
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
    }
    /// One answer with a Content-Length; what came of it when the server closes before its end.
    std::string receive() {
        std::string got;
        std::size_t whole = std::string::npos;
        char buffer[16384];
        while (got.size() < whole) {
            std::size_t most = whole == std::string::npos ? 1 : std::min(sizeof buffer, whole - got.size());
            ssize_t n = ::recv(fd_, buffer, most, 0);
            if (n < 0 && errno == EINTR) { // a stopped and continued process, with a time limit set
                continue;
            }
            if (n <= 0) {
                break;
            }
            got.append(buffer, static_cast<std::size_t>(n));
            if (whole == std::string::npos && got.ends_with("\r\n\r\n")) {
                std::size_t field = got.find("Content-Length: ");
                whole =
                    got.size() +
                    (field == std::string::npos ? 0 : std::strtoull(got.c_str() + field + 16, nullptr, 10));
            }
        }
        return got;
    }
    std::string get(std::string_view target, std::string_view host = "a.com") {
        send("GET " + std::string(target) + " HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
        return receive();
    }
    /// Nothing more comes: the server has closed.
    bool isAtEnd() {
        char byte = 0;
        ssize_t n = 0;
        do {
            n = ::recv(fd_, &byte, 1, 0);
        } while (n < 0 && errno == EINTR);
        return n <= 0;
    }

private:
    int fd_ = -1;
};

} // namespace saker::test
