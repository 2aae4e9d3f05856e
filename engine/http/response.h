// The head of a response while handlers and filters put it together. Owns its text. What a connection decides
// (framing, Connection, Date) is no concern of it: h1/response_encoder.h adds that when the head is sent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace saker::http {

struct ResponseHead {
    struct Field {
        std::string name;
        std::string value;
    };

    int status = 200;
    std::vector<Field> fields; ///< in the order in which they are sent

    /// Replaces every field of that name (case ignored) by one; it keeps the place of the first.
    void set(std::string_view name, std::string_view value);
    /// As set(), unless there is such a field already. True when it was set.
    bool setDefault(std::string_view name, std::string_view value);
    /// One more of that name: Set-Cookie, Vary.
    void add(std::string_view name, std::string_view value);
    /// Adds a member to a comma list such as Vary unless it is there (case ignored) or the list is "*".
    void addToList(std::string_view name, std::string_view member);
    /// Every field of that name. True when there was one.
    bool remove(std::string_view name);
    /// The first field of that name; empty with data() == nullptr when absent. Valid until the head changes.
    std::string_view get(std::string_view name) const;
    bool has(std::string_view name) const { return get(name).data() != nullptr; }
};

} // namespace saker::http
