// What programs say that pass for PHP: version texts, lines of php-fpm's log, names of files.
#include "php/php_finder.h"
#include "php/php_fpm_pool.h"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace saker::php;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (const auto binary = parseVersionText(text)) {
        if (!isPhpVersion(binary->version) || !isPhpVersion(binary->series())) {
            std::abort();
        }
    }
    if (parseFpmLine(text).text.size() > text.size()) {
        std::abort();
    }
    kindByName(text);
    if (isPhpVersion(text) && compareVersions(text, text) != 0) {
        std::abort();
    }
    return 0;
}
