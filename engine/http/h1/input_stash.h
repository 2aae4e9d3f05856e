// What a connection has received and cannot use yet: the beginning of a request, or requests behind one that
// is still being answered. Exists only while there is something; a full one stops the reading.
#pragma once

#include "net/transport.h"

#include <memory>
#include <string>
#include <string_view>

namespace saker::http {

class InputStash {
public:
    explicit InputStash(net::Transport& transport) : transport_(transport) {}

    bool empty() const { return !bytes_; }
    /// REQUIRES: !empty().
    std::string_view bytes() const { return *bytes_; }
    void append(std::string_view bytes);

    /// Gives the bytes to `use`, which returns how many it used; the rest is kept if `keepsRest()` says so
    /// afterwards. The stash is empty meanwhile and must not be appended to. REQUIRES: !empty().
    template <class Use, class KeepsRest>
    void consume(Use use, KeepsRest keepsRest) {
        std::unique_ptr<std::string> input = std::move(bytes_);
        const std::size_t used = use(std::string_view(*input));
        if (used < input->size() && keepsRest()) {
            input->erase(0, used);
            bytes_ = std::move(input);
        }
    }

    /// When what is kept cannot be used soon: reading stops if it is too much.
    void pauseIfFull();
    /// Reading goes on if there is room again.
    void resumeIfRoom();

private:
    bool isFull() const;

    net::Transport& transport_;
    std::unique_ptr<std::string> bytes_;
    bool isPaused_ = false;
};

} // namespace saker::http
