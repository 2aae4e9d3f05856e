// Texts for people, made from a description: the reference page and a configuration file to start from.
#pragma once

#include "schema/description.h"

#include <span>
#include <string>
#include <string_view>

namespace saker::schema {

/// Markdown: a chapter a group, a section a key. `head` comes first, as it is.
std::string referencePage(const Description& description, std::string_view head);

/// One setting as Markdown, under a heading.
std::string explain(const Field& field, const Description& description);

/// A configuration file with every key, its default and a comment. The keys of `first` come first, in that
/// order. `head` are the comment lines at the top.
std::string defaultFile(const Description& description, std::span<const std::string_view> first,
                        std::string_view head);

} // namespace saker::schema
