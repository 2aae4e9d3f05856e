// The whole configuration as one value: every options struct of the product, side by side in the file's top
// level.
#pragma once

#include "handlers/static_files/static_options.h"
#include "host/later_options.h"
#include "host/process_options.h"
#include "http/http_options.h"
#include "net/listen_options.h"
#include "observe/log_options.h"
#include "php/php_options.h"
#include "routing/site_options.h"
#include "tls/certificate_options.h"
#include "tls/tls_options.h"
#include "upstream/forward_options.h"
#include "upstream/web_socket_options.h"

#include <string>
#include <string_view>
#include <vector>

namespace saker::host {

struct EngineOptions {
    net::ListenOptions listen;
    ProcessOptions process;
    http::HttpOptions http;
    routing::RoutingOptions routing;
    static_files::StaticOptions staticFiles;
    observe::LogOptions log;
    tls::TlsOptions tls;
    tls::CertificateOptions certificates;
    upstream::ForwardOptions forward;
    php::PhpOptions php;
    upstream::WebSocketOptions webSockets;
    LaterOptions later;

    /// Extensions (without dot, lower case) whose files hold program text and are never sent as they are.
    std::vector<std::string> scriptExtensions() const;
    /// There is a handler for files with this extension (lower case).
    bool isRun(std::string_view extension) const;
    /// Some files are passed on to a server that may speak WebSocket.
    bool isWebSocketTaken() const;

    bool operator==(const EngineOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::host
