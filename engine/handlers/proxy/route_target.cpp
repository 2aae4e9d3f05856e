#include "handlers/proxy/route_target.h"

#include "base/text.h"

namespace saker::proxy {

namespace {

/// Has "", "." or ".." among its names; the path is one that normalisePath() accepts.
bool hasDotsOrGaps(std::string_view raw) {
    raw.remove_prefix(1);
    while (!raw.empty()) {
        const std::size_t slash = raw.find('/');
        const std::string name = http::percentDecode(raw.substr(0, slash)).value_or(std::string());
        if (name.empty() || name == "." || name == "..") {
            return true;
        }
        if (slash == std::string_view::npos) {
            break;
        }
        raw.remove_prefix(slash + 1);
    }
    return false;
}

/// The path behind so many names; "" or with a slash in front.
std::string_view behind(std::string_view path, std::uint32_t segments) {
    std::size_t at = 0;
    for (std::uint32_t i = 0; i < segments && at != std::string_view::npos; ++i) {
        at = path.find('/', at + 1);
    }
    return at == std::string_view::npos ? std::string_view() : path.substr(at);
}

/// "/a/" -> "/a", "/" -> "".
std::string_view withoutSlash(std::string_view path) {
    while (path.ends_with('/')) {
        path.remove_suffix(1);
    }
    return path;
}

} // namespace

RoutePaths RoutePaths::make(std::string_view path, bool strip, std::string_view rewrite) {
    RoutePaths paths;
    std::string scratch;
    const http::NormalPath normal = http::normalisePath(path, scratch);
    paths.segments = normal.segments;
    if (!normal.path.empty()) {
        paths.prefix = "/" + http::encodePath(normal.path);
    }
    paths.isReplaced = strip || !rewrite.empty();
    paths.replacement = withoutSlash(rewrite);
    return paths;
}

std::string routeTarget(const RoutePaths& paths, const http::RequestHead& request,
                        const http::NormalPath& path, std::string_view base) {
    std::string clean;
    std::string_view asked = request.path();
    if (path.changed && hasDotsOrGaps(asked)) {
        clean = "/" + http::encodePath(path.path);
        if (path.trailingSlash && !path.path.empty()) {
            clean += '/';
        }
        asked = clean;
    }
    std::string target(base);
    if (paths.isReplaced) {
        target += paths.replacement;
        asked = behind(asked, paths.segments);
    }
    target += asked;
    if (target.empty()) {
        target = "/";
    }
    if (request.hasQuery()) {
        target += '?';
        target += request.query();
    }
    return target;
}

std::string routeLocation(const RoutePaths& paths, std::string_view base, std::string_view origin,
                          std::string_view location) {
    bool isOnServer = location.starts_with('/') && !location.starts_with("//");
    if (startsWithIgnoreCase(location, origin)) {
        const std::string_view rest = location.substr(origin.size());
        isOnServer = rest.empty() || rest.front() == '/' || rest.front() == '?';
        if (isOnServer) {
            location = rest;
        }
    }
    std::string server(base);
    server += paths.isReplaced ? paths.replacement : std::string();
    if (!isOnServer || !location.starts_with(server)) {
        return {};
    }
    const std::string_view rest = location.substr(server.size());
    if (!rest.empty() && rest.front() != '/' && rest.front() != '?' && rest.front() != '#') {
        return {};
    }
    std::string mapped = paths.isReplaced ? paths.prefix : std::string();
    mapped += rest;
    if (!mapped.starts_with('/')) {
        mapped.insert(0, "/");
    }
    return mapped.starts_with("//") ? std::string() : mapped;
}

} // namespace saker::proxy
