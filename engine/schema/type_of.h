// From a C++ type to its schema::Type. Included where options are described (the .cpp files beside the
// structs).
#pragma once

#include "schema/description.h"
#include "schema/type.h"

#include <limits>
#include <type_traits>

namespace saker::schema {

template <class T>
const Type& typeOf();

namespace detail {

template <class T>
concept Described = requires {
    T::fields();
};
template <class T>
concept Enumeration = std::is_enum_v<T>;
template <class T>
concept Whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;

template <Whole T>
class IntegerType final : public Type {
public:
    Kind kind() const override { return Kind::integer; }
    std::string expectation(const Limits& limits) const override {
        if (limits.unit == Unit::bytes) {
            return "a number of bytes" + rangeText(limits) + " or a text such as \"512KiB\" or \"8GB\"";
        }
        return "a whole number" + rangeText(bounded(limits));
    }
    void decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const override {
        auto number = wholeNumber(node, limits.unit);
        if (!number) {
            mismatch(decoder, node, limits,
                     node.isString() && parseNumber(node.text) ? "write it without quotes" : "");
            return;
        }
        double magnitude = static_cast<double>(number->magnitude);
        if (!withinLimits(decoder, node, number->negative ? -magnitude : magnitude, bounded(limits))) {
            return;
        }
        auto limit = static_cast<std::uint64_t>(std::numeric_limits<T>::max()) + (number->negative ? 1 : 0);
        if (number->magnitude > limit) { // a double cannot tell 2^64 - 1 from 2^64
            mismatch(decoder, node, limits);
            return;
        }
        auto whole = static_cast<T>(number->magnitude);
        *static_cast<T*>(value) = number->negative ? static_cast<T>(0 - whole) : whole;
    }
    Node encode(const void* value, const Limits&) const override {
        using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
        return Node::of(static_cast<Wide>(*static_cast<const T*>(value)));
    }
    bool equal(const void* a, const void* b) const override {
        return *static_cast<const T*>(a) == *static_cast<const T*>(b);
    }

private:
    /// The field's limits and the type's. The largest 64-bit values are left out of texts: they help nobody.
    static Limits bounded(Limits limits) {
        if (!limits.min) {
            limits.min = static_cast<double>(std::numeric_limits<T>::min());
        }
        if (!limits.max && sizeof(T) < 8) {
            limits.max = static_cast<double>(std::numeric_limits<T>::max());
        }
        return limits;
    }
};

template <Enumeration T>
class ChoiceType final : public Type {
public:
    Kind kind() const override { return Kind::choice; }
    std::string expectation(const Limits& limits) const override {
        return choiceExpectation(choices(), limits.choiceNumbers);
    }
    void decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const override {
        if (auto choice = decodeChoice(decoder, node, choices(), limits.choiceNumbers)) {
            *static_cast<T*>(value) = static_cast<T>(*choice);
        }
    }
    Node encode(const void* value, const Limits&) const override {
        return encodeChoice(static_cast<std::int64_t>(*static_cast<const T*>(value)), choices());
    }
    bool equal(const void* a, const void* b) const override {
        return *static_cast<const T*>(a) == *static_cast<const T*>(b);
    }
    std::span<const Choice> choices() const override { return schemaChoices(T{}); }
};

template <class T>
class ListType final : public Type {
public:
    Kind kind() const override { return Kind::list; }
    std::string expectation(const Limits& limits) const override {
        return "a list, each entry " + element()->expectation(limits);
    }
    void decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const override {
        if (!node.isArray()) {
            mismatch(decoder, node, limits, "a list is written in brackets: [ … ]");
            return;
        }
        std::vector<T> list;
        list.reserve(node.items.size());
        for (std::size_t i = 0; i < node.items.size(); ++i) {
            Decoder::Step step(decoder, std::to_string(i));
            element()->decode(decoder, node.items[i], &list.emplace_back(), limits);
        }
        *static_cast<std::vector<T>*>(value) = std::move(list);
    }
    Node encode(const void* value, const Limits& limits) const override {
        Node node = Node::array();
        for (const T& item : *static_cast<const std::vector<T>*>(value)) {
            node.items.push_back(element()->encode(&item, limits));
        }
        return node;
    }
    bool equal(const void* a, const void* b) const override {
        return *static_cast<const std::vector<T>*>(a) == *static_cast<const std::vector<T>*>(b);
    }
    void visit(void* value, const Visitor& visitor) const override {
        for (T& item : *static_cast<std::vector<T>*>(value)) {
            element()->visit(&item, visitor);
        }
    }
    const Type* element() const override { return &typeOf<T>(); }
};

template <class T>
class MapType final : public Type {
public:
    Kind kind() const override { return Kind::map; }
    std::string expectation(const Limits& limits) const override {
        return "an object, each value " + element()->expectation(limits);
    }
    void decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const override {
        if (!node.isObject()) {
            mismatch(decoder, node, limits);
            return;
        }
        OrderedMap<T> map;
        for (const Node::Member* member : lastOfEachKey(decoder, node)) {
            Decoder::Step step(decoder, member->key);
            element()->decode(decoder, member->value, &map.emplace_back(member->key, T{}).second, limits);
        }
        *static_cast<OrderedMap<T>*>(value) = std::move(map);
    }
    Node encode(const void* value, const Limits& limits) const override {
        Node node = Node::object();
        for (const auto& [key, item] : *static_cast<const OrderedMap<T>*>(value)) {
            node.add(key, element()->encode(&item, limits));
        }
        return node;
    }
    bool equal(const void* a, const void* b) const override {
        return *static_cast<const OrderedMap<T>*>(a) == *static_cast<const OrderedMap<T>*>(b);
    }
    void visit(void* value, const Visitor& visitor) const override {
        for (auto& entry : *static_cast<OrderedMap<T>*>(value)) {
            element()->visit(&entry.second, visitor);
        }
    }
    const Type* element() const override { return &typeOf<T>(); }
};

template <class T>
class NullableType final : public Type {
public:
    Kind kind() const override { return Kind::nullable; }
    std::string expectation(const Limits& limits) const override {
        return element()->expectation(limits) + ", or null";
    }
    void decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const override {
        auto& optional = *static_cast<std::optional<T>*>(value);
        if (node.isNull()) {
            optional.reset();
            return;
        }
        T inner{};
        std::size_t errors = decoder.errorCount();
        element()->decode(decoder, node, &inner, limits);
        if (decoder.errorCount() == errors) {
            optional = std::move(inner);
        }
    }
    Node encode(const void* value, const Limits& limits) const override {
        const auto& optional = *static_cast<const std::optional<T>*>(value);
        return optional ? element()->encode(&*optional, limits) : Node();
    }
    bool equal(const void* a, const void* b) const override {
        return *static_cast<const std::optional<T>*>(a) == *static_cast<const std::optional<T>*>(b);
    }
    void visit(void* value, const Visitor& visitor) const override {
        auto& optional = *static_cast<std::optional<T>*>(value);
        if (optional) {
            element()->visit(&*optional, visitor);
        }
    }
    const Type* element() const override { return &typeOf<T>(); }
};

template <class T>
class IsolatedType final : public Type {
public:
    Kind kind() const override { return Kind::isolated; }
    std::string expectation(const Limits& limits) const override { return element()->expectation(limits); }
    void decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const override {
        auto& isolated = *static_cast<Isolated<T>*>(value);
        isolated = {};
        T inner{};
        Decoder::Isolation isolation(decoder, isolated.problems);
        element()->decode(decoder, node, &inner, limits);
        if (decoder.errorCount() == 0) {
            isolated.value = std::move(inner);
        }
    }
    Node encode(const void* value, const Limits& limits) const override {
        const auto& isolated = *static_cast<const Isolated<T>*>(value);
        return isolated.value ? element()->encode(&*isolated.value, limits) : Node();
    }
    bool equal(const void* a, const void* b) const override {
        return *static_cast<const Isolated<T>*>(a) == *static_cast<const Isolated<T>*>(b);
    }
    void visit(void* value, const Visitor& visitor) const override {
        auto& isolated = *static_cast<Isolated<T>*>(value);
        if (isolated.value) {
            element()->visit(&*isolated.value, visitor);
        }
    }
    const Type* element() const override { return &typeOf<T>(); }
};

template <Described T>
class ObjectType final : public Type {
public:
    Kind kind() const override { return Kind::object; }
    std::string expectation(const Limits&) const override { return T::fields().expectation(); }
    void decode(Decoder& decoder, const Node& node, void* value, const Limits&) const override {
        T::fields().decode(decoder, node, value);
    }
    Node encode(const void* value, const Limits&) const override { return T::fields().encode(value); }
    bool equal(const void* a, const void* b) const override {
        return *static_cast<const T*>(a) == *static_cast<const T*>(b);
    }
    void visit(void* value, const Visitor& visitor) const override {
        if (visitor.object) {
            visitor.object(T::fields(), value);
        }
    }
    const Description* description() const override { return &T::fields(); }
};

template <class T>
struct TypeFor;
template <>
struct TypeFor<bool> : std::type_identity<BooleanType> {};
template <>
struct TypeFor<double> : std::type_identity<NumberType> {};
template <>
struct TypeFor<std::string> : std::type_identity<TextType> {};
template <>
struct TypeFor<Duration> : std::type_identity<DurationType> {};
template <Whole T>
struct TypeFor<T> : std::type_identity<IntegerType<T>> {};
template <Enumeration T>
struct TypeFor<T> : std::type_identity<ChoiceType<T>> {};
template <Described T>
struct TypeFor<T> : std::type_identity<ObjectType<T>> {};
template <class T>
struct TypeFor<std::vector<T>> : std::type_identity<ListType<T>> {};
template <class T>
struct TypeFor<OrderedMap<T>> : std::type_identity<MapType<T>> {};
template <class T>
struct TypeFor<std::optional<T>> : std::type_identity<NullableType<T>> {};
template <class T>
struct TypeFor<Isolated<T>> : std::type_identity<IsolatedType<T>> {};

/// How far a member is from the start of its struct. A live object answers that; the compiler's offsetof does
/// not for structs with non-trivial members.
template <class T, class M>
std::size_t offsetIn(M T::*member) {
    static const T kProbe{};
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&(kProbe.*member)) -
                                    reinterpret_cast<const char*>(&kProbe));
}

} // namespace detail

template <class T>
const Type& typeOf() {
    static const typename detail::TypeFor<T>::type kType;
    return kType;
}

/// One line of a fields() function: the key as the file spells it, a label of a few words, the member.
template <class T, class M>
Field field(std::string_view key, std::string_view label, M T::*member) {
    return Field(key, label, typeOf<M>(), detail::offsetIn(member));
}

/// The description of a struct whose keys belong to the group; T's own check(Checker&), if it has one, runs
/// after decoding.
template <class T>
Description describe(std::string_view group, std::vector<Field> fields) {
    Description description(group, std::move(fields),
                            [] { return std::shared_ptr<void>(std::make_shared<T>()); });
    if constexpr (requires(const T& value, Checker& checker) { value.check(checker); }) {
        description.addCheck(
            0, [](const void* value, Checker& checker) { static_cast<const T*>(value)->check(checker); });
    }
    return description;
}

/// Takes the fields of a member struct into the description as if they were the outer struct's own.
template <class T, class M>
void takeIn(Description& description, M T::*member) {
    description.takeIn(M::fields(), detail::offsetIn(member));
}

} // namespace saker::schema
