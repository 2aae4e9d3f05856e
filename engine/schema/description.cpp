#include "schema/description.h"

#include "base/edit_distance.h"
#include "base/text.h"

#include <fmt/format.h>

#include <cassert>

namespace saker::schema {

namespace {

/// Editors look for this key at the top to find the JSON Schema; it is nobody's setting.
constexpr std::string_view kSchemaKey = "$schema";
constexpr std::size_t kLongestGuessedKey = 64;

} // namespace

std::string_view applyName(Apply apply) {
    switch (apply) {
    case Apply::live:
        return "live";
    case Apply::newConnections:
        return "new_connections";
    case Apply::restart:
        return "restart";
    }
    return {};
}

Description::Description(std::string_view group, std::vector<Field> fields, Make make)
    : fields_(std::move(fields)), make_(std::move(make)) {
    for (Field& field : fields_) {
        if (field.group.empty()) {
            field.group = group;
        }
        if (field.type->kind() == Kind::duration && field.limits.unit == Unit::none) {
            field.limits.unit = Unit::seconds;
        }
    }
    index();
}

void Description::index() {
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        byKey_.emplace(toLowerAscii(fields_[i].key), i);
    }
    assert(byKey_.size() == fields_.size()); // every key is declared once
}

const Field* Description::find(std::string_view key) const {
    auto found = byKey_.find(toLowerAscii(key));
    return found == byKey_.end() ? nullptr : &fields_[found->second];
}

std::string Description::expectation() const {
    return shorthand() ? fmt::format("a text (its {}) or an object", shorthand()->key) : "an object";
}

void Description::takeIn(const Description& inner, std::size_t offset) {
    for (Field field : inner.fields_) {
        field.offset += offset;
        fields_.push_back(field);
    }
    for (const PlacedCheck& check : inner.checks_) {
        checks_.push_back({check.offset + offset, check.run});
    }
    byKey_.clear();
    index();
}

void Description::setShorthand(std::string_view key) {
    const Field* field = find(key);
    assert(field && field->type->kind() == Kind::text);
    shorthand_ = static_cast<std::size_t>(field - fields_.data());
}

void Description::decode(Decoder& decoder, const Node& node, void* object) const {
    if (node.isString() && shorthand()) {
        const Field& field = *shorthand();
        field.type->decode(decoder, node, field.in(object), field.limits);
        return;
    }
    if (!node.isObject()) {
        decoder.error(node, fmt::format("expected {}, found {}", expectation(), node.describe()));
        return;
    }
    std::size_t errors = decoder.errorCount();
    std::vector<const Node::Member*> given(fields_.size(), nullptr);
    for (const Node::Member& member : node.members) {
        const Field* field = find(member.key);
        if (!field) {
            if (!decoder.full() && member.key != kSchemaKey) {
                std::vector<std::string_view> keys;
                for (const Field& known : fields_) {
                    keys.push_back(known.key);
                }
                decoder.warning(
                    member.keyBegin,
                    fmt::format("the key \"{}\" is not known and is ignored.{}",
                                escapeControl(std::string_view(member.key).substr(0, kLongestGuessedKey)),
                                member.key.size() <= kLongestGuessedKey ? didYouMean(member.key, keys) : ""));
            }
            continue;
        }
        const Node::Member*& place = given[static_cast<std::size_t>(field - fields_.data())];
        if (place) {
            decoder.warning(place->keyBegin,
                            fmt::format("the key \"{}\" is given again in line {}; only the last one counts",
                                        field->key, decoder.document().position(member.keyBegin).line));
        }
        place = &member;
    }
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        if (given[i]) {
            Decoder::Step step(decoder, fields_[i].key);
            fields_[i].type->decode(decoder, given[i]->value, fields_[i].in(object), fields_[i].limits);
        }
    }
    if (decoder.errorCount() == errors) {
        for (const PlacedCheck& check : checks_) {
            Checker checker(decoder, node);
            check.run(static_cast<const char*>(object) + check.offset, checker);
        }
    }
}

Node Description::encode(const void* object) const {
    Node node = Node::object();
    for (const Field& field : fields_) {
        node.add(field.key, field.type->encode(field.in(object), field.limits));
    }
    return node;
}

Node Description::encodeChanged(const void* object) const {
    auto standard = defaults();
    Node node = Node::object();
    for (const Field& field : fields_) {
        if (!field.type->equal(field.in(object), field.in(standard.get()))) {
            node.add(field.key, field.type->encode(field.in(object), field.limits));
        }
    }
    return node;
}

std::vector<const Node::Member*> lastOfEachKey(Decoder& decoder, const Node& object) {
    std::unordered_map<std::string_view, std::size_t> places;
    std::vector<const Node::Member*> last;
    for (const Node::Member& member : object.members) {
        auto [place, fresh] = places.try_emplace(member.key, last.size());
        if (fresh) {
            last.push_back(&member);
            continue;
        }
        if (!decoder.full()) {
            decoder.warning(last[place->second]->keyBegin,
                            fmt::format("the key {} is given again in line {}; only the last one counts",
                                        jsonString(member.key),
                                        decoder.document().position(member.keyBegin).line));
        }
        last[place->second] = &member;
    }
    return last;
}

std::vector<Change> diff(const Description& description, const void* before, const void* after) {
    std::vector<Change> changes;
    for (const Field& field : description.fields()) {
        if (!field.type->equal(field.in(before), field.in(after))) {
            changes.push_back(Change{std::string(field.key), field.apply});
        }
    }
    return changes;
}

Problems decode(const Document& document, const Description& description, void* object) {
    Problems problems;
    Decoder decoder(document, problems);
    description.decode(decoder, document.root(), object);
    return problems;
}

} // namespace saker::schema
