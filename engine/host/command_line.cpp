#include "host/command_line.h"

#include "base/edit_distance.h"
#include "base/text.h"
#include "base/version.h"
#include "loop/socket_address.h"
#include "observe/log.h"

#include <algorithm>

#include <fmt/format.h>

namespace saker::host {

namespace {

using Action = CommandLine::Action;

constexpr unsigned kMostWorkers = 1024;
constexpr std::uint16_t kQuickPort = 7000;
constexpr std::string_view kQuickFolder = "./public";
enum class Takes { nothing, value, optionalValue };

/// One option: parsing and the help text both come from this table.
struct Option {
    std::string_view name;  ///< with its dashes
    std::string_view alias; ///< another name, or ""
    Takes takes;
    std::string_view valueName;
    std::string_view example; ///< for "needs a value", and nothing more
    std::string_view help;    ///< lines broken by hand
    Result<void> (*apply)(CommandLine&, std::string_view value);
};

struct Group {
    std::string_view title;
    std::vector<Option> options;
};

Error usage(std::string message) {
    return Error{ErrorKind::usage, std::move(message) + " Try \"sakerd --help\".", {}};
}

Result<std::vector<std::uint16_t>> parsePorts(std::string_view option, std::string_view list) {
    std::vector<std::uint16_t> ports;
    if (trim(list).empty()) {
        return ports;
    }
    for (std::string_view part : split(list, ',')) {
        auto number = parseDecimal(trim(part));
        if (!number || *number > 65535) {
            return usage(
                fmt::format("{}: \"{}\" is not a port. Expected numbers from 0 to 65535 separated by commas, "
                            "such as {}=80,8080; 0 takes any free port.",
                            option, part, option));
        }
        auto port = static_cast<std::uint16_t>(*number);
        if (port == 0 || std::find(ports.begin(), ports.end(), port) == ports.end()) {
            ports.push_back(port);
        }
    }
    return ports;
}

Result<void> setPorts(std::optional<std::vector<std::uint16_t>>& field, std::string_view option,
                      std::string_view list) {
    auto ports = parsePorts(option, list);
    if (!ports) {
        return ports.error();
    }
    field = std::move(*ports);
    return {};
}

Result<void> setAddresses(CommandLine& line, std::string_view option, std::string_view list) {
    std::vector<std::string> addresses;
    for (std::string_view part : split(list, ',')) {
        part = trim(part);
        if (auto parsed = loop::SocketAddress::parse(part, 0); !parsed) {
            return usage(fmt::format(
                "{}: \"{}\" is not an IP address. Expected addresses of this machine separated by "
                "commas, such as 127.0.0.1 or ::1 (0.0.0.0 is every IPv4 address, :: every "
                "address).",
                option, part));
        }
        addresses.emplace_back(part);
    }
    line.overrides.addresses = std::move(addresses);
    return {};
}

Result<void> setLogLevel(CommandLine& line, std::string_view source, std::string_view value) {
    auto level = log::parseLevel(value);
    if (!level) {
        return usage(fmt::format("{}: \"{}\" is not a log level. Expected error, warning, info or debug.",
                                 source, value));
    }
    line.overrides.logLevel = log::levelName(*level);
    return {};
}

Result<void> setWorkers(CommandLine& line, std::string_view value) {
    if (equalsIgnoreCase(value, "auto")) {
        line.overrides.workers.reset();
        return {};
    }
    auto number = parseDecimal(value);
    if (!number || *number == 0 || *number > kMostWorkers) {
        return usage(fmt::format("--workers: \"{}\" is not a number of workers. Expected 1 to {}, or auto.",
                                 value, kMostWorkers));
    }
    line.overrides.workers = static_cast<unsigned>(*number);
    return {};
}

Result<void> setAction(CommandLine& line, Action action) {
    line.action = action;
    return {};
}

const std::vector<Group>& groups() {
    static const std::vector<Group> table = {
        {"Quick mode: one folder of static files, no configuration file needed",
         {
             {"-d", "", Takes::value, "DIR", "-d ./public", "The folder to serve (default: ./public)",
              [](CommandLine& line, std::string_view value) -> Result<void> {
                  line.quick = true;
                  line.overrides.webDir = value;
                  return {};
              }},
             {"-p", "", Takes::value, "PORT", "-p 7000", "The port (default: 7000; 0: any free one)",
              [](CommandLine& line, std::string_view value) -> Result<void> {
                  line.quick = true;
                  return setPorts(line.overrides.httpPorts, "-p", value);
              }},
             {"-a", "", Takes::value, "ADDR", "-a 127.0.0.1",
              "The address to listen on (default: all addresses of this machine)",
              [](CommandLine& line, std::string_view value) -> Result<void> {
                  line.quick = true;
                  return setAddresses(line, "-a", value);
              }},
         }},
        {"What to serve",
         {
             {"--backend", "", Takes::value, "DIR", "--backend=/var/www",
              "A folder with one sub-folder for each site, named after its domain:\n"
              "DIR/example.com/index.html is http://example.com/ (default: www)",
              [](CommandLine& line, std::string_view value) -> Result<void> {
                  line.overrides.backendDir = value;
                  return {};
              }},
             {"--webPath", "", Takes::value, "DIR", "--webPath=/srv/files",
              "One folder of static files for every domain, instead of --backend",
              [](CommandLine& line, std::string_view value) -> Result<void> {
                  line.overrides.webDir = value;
                  return {};
              }},
             {"--certPath", "", Takes::value, "DIR", "--certPath=/etc/letsencrypt/live",
              "The certificates: DIR/example.com/fullchain.pem and privkey.pem\n(default: certs)",
              [](CommandLine& line, std::string_view value) -> Result<void> {
                  line.overrides.certDir = value;
                  return {};
              }},
         }},
        {"Where to listen",
         {
             {"--httpPort", "", Takes::value, "PORT,...", "--httpPort=80,8080",
              "Ports for http:// (default: 80,8080; 0: any free one)",
              [](CommandLine& line, std::string_view value) -> Result<void> {
                  return setPorts(line.overrides.httpPorts, "--httpPort", value);
              }},
             {"--httpsPort", "", Takes::value, "PORT,...", "--httpsPort=443,8443",
              "Ports for https:// (default: 443,8443; in the quick mode none). Without a\ncertificate for a "
              "local name, one is made: see DevelopmentMode",
              [](CommandLine& line, std::string_view value) -> Result<void> {
                  return setPorts(line.overrides.httpsPorts, "--httpsPort", value);
              }},
             {"--ip", "", Takes::value, "ADDR,...", "--ip=127.0.0.1,::1",
              "Addresses to listen on, IPv4 or IPv6 (default: all of this machine)",
              [](CommandLine& line, std::string_view value) -> Result<void> {
                  return setAddresses(line, "--ip", value);
              }},
         }},
        {"Configuration",
         {
             {"--config", "", Takes::value, "FILE", "--config=/etc/saker/saker.json",
              "The configuration file (default: the first one there is of ./saker.json,\n"
              "./JonCsWebConfig.json, ~/.config/saker/saker.json, /etc/saker/saker.json;\n"
              "where there is none, the defaults hold, and unless ports or folders are\n"
              "given here, ./saker.json is written with them)",
              [](CommandLine& line, std::string_view value) -> Result<void> {
                  if (value.empty()) {
                      return usage("--config: the name of the file is missing, as in --config=saker.json.");
                  }
                  line.configFile = value;
                  return {};
              }},
             {"--check", "-t", Takes::optionalValue, "FILE", "",
              "Check the configuration, say what is wrong with it, and end",
              [](CommandLine& line, std::string_view value) -> Result<void> {
                  if (!value.empty()) {
                      line.configFile = value;
                  }
                  return setAction(line, Action::check);
              }},
             {"--print-default-config", "", Takes::nothing, "", "",
              "Print a configuration file with every key, its default and what it does",
              [](CommandLine& line, std::string_view) {
                  return setAction(line, Action::printDefaultConfig);
              }},
             {"--print-schema", "", Takes::nothing, "", "",
              "Print the JSON Schema of the configuration file, for editors",
              [](CommandLine& line, std::string_view) { return setAction(line, Action::printSchema); }},
         }},
        {"Running",
         {
             {"--workers", "", Takes::value, "N", "--workers=4",
              "Event loops, one thread each (default: as many as there are processors\nfor this process)",
              setWorkers},
             {"--log-level", "", Takes::value, "LEVEL", "--log-level=debug",
              "How much to log: error, warning, info or debug (default: info)",
              [](CommandLine& line, std::string_view value) {
                  return setLogLevel(line, "--log-level", value);
              }},
             {"--daemon", "", Takes::nothing, "", "", "Go into the background (not needed under systemd)",
              [](CommandLine& line, std::string_view) -> Result<void> {
                  line.daemon = true;
                  return {};
              }},
             {"--exit", "", Takes::nothing, "", "",
              "Accepted for compatibility: sakerd never waits for Enter at its end",
              [](CommandLine&, std::string_view) -> Result<void> { return {}; }},
             {"--testSess", "", Takes::optionalValue, "N", "", "Accepted for compatibility: has no effect",
              [](CommandLine& line, std::string_view) -> Result<void> {
                  line.notes.emplace_back("--testSess has no effect.");
                  return {};
              }},
         }},
        {"Information",
         {
             {"--help", "-h", Takes::nothing, "", "", "Print this text and end",
              [](CommandLine& line, std::string_view) { return setAction(line, Action::help); }},
             {"--version", "-v", Takes::nothing, "", "", "Print the version and end",
              [](CommandLine& line, std::string_view) { return setAction(line, Action::version); }},
         }},
    };
    return table;
}

/// Long names match without regard to case and to dashes inside: --httpPort, --httpport and --http-port are
/// one.
std::string foldName(std::string_view name) {
    std::string folded;
    for (char c : name.substr(2)) {
        if (c != '-') {
            folded += lowerAscii(c);
        }
    }
    return folded;
}

bool isLong(std::string_view argument) {
    return argument.substr(0, 2) == "--";
}
bool looksLikeOption(std::string_view argument) {
    return argument.size() > 1 && argument[0] == '-';
}

const Option* findOption(std::string_view name) {
    for (const Group& group : groups()) {
        for (const Option& option : group.options) {
            if (isLong(name) ? isLong(option.name) && foldName(option.name) == foldName(name)
                             : option.name == name || option.alias == name) {
                return &option;
            }
        }
    }
    return nullptr;
}

/// An argument taken apart: "--name=value", "--name", "-p", "-p8080" or "-p=8080".
struct Argument {
    std::string_view name;
    std::optional<std::string_view> value;
};

Argument takeApart(std::string_view argument) {
    if (isLong(argument)) {
        auto equals = argument.find('=');
        if (equals == std::string_view::npos) {
            return {argument, {}};
        }
        return {argument.substr(0, equals), argument.substr(equals + 1)};
    }
    if (argument.size() <= 2) {
        return {argument, {}};
    }
    return {argument.substr(0, 2), argument.substr(argument[2] == '=' ? 3 : 2)};
}

Error unknownOption(std::string_view argument) {
    if (!looksLikeOption(argument)) {
        return usage(
            fmt::format("\"{}\" is not an option. To serve a folder, write -d {}, or --backend={} where its "
                        "sub-folders are sites.",
                        argument, argument, argument));
    }
    std::vector<std::string_view> names;
    for (const Group& group : groups()) {
        for (const Option& option : group.options) {
            if (isLong(option.name)) {
                names.push_back(option.name);
            }
        }
    }
    std::string_view name = argument.substr(0, argument.find('='));
    std::string word =
        isLong(name) ? std::string(name) : "-" + std::string(name); // -httpPort: one dash forgotten
    std::string hint;
    if (const Option* option = word.size() > 3 ? findOption(word) : nullptr) {
        hint = fmt::format(" Did you mean \"{}\"?", option->name);
    } else {
        hint = didYouMean(word, names);
    }
    return usage(fmt::format("There is no option \"{}\".{}", name, hint));
}

/// Asked for help or the version anywhere: nothing else on the line matters, right or wrong.
std::optional<Action> informationWanted(std::span<const std::string_view> arguments) {
    std::optional<Action> wanted;
    for (std::string_view argument : arguments) {
        const Option* option = looksLikeOption(argument) ? findOption(argument) : nullptr;
        if (option && option->name == "--help") {
            return Action::help;
        }
        if (option && option->name == "--version") {
            wanted = Action::version;
        }
    }
    return wanted;
}

Result<void> applyArguments(CommandLine& line, std::span<const std::string_view> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        Argument argument = takeApart(arguments[i]);
        const Option* option = looksLikeOption(arguments[i]) ? findOption(argument.name) : nullptr;
        // A short option that takes nothing cannot carry a value either: -help is a word, not -h with "elp".
        if (!option || (option->takes == Takes::nothing && !isLong(argument.name) && argument.value)) {
            return unknownOption(arguments[i]);
        }
        if (option->takes == Takes::nothing && argument.value) {
            return usage(
                fmt::format("{} takes no value, but \"{}\" was given.", option->name, *argument.value));
        }
        if (option->takes != Takes::nothing && !argument.value && i + 1 < arguments.size() &&
            !looksLikeOption(arguments[i + 1])) {
            argument.value = arguments[++i];
        }
        if (option->takes == Takes::value && !argument.value) {
            return usage(fmt::format("{} needs a value, such as {}.", option->name, option->example));
        }
        if (auto applied = option->apply(line, argument.value.value_or(std::string_view{})); !applied) {
            return applied;
        }
    }
    return {};
}

/// What the small static server does when only some of -a, -p and -d are given. Names the user gave win.
void fillQuickDefaults(Overrides& overrides) {
    auto setDefault = [](auto& field, auto value) {
        if (!field) {
            field = std::move(value);
        }
    };
    setDefault(overrides.httpPorts, std::vector<std::uint16_t>{kQuickPort});
    setDefault(overrides.httpsPorts, std::vector<std::uint16_t>{});
    setDefault(overrides.webDir, std::string(kQuickFolder));
    setDefault(overrides.backendDir, std::string());
}

Result<void> checkPorts(const Overrides& overrides) {
    if (!overrides.httpPorts || !overrides.httpsPorts) {
        return {};
    }
    for (std::uint16_t port : *overrides.httpPorts) {
        const auto& https = *overrides.httpsPorts;
        if (port != 0 && std::find(https.begin(), https.end(), port) != https.end()) {
            return usage(fmt::format(
                "Port {} is given for both HTTP and HTTPS; a port can only be one of them.", port));
        }
    }
    return {};
}

std::string optionColumn(const Option& option) {
    std::string text =
        option.alias.empty() ? std::string(option.name) : fmt::format("{}, {}", option.alias, option.name);
    switch (option.takes) {
    case Takes::nothing:
        break;
    case Takes::value:
        text += fmt::format("{}{}", isLong(option.name) ? "=" : " ", option.valueName);
        break;
    case Takes::optionalValue:
        text += fmt::format("[={}]", option.valueName);
        break;
    }
    return text;
}

} // namespace

