#include "http/prepared_response.h"

#include "http/h1/response_encoder.h"
#include "http/status.h"

#include <fmt/format.h>

#include <cstring>

namespace saker::http {

namespace {

class ResponseKeeper final : public RefCounted {
public:
    explicit ResponseKeeper(std::shared_ptr<const void> keeper) : keeper_(std::move(keeper)) {}

private:
    std::shared_ptr<const void> keeper_;
};

} // namespace

PreparedResponse::PreparedResponse(ResponseHead head, Body body)
    : head_(std::move(head)), body_(std::move(body)) {
    if (isBodiless(head_.status)) {
        head_.remove("Content-Length");
    } else if (!head_.has("Content-Length")) {
        head_.set("Content-Length", fmt::format_int(bodySize()).str());
    }
}

std::uint64_t PreparedResponse::memoryUse() const {
    return block_ ? block_->bytes.capacity() : 0;
}

void PreparedResponse::refresh(const DateCache& date) {
    if (block_ && second_ == date.seconds()) {
        return;
    }
    second_ = date.seconds();
    if (block_ && !block_->isShared()) { // nobody is sending it: patch it in place
        std::memcpy(block_->bytes.data() + dateOffset_, date.text().data(), date.text().size());
        return;
    }
    bool inlineBody = body_.bytes.size() <= kInlineBody;
    auto block = makeRef<Block>();
    std::string& out = block->bytes;
    out.reserve(512 + (inlineBody ? body_.bytes.size() : 0));
    appendStatusLine(head_.status, out);
    out += "Date: ";
    dateOffset_ = static_cast<std::uint32_t>(out.size());
    out += date.text();
    out += "\r\n";
    for (const ResponseHead::Field& field : head_.fields) {
        appendField(field.name, field.value, out);
    }
    out += "\r\n";
    headSize_ = static_cast<std::uint32_t>(out.size());
    if (inlineBody) {
        out += body_.bytes;
    }
    block_ = std::move(block);
}

std::uint64_t PreparedResponse::appendHttp1(BufferChain& chain, const DateCache& date,
                                            ConnectionField connection, bool withBody,
                                            const Ref<StringBlock>& strictTransport) {
    refresh(date);
    std::uint64_t before = chain.size();
    std::string_view all = block_->bytes;
    std::string_view head = all.substr(0, headSize_);
    std::string_view inlined = all.substr(headSize_);
    if (connection == ConnectionField::none && !strictTransport) {
        chain.append(withBody ? all : head, block_);
    } else {
        chain.append(head.substr(0, head.size() - 2), block_); // more fields go before the empty line
        if (strictTransport) {
            chain.appendStatic("Strict-Transport-Security: ");
            chain.append(strictTransport->text, strictTransport);
            chain.appendStatic("\r\n");
        }
        chain.appendStatic(connection == ConnectionField::none    ? "\r\n"
                           : connection == ConnectionField::close ? "Connection: close\r\n\r\n"
                                                                  : "Connection: keep-alive\r\n\r\n");
        if (withBody) {
            chain.append(inlined, block_);
        }
    }
    if (withBody) {
        if (body_.file) {
            chain.appendFile(body_.file, body_.offset, body_.size);
        } else if (body_.bytes.size() > kInlineBody) {
            chain.append(body_.bytes, makeRef<ResponseKeeper>(body_.keeper));
        }
    }
    return chain.size() - before;
}

} // namespace saker::http
