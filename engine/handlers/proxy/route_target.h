// What the server of a route is asked for, and what its redirects mean for the client. Knows no socket.
#pragma once

#include "http/request.h"
#include "http/url.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace saker::proxy {

/// How paths of clients and of a route's server go together. Prefixes have a slash in front and none behind,
/// or are empty.
struct RoutePaths {
    std::string prefix;         ///< of the client's paths, encoded: "/api"
    std::uint32_t segments = 0; ///< names in it
    std::string replacement;    ///< what stands for it at the server: "/v2", "" for nothing
    bool isReplaced = false;    ///< else the path stays as it is

    /// `path`, `rewrite`: as the configuration has them, checked.
    static RoutePaths make(std::string_view path, bool strip, std::string_view rewrite);
};

/// Path and query for the server, encoded. As the client spelled it, unless that holds "..", "." or repeated
/// slashes: the server must not take it for another path than the route was chosen by.
std::string routeTarget(const RoutePaths& paths, const http::RequestHead& request,
                        const http::NormalPath& path, std::string_view base);

/// A Location of the server's that lies on the server itself, as the client has to ask for it; "" when it is
/// to stay as it is. `origin`: what the server is called in redirects: "http://127.0.0.1:3000".
std::string routeLocation(const RoutePaths& paths, std::string_view base, std::string_view origin,
                          std::string_view location);

} // namespace saker::proxy
