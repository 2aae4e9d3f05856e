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
    std::uint64_t sum = 0;
    for (const Form& form : forms_) {
        sum += form.block ? form.block->bytes.capacity() : 0;
    }
    return sum;
}

const PreparedResponse::Form& PreparedResponse::refresh(ConnectionField connection, const DateCache& date) {
    Form& form = forms_[static_cast<std::size_t>(connection)];
    if (form.block && form.second == date.seconds()) {
        return form;
    }
    form.second = date.seconds();
    if (form.block && !form.block->isShared()) { // nobody is sending it: patch it in place
        std::memcpy(form.block->bytes.data() + form.dateOffset, date.text().data(), date.text().size());
        return form;
    }
    const bool inlineBody =
        body_.bytes.size() <= (connection == ConnectionField::none ? kInlineBody : kInlineBodyOfRareForm);
    auto block = makeRef<Block>();
    std::string& out = block->bytes;
    out.reserve(512 + (inlineBody ? body_.bytes.size() : 0));
    appendStatusLine(head_.status, out);
    out += "Date: ";
    form.dateOffset = static_cast<std::uint32_t>(out.size());
    out += date.text();
    out += "\r\n";
    for (const ResponseHead::Field& field : head_.fields) {
        appendField(field.name, field.value, out);
    }
    if (connection != ConnectionField::none) {
        appendConnection(connection == ConnectionField::keepAlive, 0, out);
    }
    out += "\r\n";
    form.headSize = static_cast<std::uint32_t>(out.size());
    if (inlineBody) {
        out += body_.bytes;
    }
    form.block = std::move(block);
    return form;
}

std::uint64_t PreparedResponse::appendHttp1(BufferChain& chain, const DateCache& date,
                                            ConnectionField connection, bool withBody,
                                            const Ref<StringBlock>& strictTransport) {
    const Form& form = refresh(connection, date);
    const std::uint64_t before = chain.size();
    const std::string_view all = form.block->bytes;
    if (!strictTransport) {
        chain.append(withBody ? all : all.substr(0, form.headSize), form.block);
    } else { // before the empty line
        chain.append(all.substr(0, form.headSize - 2), form.block);
        chain.appendStatic("Strict-Transport-Security: ");
        chain.append(strictTransport->text, strictTransport);
        chain.appendStatic("\r\n\r\n");
        if (withBody) {
            chain.append(all.substr(form.headSize), form.block);
        }
    }
    if (withBody) {
        if (body_.file) {
            chain.appendFile(body_.file, body_.offset, body_.size);
        } else if (all.size() == form.headSize && !body_.bytes.empty()) { // too long for the block
            chain.append(body_.bytes, makeRef<ResponseKeeper>(body_.keeper));
        }
    }
    return chain.size() - before;
}

} // namespace saker::http
