// Where the console reads and writes: standard input and output, with waits that another thread can end.
#pragma once

#include <memory>
#include <span>
#include <string_view>

namespace saker::host {

class ConsoleDevice {
public:
    virtual ~ConsoleDevice() = default;

    /// Waits for bytes. 0: the input has ended, cannot be read, or interrupt() was called.
    virtual std::size_t read(std::span<char> buffer) = 0;
    /// Waits until all is written. False: nobody reads any more, or interrupt() was called.
    virtual bool write(std::string_view bytes) = 0;
    /// Any thread: ends read() and write(), the present and all later ones.
    virtual void interrupt() = 0;
    /// A person sits there: both ends are a terminal.
    virtual bool isInteractive() const = 0;
};

/// Of this process's standard input and output, or of other descriptors (borrowed).
std::unique_ptr<ConsoleDevice> makeStandardConsoleDevice();
std::unique_ptr<ConsoleDevice> makeConsoleDevice(int input, int output);

/// Writes to standard output; gives up when nobody has taken anything for a second. What the program says
/// about itself must not keep it from ending.
void writeStandardOutput(std::string_view text);

} // namespace saker::host
