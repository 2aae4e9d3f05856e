#include "routing/file_types.h"

#include "base/text.h"
#include "http/mime.h"

namespace saker::routing {

namespace {

FileType builtIn(std::string_view extension) {
    FileType type;
    type.contentType = http::mediaType(extension);
    type.isCompressible = http::isCompressible(type.contentType);
    return type;
}

std::string normalExtension(std::string_view text) {
    text = trim(text);
    if (text.starts_with('.')) {
        text.remove_prefix(1);
    }
    return toLowerAscii(text);
}

} // namespace

FileTypes::FileTypes(const std::vector<std::pair<std::string, std::vector<std::string>>>& extTypes,
                     const std::vector<std::string>& downloads) {
    auto typeOf = [this](std::string_view name) -> FileType& {
        std::string extension = normalExtension(name);
        auto found = types_.find(extension);
        if (found == types_.end()) {
            found = types_.emplace(extension, builtIn(extension)).first;
        }
        return found->second;
    };
    for (const auto& [extensions, lines] : extTypes) {
        for (std::string_view name : split(extensions, ',')) {
            FileType& type = typeOf(name);
            for (std::string_view line : lines) {
                std::size_t colon = line.find(':');
                if (colon == std::string_view::npos) {
                    continue;
                }
                std::string_view field = trim(line.substr(0, colon));
                std::string_view value = trim(line.substr(colon + 1));
                if (equalsIgnoreCase(field, "Content-Type")) {
                    type.contentType = value;
                    type.isCompressible = http::isCompressible(value);
                } else {
                    type.fields.push_back({std::string(field), std::string(value)});
                }
            }
        }
    }
    for (const std::string& name : downloads) {
        typeOf(name).isDownload = true;
    }
}

FileType FileTypes::find(std::string_view extension) const {
    auto found = types_.find(std::string(extension));
    return found == types_.end() ? builtIn(extension) : found->second;
}

} // namespace saker::routing
