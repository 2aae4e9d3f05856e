#include "routing/content_root.h"

namespace saker::routing {

Result<os::File> ContentRoot::open(std::string_view relative) const {
    os::LinkPolicy policy = os::LinkPolicy::inside;
    if (options.links == IndexOptions::Links::follow) {
        policy = os::LinkPolicy::follow;
    } else if (options.links == IndexOptions::Links::never) {
        policy = os::LinkPolicy::never;
    }
    // Opened anew each time: the root may have been replaced by another folder of the same name.
    auto folder = os::Folder::open(options.root, policy, options.extraRoots);
    if (!folder) {
        return folder.error();
    }
    return folder->openBeneath(relative);
}

} // namespace saker::routing
