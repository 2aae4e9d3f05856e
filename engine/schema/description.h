// What an options struct says about itself: its fields and its own checks. Everything that reads, writes,
// compares or explains settings works from here and knows no individual one.
#pragma once

#include "schema/field.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace saker::schema {

class Description {
public:
    using Check = std::function<void(const void* object, Checker& checker)>;
    using Make = std::function<std::shared_ptr<void>()>;

    /// Built by describe<T>() of type_of.h. `make` yields an object with the defaults.
    Description(std::string_view group, std::vector<Field> fields, Make make);

    const std::vector<Field>& fields() const { return fields_; }
    /// By key, case ignored; null when there is none.
    const Field* find(std::string_view key) const;
    /// "an object" or, with a shorthand, "a text or an object".
    std::string expectation() const;
    /// The field that a plain text stands for instead of an object; null when there is none.
    const Field* shorthand() const { return shorthand_ < fields_.size() ? &fields_[shorthand_] : nullptr; }
    /// An object with the defaults in its members.
    std::shared_ptr<const void> defaults() const { return make_(); }

    /// Sets the members that the node names. Missing keys leave the member as it is, unknown ones are warned
    /// about; checks run when the types were right.
    void decode(Decoder& decoder, const Node& node, void* object) const;
    Node encode(const void* object) const;
    /// Without the members that have their default, for texts that should stay short.
    Node encodeChanged(const void* object) const;

    void addCheck(std::size_t offset, Check check) { checks_.push_back({offset, std::move(check)}); }
    /// The fields and checks of a member struct become the outer struct's own.
    void takeIn(const Description& inner, std::size_t offset);
    /// A plain text stands for an object with only this field. REQUIRES: the field exists and is a text.
    void setShorthand(std::string_view key);

private:
    struct PlacedCheck {
        std::size_t offset;
        Check run;
    };
    void index();

    std::vector<Field> fields_;
    std::unordered_map<std::string, std::size_t> byKey_; ///< lower case
    std::vector<PlacedCheck> checks_;
    std::size_t shorthand_ = static_cast<std::size_t>(-1);
    Make make_;
};

/// The members of an object without those that a later member of the same name replaces; each of these is
/// warned about.
std::vector<const Node::Member*> lastOfEachKey(Decoder& decoder, const Node& object);

/// A setting that differs between two objects of one type.
struct Change {
    std::string key;
    Apply apply;
    bool operator==(const Change&) const = default;
};
std::vector<Change> diff(const Description& description, const void* before, const void* after);

/// Decodes a whole document into an object with its defaults set. All problems are reported; the object holds
/// what was right.
Problems decode(const Document& document, const Description& description, void* object);

template <class T>
Problems decode(const Document& document, T& object) {
    return decode(document, T::fields(), &object);
}

} // namespace saker::schema
