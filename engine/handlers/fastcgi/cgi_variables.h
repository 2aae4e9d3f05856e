// The variables that a CGI program is given about a request (RFC 3875, section 4.1), and those that PHP
// applications expect beyond it, as FastCGI pairs.
#pragma once

#include "http/request.h"
#include "loop/socket_address.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace saker::fastcgi {

/// What the server knows about a request and its script; views for the call.
struct CgiContext {
    const http::RequestHead& request;
    const loop::SocketAddress& peer;  ///< the client, as told by trusted proxies
    const loop::SocketAddress& local; ///< where it came to
    bool isEncrypted = false;
    std::string_view serverSoftware = {};
    std::string_view serverName = {}; ///< the host that was asked for, without port; when empty, the address
    std::string_view documentRoot = {};   ///< absolute, without a slash behind
    std::string_view scriptFilename = {}; ///< absolute
    std::string_view scriptName = {};     ///< decoded path that leads to the script: "/app/index.php"
    std::string_view pathInfo = {};       ///< decoded rest of the path: "/user/7"; or ""
    std::string_view remoteUser = {};     ///< "" unless authenticated
    std::string_view authType = {};
    /// Set by the configuration; go last, so that they win.
    const std::vector<std::pair<std::string, std::string>>* extra = nullptr;
};

/// Appends the pairs, all but CONTENT_LENGTH: that is known when the body is.
void appendCgiVariables(const CgiContext& context, std::string& out);

/// "HTTP_ACCEPT_LANGUAGE" for "Accept-Language". Empty for names that must not be passed: `Proxy` (it would
/// become HTTP_PROXY, which libraries take for their own setting), and those with bytes other than letters,
/// digits and '-' (X_A and X-A would become one).
std::string cgiFieldName(std::string_view fieldName);

} // namespace saker::fastcgi
