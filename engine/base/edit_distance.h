// "Did you mean …": how far two words are apart.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace saker {

/// The fewest insertions, deletions, replacements and swaps of neighbours that make a into b, case ignored.
std::size_t editDistance(std::string_view a, std::string_view b);

/// The candidate nearest to the word, or empty when none is near enough to be what was meant.
std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// " Did you mean \"x\"?" or nothing: to be put behind an error sentence.
std::string didYouMean(std::string_view word, std::span<const std::string_view> candidates);

} // namespace saker
