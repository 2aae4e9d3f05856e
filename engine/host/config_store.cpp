#include "host/config_store.h"

#include "base/text.h"
#include "host/config_texts.h"
#include "host/settings_check.h"
#include "os/file.h"
#include "os/paths.h"
#include "schema/edit.h"
#include "schema/pointer.h"
#include "schema/type_of.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace saker::host {

namespace {

constexpr std::string_view kFileName = "saker.json";
constexpr std::string_view kEstablishedFileName = "JonCsWebConfig.json";

bool exists(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error);
}

/// FNV-1a: the same for the same text in every process and on every machine, which is all a revision needs.
std::string revisionOf(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return fmt::format("{:016x}", hash);
}

std::string lines(const schema::Problems& problems) {
    std::string out;
    for (const schema::Problem& problem : problems) {
        out += "\n  " + problem.text();
    }
    return out;
}

Error unusable(const std::string& path, const schema::Problems& problems) {
    return Error{ErrorKind::configuration,
                 (path.empty() ? "these settings cannot be used:" : "the configuration cannot be used:") +
                     lines(problems),
                 path};
}

bool isOfSite(const schema::Problem& problem) {
    return problem.pointer.starts_with("/Sites/");
}

/// Makes the paths in an object and in what it contains absolute, as seen from the configuration file.
void resolvePaths(const schema::Description& description, void* object, const std::string& file) {
    for (const schema::Field& field : description.fields()) {
        schema::Visitor visitor;
        if (field.widget == schema::Widget::file || field.widget == schema::Widget::folder) {
            visitor.text = [&](std::string& path) {
                if (!path.empty() && path != "-") {
                    path = os::pathFromConfig(path, file);
                }
            };
        }
        visitor.object = [&](const schema::Description& inner, void* value) {
            resolvePaths(inner, value, file);
        };
        field.type->visit(field.in(object), visitor);
    }
}

schema::Problem warning(std::string pointer, std::string message) {
    return schema::Problem{schema::Problem::Severity::warning, std::move(pointer), 0, 0, std::move(message)};
}

/// Gives a problem found after decoding the place of its key in the text.
void locate(schema::Problem& problem, const schema::Document& document) {
    const schema::Node* node =
        problem.line == 0 && !problem.pointer.empty() ? document.find(problem.pointer) : nullptr;
    if (node && node->end > node->begin) {
        schema::Position place = document.position(node->begin);
        problem.line = place.line;
        problem.column = place.column;
    }
}

void warnOfUnusedSettings(const EngineOptions& options, const EngineOptions& standard,
                          schema::Problems& problems) {
    for (const schema::Field& field : EngineOptions::fields().fields()) {
        if (field.notYet && !field.type->equal(field.in(&options), field.in(&standard))) {
            problems.push_back(
                warning(fmt::format("/{}", field.key),
                        fmt::format("\"{}\" is accepted but has no effect in this version", field.key)));
        }
    }
}

/// Of the file and the command line together: they may clash, or leave nothing to listen on.
void checkPorts(const net::ListenOptions& listen, schema::Problems& problems) {
    const schema::Document none;
    schema::Problems clashes;
    schema::Decoder decoder(none, clashes);
    schema::Checker checker(decoder, none.root());
    listen.check(checker);
    for (const schema::Problem& clash : clashes) { // its place is not in the file, or not only there
        problems.push_back({clash.severity, "", 0, 0,
                            fmt::format("{}: {}", schema::readablePath(clash.pointer), clash.message)});
    }
    if (listen.httpPorts.empty() && listen.httpsPorts.empty()) {
        problems.push_back({schema::Problem::Severity::error, "", 0, 0,
                            "HttpPorts and HttpsPorts are both empty: there is nothing to listen on"});
    }
}

/// A default port that the other list names on purpose gives way to it.
void settleDefaultPorts(LoadedConfig& config) {
    auto& http = config.options.listen.httpPorts;
    auto& https = config.options.listen.httpsPorts;
    auto& yielding = config.httpsPortsGiven ? http : https;
    const auto& staying = config.httpsPortsGiven ? https : http;
    if (config.httpPortsGiven != config.httpsPortsGiven) {
        yielding.erase(std::remove_if(yielding.begin(), yielding.end(),
                                      [&](std::uint16_t port) {
                                          return port != 0 && std::find(staying.begin(), staying.end(),
                                                                        port) != staying.end();
                                      }),
                       yielding.end());
    }
}

template <class T>
void replace(T& setting, const std::optional<T>& given) {
    if (given) {
        setting = *given;
    }
}

void overridePath(std::string& setting, const std::optional<std::string>& given) {
    if (given) {
        setting = given->empty() ? std::string() : os::absolutePath(*given);
    }
}

