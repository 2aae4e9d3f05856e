#include "routing/site.h"

#include "base/text.h"

namespace saker::routing {

void SiteRules::addDefaultHeaders(http::ResponseHead& head) const {
    for (const http::ResponseHead::Field& field : defaultHeaders) {
        head.set(field.name, field.value);
    }
}

void SiteRules::addDynamicHeaders(http::ResponseHead& head) const {
    for (const http::ResponseHead::Field& field : defaultHeaders) {
        bool isTheirs = false;
        for (std::string_view name : {"Cache-Control", "Access-Control-Allow-Origin", "Accept-Ranges"}) {
            isTheirs = isTheirs || equalsIgnoreCase(field.name, name);
        }
        if (!isTheirs) {
            head.setDefault(field.name, field.value);
        }
    }
}

void SiteRules::addServer(http::ResponseHead& head) const {
    for (const http::ResponseHead::Field& field : defaultHeaders) {
        if (equalsIgnoreCase(field.name, "Server")) {
            head.set(field.name, field.value);
        }
    }
}

} // namespace saker::routing
