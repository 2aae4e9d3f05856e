#include "host/console.h"

#include "base/line_reader.h"

#include <array>
#include <exception>
#include <string>

#include <fmt/format.h>

namespace saker::host {

namespace {

constexpr std::size_t kLongestLine = 16 * 1024;
/// Lines are collected up to this size, so that a list of 100,000 files is not as many system calls.
constexpr std::size_t kFlushSize = 4096;
constexpr std::string_view kPrompt = "> ";

/// File names may hold anything; escape sequences in them must not reach a terminal.
void appendSafely(std::string& out, std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto byte = static_cast<unsigned char>(text[i]);
        // U+0080 to U+009F are control characters as well, as UTF-8 C2 80 to C2 9F.
        bool secondSet =
            byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
        if ((byte < 0x20 && byte != '\t') || byte == 0x7f || secondSet) {
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", byte);
        } else {
            out += text[i];
        }
    }
}

} // namespace

/// Writes lines in portions; what is left is written with flush(), when a command has ended.
class Console::Sink final : public control::Output {
public:
    explicit Sink(ConsoleDevice& device) : device_(device), interactive_(device.isInteractive()) {}

    bool line(std::string_view text) override {
        appendSafely(pending_, text);
        pending_ += '\n';
        // A person sees each line at once; a program the first ("Indexing …") and then portions.
        if (interactive_ || first_ || pending_.size() >= kFlushSize) {
            flush();
            first_ = false;
        }
        return open_;
    }
    void error(std::string_view text) override { line(text); }

    void begin() { first_ = true; }
    void raw(std::string_view text) { pending_ += text; }
    void flush() {
        open_ = open_ && device_.write(pending_);
        pending_.clear();
    }

private:
    ConsoleDevice& device_;
    const bool interactive_;
    std::string pending_;
    bool first_ = true;
    bool open_ = true;
};

Console::Console(std::unique_ptr<ConsoleDevice> device, Execute execute)
    : device_(std::move(device)), execute_(std::move(execute)) {}

Console::~Console() {
    stop();
}

void Console::start() {
    thread_ = std::thread([this] { run(); });
}

void Console::stop() {
    device_->interrupt();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Console::run() {
    Sink sink(*device_);
    bool interactive = device_->isInteractive();
    auto prompt = [&] {
        if (interactive) {
            sink.raw(kPrompt);
        }
        sink.flush();
    };
    LineReader lines(
        kLongestLine, [&](std::string_view line) { carryOut(line, sink); },
        [&] { sink.error(fmt::format("The line is too long: the limit is {} bytes.", kLongestLine)); });

    prompt();
    std::array<char, 4096> buffer;
    while (std::size_t size = device_->read(buffer)) {
        lines.feed(std::string_view(buffer.data(), size));
        prompt();
    }
    lines.finish();
    if (interactive) {
        sink.line("");
        sink.line("End of the console's input. The server goes on; Ctrl+C stops it.");
    }
    sink.flush();
}

void Console::carryOut(std::string_view line, Sink& sink) {
    sink.begin();
    try {
        execute_(line, sink);
    } catch (const std::exception& failure) {
        sink.error(fmt::format("The command failed: {}", failure.what()));
    } catch (...) {
        sink.error("The command failed for a reason that is not known.");
    }
    sink.flush();
}

} // namespace saker::host
