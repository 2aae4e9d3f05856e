// Asks a FastCGI server for one script, as simply as can be: a connection, a request, everything until the
// end. For tests that need an answer from PHP without the engine's own client.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

namespace saker::test {

class FastCgiRequest {
public:
    /// Connects and sends; isSent() is false when that fails.
    FastCgiRequest(const std::string& socket, const std::string& script) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        std::memcpy(address.sun_path, socket.data(), std::min(socket.size(), sizeof address.sun_path - 1));
        handle_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const timeval patience{60, 0};
        ::setsockopt(handle_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        if (::connect(handle_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
            return;
        }
        std::string parameters;
        for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
                 {"SCRIPT_FILENAME", script}, {"REQUEST_METHOD", "GET"}, {"REDIRECT_STATUS", "200"}}) {
            parameters += static_cast<char>(name.size()); // all of them are shorter than 128
            parameters += static_cast<char>(value.size());
            parameters += name + value;
        }
        const std::string request = record(1, std::string("\0\1\0\0\0\0\0\0", 8)) + record(4, parameters) +
                                    record(4, {}) + record(5, {});
        isSent_ = ::send(handle_, request.data(), request.size(), MSG_NOSIGNAL) ==
                  static_cast<ssize_t>(request.size());
    }
    FastCgiRequest(const FastCgiRequest&) = delete;
    FastCgiRequest& operator=(const FastCgiRequest&) = delete;
    ~FastCgiRequest() {
        if (handle_ >= 0) {
            ::close(handle_);
        }
    }

    bool isSent() const { return isSent_; }

    /// What the script has printed, behind the header fields; "(no answer)" when the connection ends without
    /// one.
    std::string body() {
        std::string bytes;
        std::array<char, 4096> buffer;
        for (ssize_t size = 0; (size = ::recv(handle_, buffer.data(), buffer.size(), 0)) > 0;) {
            bytes.append(buffer.data(), static_cast<std::size_t>(size));
        }
        ::close(std::exchange(handle_, -1)); // PHP waits for it
        std::string output;
        bool ended = false;
        for (std::size_t at = 0; at + 8 <= bytes.size();) {
            auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
            const std::size_t length = byte(4) * 256u + byte(5);
            if (byte(1) == 6) {
                output += bytes.substr(at + 8, length);
            }
            ended = ended || byte(1) == 3;
            at += 8 + length + byte(6);
        }
        const std::size_t head = output.find("\r\n\r\n");
        return ended && head != std::string::npos ? output.substr(head + 4) : "(no answer)";
    }

private:
    static std::string record(char type, const std::string& content) {
        std::string text{1, type, 0, 1};
        text += static_cast<char>(content.size() >> 8);
        text += static_cast<char>(content.size() & 0xff);
        text += std::string(2, '\0');
        return text + content;
    }

    int handle_ = -1;
    bool isSent_ = false;
};

inline std::string askFastCgi(const std::string& socket, const std::string& script) {
    FastCgiRequest request(socket, script);
    return request.isSent() ? request.body() : "(not connected)";
}

} // namespace saker::test
