#include "host/first_site.h"

#include "handlers/static_files/sample_site.h"
#include "os/file.h"
#include "os/paths.h"

#include <filesystem>
#include <system_error>

namespace saker::host {

Result<bool> makeFirstSite(const std::string& backendDir) {
    std::error_code error;
    if (std::filesystem::exists(backendDir, error) || error) {
        return false;
    }
    const std::string folder = os::joinPath(backendDir, "localhost");
    for (const routing::EmbeddedFile& file : static_files::sampleSite()) {
        const std::string path = os::joinPath(folder, file.path);
        if (auto made = os::createDirectories(os::parentPath(path)); !made) {
            return made.error();
        }
        if (auto written = os::writeAtomically(path, file.text); !written) {
            return written.error();
        }
    }
    return true;
}

} // namespace saker::host