void applyOverrides(EngineOptions& options, const Overrides& overrides) {
    replace(options.listen.httpPorts, overrides.httpPorts);
    replace(options.listen.httpsPorts, overrides.httpsPorts);
    replace(options.listen.listenAddresses, overrides.addresses);
    overridePath(options.routing.backendDir, overrides.backendDir);
    overridePath(options.routing.wwwDir, overrides.webDir);
    overridePath(options.certificates.certDir, overrides.certDir);
    if (overrides.workers) {
        options.process.workers = *overrides.workers;
    }
    if (auto level = log::parseLevel(overrides.logLevel.value_or(std::string()))) {
        options.log.logLevel = *level;
    }
}

} // namespace

ConfigPlaces ConfigPlaces::ofThisMachine() {
    return ConfigPlaces{os::absolutePath("."), os::userConfigDirectory(), os::systemConfigDirectory()};
}

ConfigStore::ConfigStore(Overrides overrides, ConfigPlaces places)
    : overrides_(std::move(overrides)), places_(std::move(places)) {}

Result<LoadedConfig> ConfigStore::load(const std::string& named) const {
    if (!named.empty()) {
        std::string path = os::absolutePath(named);
        if (!exists(path)) {
            return Error{ErrorKind::configuration,
                         "there is no such file; \"sakerd --print-default-config\" prints one to start from",
                         path};
        }
        return loadFile(path);
    }
    if (auto path = findFile()) {
        return loadFile(*path);
    }
    const bool isTold = overrides_.httpPorts || overrides_.httpsPorts || overrides_.backendDir ||
                        overrides_.webDir || overrides_.certDir;
    return isTold ? defaults() : writeDefault();
}

Result<LoadedConfig> ConfigStore::reload(const LoadedConfig& before) const {
    if (!before.path.empty()) {
        return loadFile(before.path);
    }
    return before.quick ? withoutFile() : defaults();
}

Result<LoadedConfig> ConfigStore::withoutFile() const {
    EngineOptions options;
    options.routing.backendDir.clear();
    options.listen.httpsPorts.clear();
    options.certificates.developmentMode = true;
    options.staticFiles.directoryListing = true; // whoever shares a folder wants to see what is in it
    schema::Problems problems;
    LoadedConfig config = finish(std::move(options), {}, {}, problems);
    if (hasErrors(problems)) {
        return unusable({}, problems);
    }
    config.quick = true;
    return config; // without warnings: they are about keys of a file
}

Result<LoadedConfig> ConfigStore::defaults() const {
    return parse(defaultConfigText(), {});
}

Result<LoadedConfig> ConfigStore::parse(std::string text, const std::string& path) const {
    schema::ReadResult read = schema::read(std::move(text));
    if (!read.ok()) {
        return unusable(path, read.problems);
    }
    EngineOptions options;
    schema::Problems problems = schema::decode(read.document, options);
    const bool isDecoded = !hasErrors(problems);
    LoadedConfig config = finish(std::move(options), read.document.text(), path, problems);
    if (isDecoded) {
        checkPorts(config.options.listen, problems);
    }
    for (schema::Problems* list : {&problems, &config.siteErrors}) {
        for (schema::Problem& problem : *list) {
            locate(problem, read.document);
        }
        sortByPlace(*list);
    }
    if (hasErrors(problems)) {
        problems.insert(problems.end(), config.siteErrors.begin(), config.siteErrors.end());
        sortByPlace(problems);
        return unusable(path, problems);
    }
    config.warnings = std::move(problems);
    return config;
}

/// Adds what is wrong or odd to the problems; what concerns one site only is in the result.
LoadedConfig ConfigStore::finish(EngineOptions options, std::string text, std::string path,
                                 schema::Problems& problems) const {
    const std::string base = path.empty() ? os::joinPath(places_.workingFolder, kFileName) : path;
    EngineOptions standard;
    resolvePaths(EngineOptions::fields(), &standard, base);
    resolvePaths(EngineOptions::fields(), &options, base);
    applyOverrides(options, overrides_);

    LoadedConfig config;
    config.revision = revisionOf(text);
    config.text = std::move(text);
    config.path = std::move(path);
    config.httpPortsGiven = overrides_.httpPorts || options.listen.httpPorts != standard.listen.httpPorts;
    config.httpsPortsGiven = overrides_.httpsPorts || options.listen.httpsPorts != standard.listen.httpsPorts;
    config.backendDirGiven = isBackendDirGiven(options, standard, overrides_);
    warnOfUnusedSettings(options, standard, problems);
    for (const auto& [name, site] : options.routing.sites) {
        config.siteErrors.insert(config.siteErrors.end(), site.problems.begin(), site.problems.end());
    }
    for (schema::Problem& problem : checkSettings(options, standard, overrides_)) {
        (problem.isError() && isOfSite(problem) ? config.siteErrors : problems).push_back(std::move(problem));
    }
    config.options = std::move(options);
    settleDefaultPorts(config);
    return config;
}

