#include "host/config_texts.h"

#include "host/engine_options.h"
#include "schema/json_schema.h"
#include "schema/reference.h"

namespace saker::host {

namespace {

constexpr std::string_view kFileHead =
    R"(// The configuration of Saker. A key that is missing has its default; the case of keys does not matter.
// Relative paths count from the folder of this file. "sakerd --check" tells whether it is right.
)";

constexpr std::string_view kReferenceHead = R"(# Configuration

<!-- Generated from the table of settings; tests/docs_sync writes it anew with SAKER_UPDATE=1. -->

One file, JSON with two liberties: `//` and `/* */` comments, and commas behind the last entry. It is the first of

1. the file named by `--config=FILE`,
2. `saker.json` in the current folder,
3. `JonCsWebConfig.json` in the current folder,
4. the user's: `$XDG_CONFIG_HOME/saker/saker.json`, usually `~/.config/saker/saker.json`,
5. the system's: `/etc/saker/saker.json`.

Where there is none, one with all defaults is written, to the first of places 2, 4 and 5 that can be written to; what is
started in `/`, like a service, skips the current folder. None is written where the command line names ports or folders:
then the defaults hold for everything else.

- Keys are matched without regard to case. A missing key has its default. An unknown key is a warning that names the
  nearest known one.
- A key given twice is a warning; the last one counts.
- Relative paths count from the folder of the file, `~/` is the user's home. Paths on the command line count from the
  current folder.
- Times are numbers in the unit of their key, or texts with units: `"250ms"`, `"30s"`, `"5m"`, `"1h30m"`, `"2d"`. Sizes
  are numbers of bytes or texts: `"512KiB"` is 524288, `"8GB"` is 8000000000, and `K`, `M`, `G`, `T` alone count in
  1024s.
- The command line comes before the file.
- Folders and the folders of log files must be there: none is made, except the default folder of sites.
- `sakerd --check` reads the file, compares it with the machine, and reports all errors and warnings in the order of the
  file, with line and column. A reload with an error changes nothing. An error under `Sites` concerns that site only: it
  keeps its last good settings.
)";

constexpr std::string_view kEstablishedKeys[] = {
    "Logging",
    "DebugPages",
    "ServerMetrics",
    "LoopFindEndpoint",
    "EnableHtaccess",
    "Enable_CS",
    "Enable_WASM",
    "AllowSynchronousIO",
    "ForceTLS",
    "BufferFastCGIResponse",
    "MaxConcurrentConnections",
    "MaxConcurrentUpgradedConnections",
    "MaxRequestBodySize",
    "HttpProxyTimeout",
    "bytesPerSecond",
    "gracePeriod",
    "MaxBytesPerSecond",
    "RequestTimeout",
    "KeepAliveTimeout",
    "RequestHeadersTimeout",
    "RateLimitTime",
    "RateLimitReq",
    "RateLimitRefill",
    "RateLimitQueue",
    "MaxFilePathLength",
    "FCGI_ReceiveTimeout",
    "FCGI_SendTimeout",
    "FCGI_MaxPoolSize",
    "ClearSessEveryXMin",
    "WebSocketTimeout",
    "WebSocketEndpointTimeout",
    "MaxDirDepth",
    "HttpsPorts",
    "HttpPorts",
    "CertDir",
    "WWWdir",
    "BackendDir",
    "SessionsDir",
    "SessionCookieName",
    "Rand_Alphabet",
    "FilterFromDomain",
    "DomainFilterTo",
    "indexPriority",
    "DownloadIfExtension",
    "CompressionLevel",
    "ExtTypes",
    "ForwardExt",
    "DefaultHeaders",
    "DomainAlias",
    "UrlAlias",
};

} // namespace

std::string defaultConfigText() {
    return schema::defaultFile(EngineOptions::fields(), establishedKeys(), kFileHead);
}

std::string configSchemaText() {
    return schema::toText(schema::jsonSchema(EngineOptions::fields(), "Configuration of Saker"),
                          schema::Layout::pretty) +
           "\n";
}

std::string configReferenceText() {
    return schema::referencePage(EngineOptions::fields(), kReferenceHead);
}

std::span<const std::string_view> establishedKeys() {
    return kEstablishedKeys;
}

} // namespace saker::host
