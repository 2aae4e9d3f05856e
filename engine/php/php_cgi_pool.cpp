#include "php/php_cgi_pool.h"

#include <fmt/format.h>

namespace saker::php {

KeptProgram::Manner PhpCgiPool::manner() const {
    KeptProgram::Manner manner;
    manner.finish = os::ChildRequest::terminate; // it ends what it is at first
    manner.readyAfter = std::chrono::milliseconds(100);
    manner.recyclesAfter =
        std::chrono::milliseconds(20); // less than it takes to start and to answer something
    return manner;
}

Result<os::ChildSetup> PhpCgiPool::setup() {
    os::ChildSetup setup;
    setup.argv = {settings().binary.path};
    for (const auto& [name, value] : settings().ini) {
        setup.argv.emplace_back("-d");
        setup.argv.push_back(fmt::format("{}=\"{}\"", name, value));
    }
    setup.environment = phpEnvironment(settings());
    setup.environment->push_back(fmt::format("PHP_FCGI_MAX_REQUESTS={}", settings().maxRequests));
    setup.environment->emplace_back("PHP_FCGI_CHILDREN=0");
    setup.handles = {{listener().native(), 0}};
    setup.folder = "/";
    setup.account = settings().account;
    setup.ourDeath = os::OurDeath::kills;
    return setup;
}

bool PhpCgiPool::onLine(std::string_view line) {
    say(log::Level::warning, line);
    return false;
}

} // namespace saker::php
