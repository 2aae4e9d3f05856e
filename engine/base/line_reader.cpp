#include "base/line_reader.h"

namespace saker {

void LineReader::feed(std::string_view bytes) {
    for (;;) {
        std::size_t end = bytes.find('\n');
        append(bytes.substr(0, end));
        if (end == std::string_view::npos) {
            return;
        }
        endLine();
        bytes.remove_prefix(end + 1);
    }
}

void LineReader::finish() {
    if (!pending_.empty()) {
        endLine();
    }
    dropping_ = false;
}

void LineReader::append(std::string_view part) {
    if (dropping_) {
        return;
    }
    if (pending_.size() + part.size() > limit_) {
        dropping_ = true;
        pending_.clear();
        tooLong_();
        return;
    }
    pending_ += part;
}

void LineReader::endLine() {
    if (dropping_) {
        dropping_ = false;
        return;
    }
    if (!pending_.empty() && pending_.back() == '\r') {
        pending_.pop_back();
    }
    // Taken out first: the callback may feed this reader no more, but it may throw.
    std::string line;
    line.swap(pending_);
    line_(line);
}

} // namespace saker
