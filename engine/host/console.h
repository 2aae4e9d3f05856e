// The console on standard input: reads lines on a thread of its own and has them carried out, one after the
// other. The end of the input ends the console, never the server.
#pragma once

#include "control/server/output.h"
#include "host/console_device.h"

#include <functional>
#include <memory>
#include <string_view>
#include <thread>

namespace saker::host {

class Console {
public:
    /// Carries one line out; called on the console's thread. It may take long and may throw.
    using Execute = std::function<void(std::string_view line, control::Output& output)>;

    Console(std::unique_ptr<ConsoleDevice> device, Execute execute);
    /// Stops.
    ~Console();
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    /// Starts reading. Once.
    void start();
    /// Ends the waits and the output of a command under way, and waits for it to return.
    void stop();

private:
    class Sink;
    void run();
    void carryOut(std::string_view line, Sink& sink);

    std::unique_ptr<ConsoleDevice> device_;
    Execute execute_;
    std::thread thread_;
};

} // namespace saker::host
