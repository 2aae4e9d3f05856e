#include "host/config_store.h"

#include "base/text.h"
#include "host/config_texts.h"
#include "os/file.h"
#include "os/paths.h"
#include "schema/edit.h"
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

bool isFolder(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_directory(path, error);
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
    return Error{ErrorKind::configuration, "the configuration cannot be used:" + lines(problems), path};
}

schema::Problems onlyErrors(schema::Problems problems) {
    problems.erase(
        std::remove_if(problems.begin(), problems.end(), [](const auto& p) { return !p.isError(); }),
        problems.end());
    return problems;
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

/// Gives a warning made after decoding the place of its key in the text.
void locate(schema::Problem& problem, const schema::Document& document) {
    const schema::Node* node = document.find(problem.pointer);
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

void warnOfMissingFolders(const EngineOptions& options, schema::Problems& problems) {
    auto look = [&](std::string pointer, const std::string& folder) {
        if (!folder.empty() && !isFolder(folder)) {
            problems.push_back(
                warning(std::move(pointer),
                        fmt::format("the folder {} does not exist; create it, or name another one",
                                    escapeControl(folder))));
        }
    };
    look("/WWWdir", options.routing.wwwDir);
    // A BackendDir that does not exist is made at start (first_site.h).
    for (const auto& [name, site] : options.routing.sites) {
        look(fmt::format("/Sites/{}/Root", name), site.value ? site.value->root : std::string());
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
    auto path = findFile();
    return path ? loadFile(*path) : writeDefault();
}

Result<LoadedConfig> ConfigStore::reload(const LoadedConfig& before) const {
    if (!before.path.empty()) {
        return loadFile(before.path);
    }
    return withoutFile();
}

LoadedConfig ConfigStore::withoutFile() const {
    EngineOptions options;
    options.routing.backendDir.clear();
    options.listen.httpsPorts.clear();
    options.certificates.developmentMode = true;
    LoadedConfig config = finish(std::move(options), {}, {});
    config.warnings.clear(); // they are about keys of a file
    return config;
}

Result<LoadedConfig> ConfigStore::parse(std::string text, const std::string& path) const {
    schema::ReadResult read = schema::read(std::move(text));
    if (!read.ok()) {
        return unusable(path, read.problems);
    }
    EngineOptions options;
    schema::Problems problems = schema::decode(read.document, options);
    if (hasErrors(problems)) {
        return unusable(path, onlyErrors(std::move(problems)));
    }
    LoadedConfig config = finish(std::move(options), read.document.text(), path);
    for (schema::Problem& problem : config.warnings) {
        locate(problem, read.document);
    }
    config.warnings.insert(config.warnings.begin(), problems.begin(), problems.end());

    // Once more with the command line's: its ports may clash with those of the file.
    schema::Problems clashes;
    const schema::Document none;
    schema::Decoder decoder(none, clashes);
    schema::Checker checker(decoder, none.root());
    config.options.listen.check(checker);
    if (hasErrors(clashes)) {
        return unusable(path, clashes);
    }
    if (config.options.listen.httpPorts.empty() && config.options.listen.httpsPorts.empty()) {
        return Error{ErrorKind::configuration,
                     "HttpPorts and HttpsPorts are both empty: there is nothing to listen on", path};
    }
    return config;
}

LoadedConfig ConfigStore::finish(EngineOptions options, std::string text, std::string path) const {
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
    warnOfUnusedSettings(options, standard, config.warnings);
    warnOfMissingFolders(options, config.warnings);
    for (const auto& [name, site] : options.routing.sites) {
        config.siteErrors.insert(config.siteErrors.end(), site.problems.begin(), site.problems.end());
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
    auto config = parse(text, {});
    if (config) {
        config->warnings.push_back(warning({}, "there is no configuration file and none could be written (" +
                                                   reason + "); the defaults are used"));
    }
    return config;
}

Result<std::string> ConfigStore::check(const std::string& named) const {
    std::optional<std::string> path = named.empty() ? findFile() : std::optional(os::absolutePath(named));
    if (!path) {
        return std::string("There is no configuration file; the defaults would be written and used.\n");
    }
    if (!exists(*path)) {
        return Error{ErrorKind::configuration, "there is no such file", *path};
    }
    auto config = loadFile(*path);
    if (!config) {
        return config.error();
    }
    if (!config->siteErrors.empty()) {
        return Error{ErrorKind::configuration, "these sites would not be served:" + lines(config->siteErrors),
                     *path};
    }
    return fmt::format("{}: the configuration is right.{}\n", *path, lines(config->warnings));
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
