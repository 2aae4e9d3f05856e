#include "schema/json_schema.h"

namespace saker::schema {

namespace {

constexpr const char* kDurationPattern = "^ *([0-9.]+ *(ms|s|m|min|h|d) *)+$";
constexpr const char* kSizePattern = "^ *[0-9.]+ *([bB]|[kKmMgGtT]([iI]?[bB])?)? *$";

Node schemaOf(const Type& type, const Limits& limits);

Node typed(const char* name) {
    return Node::object().add("type", Node::of(name));
}

Node ranged(const char* name, const Limits& limits) {
    Node node = typed(name);
    if (limits.min) {
        node.add("minimum", Node::of(*limits.min));
    }
    if (limits.max) {
        node.add("maximum", Node::of(*limits.max));
    }
    return node;
}

Node patterned(const char* pattern) {
    Node node = typed("string");
    node.add("pattern", Node::of(pattern));
    return node;
}

Node anyOf(Node first, Node second) {
    Node choices = Node::array();
    choices.items.push_back(std::move(first));
    choices.items.push_back(std::move(second));
    Node node = Node::object();
    node.add("anyOf", std::move(choices));
    return node;
}

Node integerSchema(const Limits& limits) {
    Limits bounds = limits;
    if (!bounds.min) {
        bounds.min = 0; // no setting counts below zero
    }
    Node number = ranged("integer", bounds);
    return limits.unit == Unit::bytes ? anyOf(std::move(number), patterned(kSizePattern)) : number;
}

Node choiceSchema(const Type& type, const Limits& limits) {
    Node values = Node::array();
    for (const Choice& choice : type.choices()) {
        values.items.push_back(Node::of(choice.name));
    }
    for (const Choice& choice : type.choices()) {
        if (limits.choiceNumbers) {
            values.items.push_back(Node::of(choice.value));
        }
    }
    Node node = Node::object();
    node.add("enum", std::move(values));
    return node;
}

Node hints(const Field& field) {
    Node node = Node::object();
    node.add("group", Node::of(field.group));
    node.add("apply", Node::of(applyName(field.apply)));
    if (field.advanced) {
        node.add("advanced", Node::of(true));
    }
    if (field.notYet) {
        node.add("notYet", Node::of(true));
    }
    if (field.widget != Widget::automatic) {
        node.add("widget", Node::of(field.widget == Widget::file     ? "file"
                                    : field.widget == Widget::folder ? "folder"
                                                                     : "secret"));
    }
    if (!field.keyName.empty()) {
        node.add("keyName", Node::of(field.keyName));
    }
    return node;
}

Node objectSchema(const Description& description) {
    auto standard = description.defaults();
    Node properties = Node::object();
    for (const Field& field : description.fields()) {
        Node property = Node::object();
        property.add("title", Node::of(field.label));
        property.add("description", Node::of(field.help));
        for (Node::Member& member : schemaOf(*field.type, field.limits).members) {
            property.members.push_back(std::move(member));
        }
        property.add("default", field.type->encode(field.in(standard.get()), field.limits));
        property.add("x-saker", hints(field));
        properties.add(field.key, std::move(property));
    }
    Node node = typed("object");
    node.add("properties", std::move(properties));
    return description.shorthand() ? anyOf(typed("string"), std::move(node)) : node;
}

Node schemaOf(const Type& type, const Limits& limits) {
    switch (type.kind()) {
    case Kind::boolean:
        return typed("boolean");
    case Kind::integer:
        return integerSchema(limits);
    case Kind::number:
        return ranged("number", limits);
    case Kind::text:
        return typed("string");
    case Kind::choice:
        return choiceSchema(type, limits);
    case Kind::duration:
        return anyOf(ranged("number", limits), patterned(kDurationPattern));
    case Kind::list: {
        Node node = typed("array");
        node.add("items", schemaOf(*type.element(), limits));
        return node;
    }
    case Kind::map: {
        Node node = typed("object");
        node.add("additionalProperties", schemaOf(*type.element(), limits));
        return node;
    }
    case Kind::object:
        return objectSchema(*type.description());
    case Kind::nullable:
        return anyOf(schemaOf(*type.element(), limits), typed("null"));
    case Kind::isolated:
        return schemaOf(*type.element(), limits);
    }
    return Node::object();
}

} // namespace

Node jsonSchema(const Description& description, std::string_view title) {
    Node node = Node::object();
    node.add("$schema", Node::of("https://json-schema.org/draft/2020-12/schema"));
    node.add("title", Node::of(title));
    for (Node::Member& member : objectSchema(description).members) {
        node.members.push_back(std::move(member));
    }
    return node;
}

} // namespace saker::schema
