#include "schema/decoder.h"

#include "base/text.h"
#include "schema/pointer.h"

#include <optional>

namespace saker::schema {

void Decoder::report(Problem::Severity severity, std::uint32_t offset, std::string& message) {
    bool isError = severity == Problem::Severity::error;
    errors_ += isError ? 1 : 0;
    if (full()) {
        return;
    }
    if (++count_ == kMaxProblems) {
        message += " (There may be more problems; they are not listed.)";
    }
    Position place = document_.position(offset);
    Problems& target = isError && errorsOnly_ ? *errorsOnly_ : *problems_;
    target.push_back(Problem{severity, pointer_, place.line, place.column, std::move(message)});
}

Decoder::Step::Step(Decoder& decoder, std::string_view token)
    : decoder_(decoder), length_(decoder.pointer_.size()) {
    decoder.pointer_ = joinPointer(decoder.pointer_, token);
}

Decoder::Isolation::Isolation(Decoder& decoder, Problems& errors)
    : decoder_(decoder), outer_(decoder.errorsOnly_), errors_(decoder.errors_) {
    decoder.errorsOnly_ = &errors;
    decoder.errors_ = 0;
}

Decoder::Isolation::~Isolation() {
    decoder_.errorsOnly_ = outer_;
    decoder_.errors_ = errors_;
}

void Checker::report(Problem::Severity severity, Path path, std::string message) {
    const Node* node = &object_;
    std::optional<Decoder::Step> steps[8]; // undone in reverse order
    std::size_t depth = 0;
    for (std::string_view token : path) {
        if (depth < std::size(steps)) {
            steps[depth++].emplace(decoder_, token);
        }
        const Node* next = nullptr;
        if (node->isObject()) {
            const Node::Member* member = node->find(token);
            next = member ? &member->value : nullptr;
        } else if (node->isArray()) {
            auto index = parseDecimal(token);
            next = index && *index < node->items.size() ? &node->items[*index] : nullptr;
        }
        node = next ? next : node; // a default value is not in the text: the nearest place that is
    }
    decoder_.report(severity, node->begin, message);
}

} // namespace saker::schema
