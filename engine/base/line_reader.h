// Bytes in any portions in, lines out. For input typed by people or said by programs: a line has a limit, and
// what is beyond is dropped up to the next line end, so that garbage without line ends cannot fill the
// memory.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace saker {

class LineReader {
public:
    /// `line` gets each line without its end (LF or CR LF); `tooLong` is called once for one beyond the
    /// limit.
    LineReader(std::size_t limit, std::function<void(std::string_view)> line, std::function<void()> tooLong)
        : limit_(limit), line_(std::move(line)), tooLong_(std::move(tooLong)) {}

    void feed(std::string_view bytes);
    /// The input has ended: a last line without line end counts too.
    void finish();

private:
    void append(std::string_view part);
    void endLine();

    std::size_t limit_;
    std::function<void(std::string_view)> line_;
    std::function<void()> tooLong_;
    std::string pending_;
    bool dropping_ = false;
};

} // namespace saker
