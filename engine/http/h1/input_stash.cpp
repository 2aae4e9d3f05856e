#include "http/h1/input_stash.h"

namespace saker::http {

namespace {

// Bytes of later requests that are kept while an exchange is under way.
constexpr std::size_t kMaxStash = 64 * 1024;

} // namespace

void InputStash::append(std::string_view bytes) {
    if (!bytes_) {
        bytes_ = std::make_unique<std::string>();
    }
    bytes_->append(bytes);
}

bool InputStash::isFull() const {
    return bytes_ && bytes_->size() >= kMaxStash;
}

void InputStash::pauseIfFull() {
    if (isFull() && !isPaused_) {
        isPaused_ = true;
        transport_.pauseReading();
    }
}

void InputStash::resumeIfRoom() {
    if (isPaused_ && !isFull()) {
        isPaused_ = false;
        transport_.resumeReading();
    }
}

} // namespace saker::http
