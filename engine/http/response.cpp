#include "http/response.h"

#include "base/text.h"

#include <algorithm>

namespace saker::http {

namespace {

auto named(std::string_view name) {
    return [name](const ResponseHead::Field& field) { return equalsIgnoreCase(field.name, name); };
}

} // namespace

void ResponseHead::set(std::string_view name, std::string_view value) {
    auto first = std::find_if(fields.begin(), fields.end(), named(name));
    if (first == fields.end()) {
        add(name, value);
        return;
    }
    first->value.assign(value);
    fields.erase(std::remove_if(first + 1, fields.end(), named(name)), fields.end());
}

bool ResponseHead::setDefault(std::string_view name, std::string_view value) {
    if (has(name)) {
        return false;
    }
    add(name, value);
    return true;
}

void ResponseHead::add(std::string_view name, std::string_view value) {
    fields.push_back({std::string(name), std::string(value)});
}

void ResponseHead::addToList(std::string_view name, std::string_view member) {
    auto last = fields.end();
    for (auto field = fields.begin(); field != fields.end(); ++field) {
        if (!equalsIgnoreCase(field->name, name)) {
            continue;
        }
        last = field;
        for (std::string_view present : split(field->value, ',')) {
            present = trim(present);
            if (present == "*" || equalsIgnoreCase(present, member)) {
                return;
            }
        }
    }
    if (last == fields.end()) {
        add(name, member);
    } else if (trim(last->value).empty()) {
        last->value.assign(member);
    } else {
        last->value.append(", ").append(member);
    }
}

bool ResponseHead::remove(std::string_view name) {
    auto end = std::remove_if(fields.begin(), fields.end(), named(name));
    bool found = end != fields.end();
    fields.erase(end, fields.end());
    return found;
}

std::string_view ResponseHead::get(std::string_view name) const {
    auto found = std::find_if(fields.begin(), fields.end(), named(name));
    return found == fields.end() ? std::string_view() : std::string_view(found->value);
}

} // namespace saker::http
