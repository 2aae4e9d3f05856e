// A console device that a test types into and reads from.
#pragma once

#include "host/console_device.h"

#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>

namespace saker::host {

/// What both sides of a ScriptedDevice share; outlives the device, which a console owns.
struct Script {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::string> input; ///< one portion per read
    bool ended = false;            ///< no more input after what is there
    bool interrupted = false;
    bool interactive = false;
    std::string output;

    void type(std::string text) {
        std::lock_guard lock(mutex);
        input.push_back(std::move(text));
        changed.notify_all();
    }
    void end() {
        std::lock_guard lock(mutex);
        ended = true;
        changed.notify_all();
    }
    /// Waits until the output holds the text; the test's time limit ends a wait in vain.
    void awaitOutput(const std::string& text) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return output.find(text) != std::string::npos; });
    }
    std::string written() {
        std::lock_guard lock(mutex);
        return output;
    }
};

class ScriptedDevice final : public ConsoleDevice {
public:
    explicit ScriptedDevice(std::shared_ptr<Script> script) : script_(std::move(script)) {}

    std::size_t read(std::span<char> buffer) override {
        std::unique_lock lock(script_->mutex);
        script_->changed.wait(
            lock, [this] { return script_->interrupted || script_->ended || !script_->input.empty(); });
        if (script_->interrupted || script_->input.empty()) {
            return 0;
        }
        std::string& portion = script_->input.front();
        std::size_t size = std::min(buffer.size(), portion.size());
        std::memcpy(buffer.data(), portion.data(), size);
        portion.erase(0, size);
        if (portion.empty()) {
            script_->input.pop_front();
        }
        return size;
    }
    bool write(std::string_view bytes) override {
        std::lock_guard lock(script_->mutex);
        script_->output += bytes;
        script_->changed.notify_all();
        return !script_->interrupted;
    }
    void interrupt() override {
        std::lock_guard lock(script_->mutex);
        script_->interrupted = true;
        script_->changed.notify_all();
    }
    bool isInteractive() const override { return script_->interactive; }

private:
    std::shared_ptr<Script> script_;
};

} // namespace saker::host
