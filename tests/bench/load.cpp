// A load generator that costs little: keep-alive GETs over epoll from one thread, one request outstanding on
// each connection (or a new connection for each request). Every answer is checked: status 200, and as
// many bytes as the first one had, or the end of its chunks. Prints one JSON object: requests, failures,
// seconds, bytes, latencies in microseconds, its own CPU time.
//
//   load --port N [--path /x] [--connections 100] [--seconds 2] [--header "Name: value"]... [--close]

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

struct Settings {
    std::uint16_t port = 0;
    std::string path = "/";
    std::size_t connections = 100;
    double seconds = 2;
    std::string fields;
    bool close = false;
};

struct Connection {
    int fd = -1;
    std::size_t received = 0;
    std::string tail; // the last bytes that came, of a chunked answer
    Clock::time_point sent;
};

// Latencies in classes of an eighth of their power of two, which is exact enough for a percentile.
class Latencies {
public:
    void add(std::uint64_t microseconds) {
        unsigned log = 63 - static_cast<unsigned>(__builtin_clzll(microseconds | 8));
        ++classes_[log * 8 + ((microseconds >> (log - 3)) & 7)];
        ++count_;
    }
    std::uint64_t percentile(double part) const {
        std::uint64_t left = static_cast<std::uint64_t>(part * static_cast<double>(count_));
        for (std::size_t i = 24; i < classes_.size(); ++i) {
            if (classes_[i] > left) {
                return (8 + i % 8) << (i / 8 - 3);
            }
            left -= classes_[i];
        }
        return 0;
    }

private:
    std::vector<std::uint64_t> classes_ = std::vector<std::uint64_t>(64 * 8);
    std::uint64_t count_ = 0;
};

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "load: %s\n", what.c_str());
    std::exit(1);
}

class Load {
public:
    explicit Load(Settings settings) : settings_(std::move(settings)), buffer_(256 * 1024) {
        address_.sin_family = AF_INET;
        address_.sin_port = htons(settings_.port);
        address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        request_ = "GET " + settings_.path +
                   " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(settings_.port) + "\r\n" +
                   settings_.fields + (settings_.close ? "Connection: close\r\n" : "") + "\r\n";
        learnSize();
    }

    void run() {
        epoll_ = epoll_create1(0);
        connections_.resize(settings_.connections);
        for (Connection& connection : connections_) {
            open(connection);
            send(connection);
        }
        auto begin = Clock::now();
        auto end = begin + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(settings_.seconds));
        std::vector<epoll_event> events(512);
        for (auto now = begin; now < end; now = Clock::now()) {
            int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 50);
            for (int i = 0; i < ready; ++i) {
                read(*static_cast<Connection*>(events[static_cast<std::size_t>(i)].data.ptr));
            }
        }
        report(std::chrono::duration<double>(Clock::now() - begin).count());
    }