Result<CommandLine> parseCommandLine(std::span<const std::string_view> arguments,
                                     const Environment& environment) {
    CommandLine line;
    if (auto wanted = informationWanted(arguments)) {
        line.action = *wanted;
        return line;
    }
    if (auto applied = applyArguments(line, arguments); !applied) {
        return applied.error();
    }
    if (line.quick) {
        fillQuickDefaults(line.overrides);
    } else if (line.configFile.empty()) {
        line.configFile = environment("SAKER_CONFIG");
    }
    if (std::string level = environment("SAKER_LOG_LEVEL"); !line.overrides.logLevel && !level.empty()) {
        if (auto set = setLogLevel(line, "The environment variable SAKER_LOG_LEVEL", level); !set) {
            return set.error();
        }
    }
    if (auto checked = checkPorts(line.overrides); !checked) {
        return checked.error();
    }
    return line;
}

std::string helpText() {
    constexpr std::size_t kColumn = 27;
    std::string text = fmt::format(
        "sakerd {}, the Saker web server\n"
        "\n"
        "Usage: sakerd [OPTION]...\n"
        "\n"
        "Examples:\n"
        "  sakerd -d .                            this folder, at http://127.0.0.1:7000/\n"
        "  sakerd --backend=/var/www              every site below /var/www, on ports 80 and 8080\n"
        "  sakerd --httpPort=8080 --webPath=site  one folder for every domain, on port 8080\n"
        "  sakerd                                 what the configuration file says\n"
        "\n"
        "What is not given here comes from the configuration file. Values follow after = or a\n"
        "space; lists are separated by commas.\n",
        kVersion);
    for (const Group& group : groups()) {
        text += fmt::format("\n{}:\n", group.title);
        for (const Option& option : group.options) {
            std::string column = optionColumn(option);
            for (std::string_view part : split(option.help, '\n')) {
                text += fmt::format("  {:<{}}{}\n", column, kColumn - 2, part);
                column.clear();
            }
        }
    }
    text += "\n"
            "Environment:\n"
            "  SAKER_CONFIG             Like --config\n"
            "  SAKER_LOG_LEVEL          Like --log-level\n"
            "\n"
            "While it runs: type \"help\" for the commands of its console. Ctrl+C (SIGINT) and SIGTERM let\n"
            "running answers finish, for at most ShutdownTimeout (30 s); SIGQUIT waits for them without a\n"
            "limit; a second Ctrl+C or SIGTERM ends at once. SIGHUP reads the configuration again; SIGUSR1\n"
            "opens the log files anew.\n"
            "\n"
            "Exit codes: 0 done, 1 failure, 2 wrong option, 3 invalid configuration, 4 port or address not\n"
            "available, 75 try again later.\n";
    return text;
}

std::string versionText() {
    return fmt::format("sakerd {}\n", kVersion);
}

} // namespace saker::host
