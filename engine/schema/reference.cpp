#include "schema/reference.h"

#include <fmt/format.h>

#include <algorithm>

namespace saker::schema {

namespace {

std::string_view applySentence(Apply apply) {
    switch (apply) {
    case Apply::live:
        return "with the next reload";
    case Apply::newConnections:
        return "with the next reload, for new connections";
    case Apply::restart:
        return "with a restart";
    }
    return {};
}

/// The type of the values under lists, maps and so on: what choices and nested settings hang on.
const Type& innermost(const Type& type) {
    const Type* inner = &type;
    while (inner->element()) {
        inner = inner->element();
    }
    return *inner;
}

std::string valueText(const Field& field, const Description& description) {
    auto standard = description.defaults();
    std::string text = toText(field.type->encode(field.in(standard.get()), field.limits), Layout::pretty);
    return text.find('\n') == std::string::npos ? "`" + text + "`" : "\n\n```json\n" + text + "\n```";
}

std::string typeText(const Field& field) {
    std::string text = field.type->expectation(field.limits);
    return field.keyName.empty() ? text : fmt::format("{}; the keys: {}", text, field.keyName);
}

/// The comment of a key in the default file: its note, else what its help begins with.
std::string commentOf(const Field& field) {
    if (!field.note.empty()) {
        return std::string(field.note);
    }
    std::string comment(field.help.empty() ? field.label : field.help.substr(0, field.help.find(". ")));
    if (comment.back() == '.') {
        comment.pop_back();
    }
    for (const Choice& choice : field.type->choices()) {
        comment += &choice == &field.type->choices().front() ? ": " : ", ";
        comment += jsonString(choice.name);
    }
    return comment;
}

void addChoices(std::string& out, const Field& field) {
    for (const Choice& choice : innermost(*field.type).choices()) {
        out +=
            fmt::format("  - `{}`{}: {}\n", jsonString(choice.name),
                        field.limits.choiceNumbers ? fmt::format(" or `{}`", choice.value) : "", choice.help);
    }
}

void addNested(std::string& out, const Field& field) {
    const Description* nested = innermost(*field.type).description();
    if (!nested) {
        return;
    }
    out += "\n| key | value | default | meaning |\n|---|---|---|---|\n";
    for (const Field& inner : nested->fields()) {
        auto standard = nested->defaults();
        out += fmt::format("| `{}` | {} | `{}` | {} |\n", inner.key, inner.type->expectation(inner.limits),
                           toText(inner.type->encode(inner.in(standard.get()), inner.limits)), inner.help);
    }
    for (const Field& inner : nested->fields()) { // other objects have tables where they are settings of all
        if (inner.type->kind() == Kind::list && innermost(*inner.type).description() != nullptr) {
            out += fmt::format("\nEach entry of `{}`:\n", inner.key);
            addNested(out, inner);
        }
    }
}

} // namespace

std::string explain(const Field& field, const Description& description) {
    std::string out = fmt::format("### {}\n\n{}. {}\n\n", field.key, field.label, field.help);
    if (field.notYet) {
        out += "**This version accepts the key but does not use it yet.**\n\n";
    }
    out += fmt::format("- value: {}\n", typeText(field));
    addChoices(out, field);
    out += fmt::format("- takes effect: {}{}\n", applySentence(field.apply),
                       field.advanced ? "; for experts" : "");
    out += fmt::format("- default: {}\n", valueText(field, description));
    addNested(out, field);
    return out;
}

std::string referencePage(const Description& description, std::string_view head) {
    std::vector<std::string_view> groups;
    for (const Field& field : description.fields()) {
        if (std::find(groups.begin(), groups.end(), field.group) == groups.end()) {
            groups.push_back(field.group);
        }
    }
    std::string out(head);
    for (std::string_view group : groups) {
        out += fmt::format("\n## {}\n", group);
        for (const Field& field : description.fields()) {
            if (field.group == group) {
                out += "\n" + explain(field, description);
            }
        }
    }
    return out;
}

std::string defaultFile(const Description& description, std::span<const std::string_view> first,
                        std::string_view head) {
    std::vector<const Field*> order;
    for (std::string_view key : first) {
        order.push_back(description.find(key));
    }
    for (const Field& field : description.fields()) {
        if (std::find(order.begin(), order.end(), &field) == order.end()) {
            order.push_back(&field);
        }
    }
    auto standard = description.defaults();
    std::string out(head);
    out += "{\n";
    for (const Field* field : order) {
        std::string value =
            toText(field->type->encode(field->in(standard.get()), field->limits), Layout::pretty, 1);
        std::string comment = " // " + commentOf(*field);
        value += field == order.back() ? "" : ",";
        value.insert(std::min(value.find('\n'), value.size()), comment);
        out += fmt::format("  {}: {}\n", jsonString(field->key), value);
    }
    return out + "}\n";
}

} // namespace saker::schema
