#include "control/server/split_words.h"

#include <algorithm>

#include <fmt/format.h>

namespace saker::control {

Result<std::vector<std::string>> splitWords(std::string_view line) {
    constexpr std::string_view kSpaces = " \t\r\n";
    std::vector<std::string> words;
    std::size_t at = line.find_first_not_of(kSpaces);
    while (at != std::string_view::npos) {
        std::string word;
        char first = line[at];
        if (first == '"' || first == '\'') {
            std::size_t close = line.find(first, at + 1);
            if (close == std::string_view::npos) {
                return Error{
                    ErrorKind::usage,
                    fmt::format("The quote {} is not closed. End the text with another {}.", first, first),
                    {}};
            }
            word = line.substr(at + 1, close - at - 1);
            at = close + 1;
        }
        std::size_t end = std::min(line.find_first_of(kSpaces, at), line.size());
        word += line.substr(at, end - at);
        words.push_back(std::move(word));
        at = line.find_first_not_of(kSpaces, end);
    }
    return words;
}

} // namespace saker::control
