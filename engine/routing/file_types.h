// What a file name extension means for an answer: media type, extra fields, download. Built once per
// configuration from ExtTypes and DownloadIfExtension on top of the table of media types.
#pragma once

#include "base/result.h"
#include "http/response.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace saker::routing {

struct FileType {
    std::string contentType;
    std::vector<http::ResponseHead::Field> fields; ///< of ExtTypes, Content-Type left out
    bool isDownload = false;
    bool isCompressible = false;
};

class FileTypes {
public:
    /// extTypes: "html,htm" -> {"Name: value", …}; malformed lines have been refused by the configuration.
    FileTypes(const std::vector<std::pair<std::string, std::vector<std::string>>>& extTypes,
              const std::vector<std::string>& downloads);

    /// `extension`: lower case, without the dot; "" for none.
    FileType find(std::string_view extension) const;

private:
    std::unordered_map<std::string, FileType> types_;
};

} // namespace saker::routing
