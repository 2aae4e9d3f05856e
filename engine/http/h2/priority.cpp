#include "http/h2/priority.h"

#include "base/text.h"

namespace saker::http {

Priority parsePriority(std::string_view value) {
    Priority priority;
    while (!value.empty()) {
        const std::size_t comma = value.find(',');
        std::string_view member = value.substr(0, comma);
        value = comma == std::string_view::npos ? std::string_view() : value.substr(comma + 1);
        member = trim(member.substr(0, member.find(';'))); // its parameters mean nothing here
        if (member.size() == 3 && member.starts_with("u=") && member[2] >= '0' && member[2] <= '7') {
            priority.urgency = static_cast<unsigned>(member[2] - '0');
        } else if (member == "i" || member == "i=?1") {
            priority.incremental = true;
        } else if (member == "i=?0") {
            priority.incremental = false;
        }
    }
    return priority;
}

} // namespace saker::http
