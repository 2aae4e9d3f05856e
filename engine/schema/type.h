// How a member's C++ type is read, written, compared and described, without templates: one object a type,
// reached through typeOf<T>() of type_of.h. Everything derived from options structs walks these.
#pragma once

#include "schema/decoder.h"
#include "schema/node.h"
#include "schema/quantity.h"
#include "schema/types.h"

#include <functional>
#include <optional>
#include <span>
#include <string>

namespace saker::schema {

enum class Kind : std::uint8_t {
    boolean,
    integer,
    number,
    text,
    choice,   ///< one of choices()
    duration, ///< schema::Duration
    list,     ///< of element()
    map,      ///< object with free keys and values of element()
    object,   ///< a struct with a description()
    nullable, ///< null or element()
    isolated, ///< element(), see schema::Isolated
};

/// What a field says about its values beyond their type. For lists and maps it is about the elements.
struct Limits {
    std::optional<double> min;
    std::optional<double> max;
    Unit unit = Unit::none;
    bool choiceNumbers = false; ///< a choice may be given by its number
};

/// Called by Type::visit for the parts of a value. Each function may be empty.
struct Visitor {
    std::function<void(std::string&)> text;
    std::function<void(const Description&, void*)> object;
};

class Type {
public:
    virtual ~Type() = default;

    virtual Kind kind() const = 0;
    /// "a whole number from 1 to 65535": completes "expected …" and describes the type in the reference.
    virtual std::string expectation(const Limits& limits) const = 0;
    /// Reads a value; what is wrong goes to the decoder and leaves the value as it is.
    virtual void decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const = 0;
    virtual Node encode(const void* value, const Limits& limits) const = 0;
    virtual bool equal(const void* a, const void* b) const = 0;
    /// Calls the visitor for the value itself if it is a text or an object, else for what it contains, one
    /// level.
    virtual void visit(void* value, const Visitor& visitor) const;

    virtual const Type* element() const { return nullptr; }
    virtual const Description* description() const { return nullptr; }
    virtual std::span<const Choice> choices() const { return {}; }

protected:
    /// "expected a whole number, found the text …".
    void mismatch(Decoder& decoder, const Node& node, const Limits& limits, std::string_view hint = {}) const;
};

/// A whole number as JSON writes it ("5", also "5.0" and "1e3"), or as a size when the unit is bytes. Nothing
/// when it is something else or does not fit 64 bits.
struct WholeNumber {
    bool negative = false;
    std::uint64_t magnitude = 0;
};
std::optional<WholeNumber> wholeNumber(const Node& node, Unit unit);

/// "from 1 to 10", "at least 1", "" and so on.
std::string rangeText(const Limits& limits);
/// Reports a number outside the limits; true when it is inside.
bool withinLimits(Decoder& decoder, const Node& node, double number, const Limits& limits);
std::string choiceExpectation(std::span<const Choice> choices, bool numbers);
/// The choice a node names, or nothing after having reported it.
std::optional<std::int64_t> decodeChoice(Decoder& decoder, const Node& node, std::span<const Choice> choices,
                                         bool numbers);
Node encodeChoice(std::int64_t value, std::span<const Choice> choices);

class BooleanType final : public Type {
public:
    Kind kind() const override { return Kind::boolean; }
    std::string expectation(const Limits&) const override { return "true or false"; }
    void decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const override;
    Node encode(const void* value, const Limits& limits) const override;
    bool equal(const void* a, const void* b) const override;
};

class NumberType final : public Type {
public:
    Kind kind() const override { return Kind::number; }
    std::string expectation(const Limits& limits) const override;
    void decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const override;
    Node encode(const void* value, const Limits& limits) const override;
    bool equal(const void* a, const void* b) const override;
};

class TextType final : public Type {
public:
    Kind kind() const override { return Kind::text; }
    std::string expectation(const Limits&) const override { return "a text"; }
    void decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const override;
    Node encode(const void* value, const Limits& limits) const override;
    bool equal(const void* a, const void* b) const override;
    void visit(void* value, const Visitor& visitor) const override;
};

class DurationType final : public Type {
public:
    Kind kind() const override { return Kind::duration; }
    std::string expectation(const Limits& limits) const override;
    void decode(Decoder& decoder, const Node& node, void* value, const Limits& limits) const override;
    Node encode(const void* value, const Limits& limits) const override;
    bool equal(const void* a, const void* b) const override;
};

} // namespace saker::schema
