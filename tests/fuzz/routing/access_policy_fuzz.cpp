// The policy reads paths eight bytes at a time; here every path is judged a second time, name by name, in the
// plainest way. Both have to agree about hidden names, and about backups and sources by extension.
#include "routing/access_policy.h"

#include "base/text.h"

#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

bool isHiddenSomewhere(std::string_view path) {
    bool first = true;
    for (std::string_view name : saker::split(path, '/')) {
        if (name.starts_with('.') && !(first && name == ".well-known")) {
            return true;
        }
        first = false;
    }
    return false;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using saker::routing::AccessPolicy;
    using saker::routing::Denial;
    static const AccessPolicy policy({{"php", "_cs", "averylongextension"}, false});
    static const AccessPolicy strict({{"php", "_cs", "averylongextension"}, true});
    std::string_view path(reinterpret_cast<const char*>(data), size);
    Denial denial = policy.judge(path);
    bool byDot = denial == Denial::hidden || denial == Denial::serverFile;
    if (byDot && !isHiddenSomewhere(path)) {
        std::abort();
    }
    if (denial == Denial::none && (isHiddenSomewhere(path) || path.ends_with("~"))) {
        std::abort();
    }
    for (std::string_view ending : {".php", "._cs", ".averylongextension", ".bak"}) {
        std::string_view name = path.substr(path.rfind('/') + 1);
        if (denial == Denial::none && name.size() > ending.size() && name.ends_with(ending)) {
            std::abort();
        }
    }
    if (denial != Denial::none && strict.judge(path) == Denial::none) {
        std::abort(); // strict names only refuse more
    }
    return 0;
}
