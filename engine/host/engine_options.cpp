#include "host/engine_options.h"

#include "base/text.h"
#include "routing/access_policy.h"
#include "schema/type_of.h"

#include <algorithm>

namespace saker::host {

const schema::Description& EngineOptions::fields() {
    static const schema::Description kFields = [] {
        auto description = schema::describe<EngineOptions>("", {});
        schema::takeIn(description, &EngineOptions::listen);
        schema::takeIn(description, &EngineOptions::routing);
        schema::takeIn(description, &EngineOptions::staticFiles);
        schema::takeIn(description, &EngineOptions::http);
        schema::takeIn(description, &EngineOptions::certificates);
        schema::takeIn(description, &EngineOptions::tls);
        schema::takeIn(description, &EngineOptions::log);
        schema::takeIn(description, &EngineOptions::process);
        schema::takeIn(description, &EngineOptions::forward);
        schema::takeIn(description, &EngineOptions::php);
        schema::takeIn(description, &EngineOptions::webSockets);
        schema::takeIn(description, &EngineOptions::later);
        return description;
    }();
    return kFields;
}

std::vector<std::string> EngineOptions::scriptExtensions() const {
    std::vector<std::string> extensions(routing::kSourceExtensions.begin(), routing::kSourceExtensions.end());
    for (const auto& [extension, target] : forward.forwardExt) {
        extensions.push_back(toLowerAscii(extension));
    }
    std::sort(extensions.begin(), extensions.end());
    extensions.erase(std::unique(extensions.begin(), extensions.end()), extensions.end());
    return extensions;
}

bool EngineOptions::isRun(std::string_view extension) const {
    for (const auto& [forwarded, value] : forward.forwardExt) {
        if (equalsIgnoreCase(forwarded, extension)) {
            if (equalsIgnoreCase(value, "auto")) {
                return php.mode != php::PhpMode::off;
            }
            return upstream::forwardTarget(value, "localhost").has_value();
        }
    }
    return false;
}

bool EngineOptions::isWebSocketTaken() const {
    for (const auto& [extension, value] : forward.forwardExt) {
        const auto target = upstream::forwardTarget(value, "localhost");
        if (target && target->protocol == upstream::UpstreamTarget::Protocol::http && isRun(extension)) {
            return true;
        }
    }
    return std::any_of(routing.sites.begin(), routing.sites.end(), [](const auto& entry) {
        return entry.second.value && !entry.second.value->routes.empty();
    });
}

} // namespace saker::host
