// The texts that are made from the table of settings: what sakerd prints and writes, and what is checked in
// under resources/ (tests/docs_sync holds these to what comes from here).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace saker::host {

/// A configuration file with every key, its default and a comment: resources/config/saker.json.
std::string defaultConfigText();
/// JSON Schema: resources/schema/saker.schema.json.
std::string configSchemaText();
/// Markdown: resources/docs/reference/configuration.md.
std::string configReferenceText();

/// The keys of the server that Saker replaces, in the order of its file; the default file follows it.
std::span<const std::string_view> establishedKeys();

} // namespace saker::host
