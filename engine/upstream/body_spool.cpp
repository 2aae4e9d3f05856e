#include "upstream/body_spool.h"

namespace saker::upstream {

Result<void> BodySpool::append(std::string_view bytes) {
    if (!file_ && memory_.size() + bytes.size() <= options_.memory) {
        memory_ += bytes;
        return {};
    }
    if (!file_) {
        auto made = os::TemporaryFile::create(options_.folder);
        if (!made) {
            return made.error();
        }
        file_ = std::move(*made);
        if (auto moved = file_->append(memory_); !moved) {
            return moved;
        }
        std::string().swap(memory_);
    }
    return file_->append(bytes);
}

void BodySpool::read(BufferChain& out) const {
    if (file_) {
        out.appendFile(file_->handle(), 0, file_->size());
    } else {
        out.append(std::string(memory_));
    }
}

} // namespace saker::upstream