private:
    // The size of one whole answer: that of its head, and what Content-Length says.
    void learnSize() {
        Connection probe;
        open(probe);
        send(probe);
        std::string answer;
        std::size_t head = std::string::npos;
        while (head == std::string::npos) {
            ssize_t size = recv(probe.fd, buffer_.data(), buffer_.size(), 0);
            if (size <= 0) {
                fail("no answer to " + settings_.path);
            }
            answer.append(buffer_.data(), static_cast<std::size_t>(size));
            head = answer.find("\r\n\r\n");
        }
        if (answer.compare(0, 12, "HTTP/1.1 200") != 0) {
            fail("the answer is " + answer.substr(0, 60));
        }
        std::transform(answer.begin(), answer.begin() + static_cast<std::ptrdiff_t>(head), answer.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        std::size_t length = answer.find("\r\ncontent-length:");
        if (length < head) {
            size_ = head + 4 + std::strtoull(answer.c_str() + length + 17, nullptr, 10);
        } else if (answer.find("\r\ntransfer-encoding: chunked") > head) {
            fail("the answer does not say where it ends");
        }
        ::close(probe.fd);
    }

    void open(Connection& connection) {
        connection.fd = socket(AF_INET, SOCK_STREAM, 0);
        if (connection.fd < 0 ||
            connect(connection.fd, reinterpret_cast<sockaddr*>(&address_), sizeof address_) != 0) {
            fail(std::string("cannot connect: ") + std::strerror(errno));
        }
        int on = 1;
        setsockopt(connection.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (epoll_ >= 0) {
            epoll_event event{EPOLLIN, {.ptr = &connection}};
            epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.fd, &event);
        }
    }

    void send(Connection& connection) {
        connection.received = 0;
        connection.tail.clear();
        connection.sent = Clock::now();
        if (::send(connection.fd, request_.data(), request_.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(request_.size())) {
            ++failures_;
        }
    }

    bool isWhole(Connection& connection, std::string_view part) {
        if (size_ != 0) {
            failures_ += connection.received > size_ ? 1 : 0;
            return connection.received >= size_;
        }
        constexpr std::string_view kEnd = "\r\n0\r\n\r\n";
        connection.tail.append(part.substr(part.size() - std::min(part.size(), kEnd.size())));
        connection.tail.erase(0, connection.tail.size() - std::min(connection.tail.size(), kEnd.size()));
        return connection.tail == kEnd;
    }

    void again(Connection& connection) {
        if (connection.fd >= 0 && settings_.close) {
            ::close(connection.fd);
            connection.fd = -1;
        }
        if (connection.fd < 0) {
            open(connection);
        }
        send(connection);
    }

    void read(Connection& connection) {
        // What follows the first bytes of a large body needs no copy.
        int flags = MSG_DONTWAIT | (size_ > buffer_.size() && connection.received > 0 ? MSG_TRUNC : 0);
        ssize_t size = recv(connection.fd, buffer_.data(), buffer_.size(), flags);
        if (size < 0 && errno == EAGAIN) {
            return;
        }
        if (size <= 0) {
            ++failures_;
            ::close(connection.fd);
            connection.fd = -1;
            again(connection);
            return;
        }
        if (connection.received == 0 && (size < 12 || std::memcmp(buffer_.data(), "HTTP/1.1 200", 12) != 0)) {
            ++failures_;
        }
        bytes_ += static_cast<std::uint64_t>(size);
        connection.received += static_cast<std::size_t>(size);
        if (isWhole(connection, {buffer_.data(), std::min(static_cast<std::size_t>(size), buffer_.size())})) {
            ++requests_;
            auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - connection.sent);
            latencies_.add(static_cast<std::uint64_t>(took.count()));
            again(connection);
        }
    }

    void report(double seconds) const {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        auto part = [](timeval t) {
            return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
        };
        std::printf(
            "{\"requests\": %llu, \"failures\": %llu, \"seconds\": %.4f, \"bytes\": %llu, \"p50\": %llu, "
            "\"p99\": %llu, \"cpu\": %.4f}\n",
            static_cast<unsigned long long>(requests_), static_cast<unsigned long long>(failures_), seconds,
            static_cast<unsigned long long>(bytes_),
            static_cast<unsigned long long>(latencies_.percentile(0.5)),
            static_cast<unsigned long long>(latencies_.percentile(0.99)),
            part(usage.ru_utime) + part(usage.ru_stime));
    }

    Settings settings_;
    std::vector<char> buffer_;
    sockaddr_in address_{};
    std::string request_;
    std::size_t size_ = 0; // 0: the answers are chunked
    int epoll_ = -1;
    std::vector<Connection> connections_;
    std::uint64_t requests_ = 0;
    std::uint64_t failures_ = 0;
    std::uint64_t bytes_ = 0;
    Latencies latencies_;
};

} // namespace

int main(int argc, char** argv) {
    Settings settings;
    for (int i = 1; i < argc; ++i) {
        std::string_view option = argv[i];
        if (option == "--close") {
            settings.close = true;
            continue;
        }
        if (i + 1 == argc) {
            fail("usage: load --port N [--path /x] [--connections N] [--seconds S] [--header LINE]... "
                 "[--close]");
        }
        const char* value = argv[++i];
        if (option == "--port") {
            settings.port = static_cast<std::uint16_t>(std::atoi(value));
        } else if (option == "--path") {
            settings.path = value;
        } else if (option == "--connections") {
            settings.connections = std::strtoull(value, nullptr, 10);
        } else if (option == "--seconds") {
            settings.seconds = std::atof(value);
        } else if (option == "--header") {
            settings.fields += std::string(value) + "\r\n";
        } else {
            fail("unknown option " + std::string(option));
        }
    }
    Load(std::move(settings)).run();
}
