// What a client says of the order in which it wants its answers (RFC 9218, section 4).
#pragma once

#include <string_view>

namespace saker::http {

struct Priority {
    unsigned urgency = 3;     ///< 0 (first) … 7 (last)
    bool incremental = false; ///< useful in parts: takes turns with others of its urgency
};

/// The value of the field Priority, a dictionary (RFC 8941, section 3.2). What it does not say, or says in a
/// way that is none, stays at its default (RFC 9218, section 4).
Priority parsePriority(std::string_view value);

} // namespace saker::http
