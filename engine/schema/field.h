// What is known about one setting beyond its C++ member: everything that the reference, the JSON Schema, the
// desktop forms and the error messages say about it. Built once in the fields() function of its struct.
#pragma once

#include "schema/type.h"

#include <cstddef>
#include <string_view>

namespace saker::schema {

/// When a changed value takes effect after a reload.
enum class Apply : std::uint8_t { live, newConnections, restart };
std::string_view applyName(Apply apply);

/// How a form asks for the value; most types need no hint.
enum class Widget : std::uint8_t { automatic, file, folder, secret };

/// Texts are literals: they live as long as the program.
struct Field {
    Field(std::string_view key, std::string_view label, const Type& type, std::size_t offset)
        : key(key), label(label), type(&type), offset(offset) {}

    std::string_view key;
    std::string_view label;
    std::string_view help;    ///< full sentences
    std::string_view note;    ///< the few words of the default file's comment
    std::string_view group;   ///< set by the description when the field names none
    std::string_view keyName; ///< of a map: what its keys are, "domain"
    const Type* type;
    std::size_t offset;
    Limits limits;
    Apply apply = Apply::live;
    Widget widget = Widget::automatic;
    bool advanced = false;
    bool notYet = false; ///< accepted and checked, but nothing reads it in this version

    const void* in(const void* object) const { return static_cast<const char*>(object) + offset; }
    void* in(void* object) const { return static_cast<char*>(object) + offset; }

    Field&& withHelp(std::string_view text) && { return help = text, std::move(*this); }
    Field&& withNote(std::string_view text) && { return note = text, std::move(*this); }
    Field&& inGroup(std::string_view name) && { return group = name, std::move(*this); }
    Field&& keyedBy(std::string_view name) && { return keyName = name, std::move(*this); }
    Field&& within(double min, double max) && {
        limits.min = min;
        limits.max = max;
        return std::move(*this);
    }
    Field&& atLeast(double min) && { return limits.min = min, std::move(*this); }
    Field&& countedIn(Unit unit) && { return limits.unit = unit, std::move(*this); }
    Field&& orNumbers() && { return limits.choiceNumbers = true, std::move(*this); }
    Field&& applied(Apply when) && { return apply = when, std::move(*this); }
    Field&& asFile() && { return widget = Widget::file, std::move(*this); }
    Field&& asFolder() && { return widget = Widget::folder, std::move(*this); }
    Field&& forExperts() && { return advanced = true, std::move(*this); }
    Field&& usedLater() && { return notYet = true, std::move(*this); }
};

} // namespace saker::schema