std::optional<std::string> ConfigStore::findFile() const {
    std::vector<std::string> candidates{os::joinPath(places_.workingFolder, kFileName),
                                        os::joinPath(places_.workingFolder, kEstablishedFileName)};
    for (const std::string& folder : {places_.userFolder, places_.systemFolder}) {
        if (!folder.empty()) {
            candidates.push_back(os::joinPath(folder, kFileName));
        }
    }
    auto found = std::find_if(candidates.begin(), candidates.end(), exists);
    return found == candidates.end() ? std::nullopt : std::optional(*found);
}

Result<LoadedConfig> ConfigStore::loadFile(const std::string& path) const {
    auto text = os::readFile(path, schema::Document::kMaxSize);
    if (!text) {
        return Error{ErrorKind::configuration, "the configuration cannot be read: " + text.error().message,
                     path};
    }
    return parse(std::move(*text), path);
}

Result<LoadedConfig> ConfigStore::writeDefault() const {
    std::vector<std::string> folders;
    if (os::parentPath(places_.workingFolder) != places_.workingFolder) {
        folders.push_back(places_.workingFolder); // not the root folder, where services are started
    }
    for (const std::string& folder : {places_.userFolder, places_.systemFolder}) {
        if (!folder.empty()) {
            folders.push_back(folder);
        }
    }
    const std::string text = defaultConfigText();
    std::string reason = "no folder to write it to";
    for (const std::string& folder : folders) {
        std::string path = os::joinPath(folder, kFileName);
        auto written = os::createDirectories(folder);
        if (written) {
            written = os::writeAtomically(path, text);
        }
        if (written) {
            auto config = parse(text, path);
            if (config) {
                config->written = true;
            }
            return config;
        }
        reason = written.error().text();
    }
    auto config = defaults();
    if (config) {
        config->warnings.push_back(warning({}, "there is no configuration file and none could be written (" +
                                                   reason + "); the defaults are used"));
    }
    return config;
}

Result<std::string> ConfigStore::check(const std::string& named) const {
    std::optional<std::string> path = named.empty() ? findFile() : std::optional(os::absolutePath(named));
    if (path && !exists(*path)) {
        return Error{ErrorKind::configuration, "there is no such file", *path};
    }
    auto config = path ? loadFile(*path) : defaults();
    if (!config) {
        return config.error();
    }
    if (!config->siteErrors.empty()) {
        schema::Problems all = config->siteErrors;
        all.insert(all.end(), config->warnings.begin(), config->warnings.end());
        sortByPlace(all);
        return Error{ErrorKind::configuration, "not all sites would be served:" + lines(all), *path};
    }
    const std::string subject =
        path ? *path + ": the configuration is" : "There is no configuration file; the defaults are";
    const std::size_t warnings = config->warnings.size();
    return warnings == 0 ? subject + " valid.\n"
                         : fmt::format("{} valid, with {}:{}\n", subject, counted(warnings, "warning"),
                                       lines(config->warnings));
}

Result<LoadedConfig> ConfigStore::save(const LoadedConfig& base, std::span<const ConfigEdit> edits) const {
    if (base.path.empty()) {
        return Error{ErrorKind::notFound, "there is no configuration file that could be changed", {}};
    }
    auto current = os::readFile(base.path, schema::Document::kMaxSize);
    if (!current) {
        return current.error();
    }
    if (revisionOf(*current) != base.revision) {
        return Error{ErrorKind::configuration,
                     "the file has been changed meanwhile; read it again and repeat your change", base.path};
    }
    std::string text = std::move(*current);
    for (const ConfigEdit& edit : edits) {
        schema::ReadResult read = schema::read(std::move(text));
        if (!read.ok()) {
            return unusable(base.path, read.problems);
        }
        auto changed = edit.value ? schema::setValue(read.document, edit.pointer, *edit.value)
                                  : schema::removeValue(read.document, edit.pointer);
        if (!changed) {
            return changed.error();
        }
        text = std::move(*changed);
    }
    auto config = parse(std::move(text), base.path);
    if (!config) {
        return config;
    }
    if (!config->siteErrors.empty()) {
        return unusable(base.path, config->siteErrors);
    }
    if (auto written = os::writeAtomically(base.path, config->text); !written) {
        return written.error();
    }
    return config;
}

std::vector<schema::Change> diff(const EngineOptions& before, const EngineOptions& after) {
    return schema::diff(EngineOptions::fields(), &before, &after);
}

} // namespace saker::host
