// Internationalised domain names: between what people write ("bücher.example", U-labels) and what is on the
// wire and in certificates ("xn--bcher-kva.example", A-labels; RFC 5890). Any thread.
//
// Letters are lowered for the scripts that have case and are found in host names (Latin, Greek, Cyrillic,
// Armenian). Composed and decomposed forms are not unified: that takes tables of all of Unicode, and every
// keyboard makes the composed form (NFC), which is the one that RFC 5891 demands.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace saker {

/// The name as it is looked up: lower case, A-labels, without the dot of a full name. Nothing when it is not
/// a domain name: a label that is empty, over 63 bytes or holds other characters than letters, digits, '-'
/// and
/// '_'; more than 253 bytes in all; broken UTF-8. A leading label "*" passes.
std::optional<std::string> domainToAscii(std::string_view name);

/// For people: A-labels as U-labels; a label that is no proper A-label stays as it is.
std::string domainToUnicode(std::string_view name);

} // namespace saker
