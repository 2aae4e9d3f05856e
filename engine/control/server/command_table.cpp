#include "control/server/command_table.h"

#include "base/edit_distance.h"
#include "base/text.h"
#include "control/server/command_functions.h"
#include "control/server/split_words.h"

#include <algorithm>
#include <exception>

#include <fmt/format.h>

namespace saker::control {

namespace {

constexpr Command kCommands[] = {
    {"help", "?", "[command]", 1, "Lists the commands, or explains one", "", Effect::reads, help},
    {"listfiles", "", "[search]", 1, "Lists the full path of every indexed file",
     "With a text, only paths that contain it, upper and lower case told apart.\n"
     "Put a text with spaces into quotes.",
     Effect::reads, listFiles},
    {"countfiles", "", "[search]", 1, "Says how many files are indexed",
     "With a text, only files whose path contains it.", Effect::reads, countFiles},
    {"indexfiles", "", "[path]", 1, "Indexes a folder and all below it again",
     "Without a path, everything that is served. Changes on disk are seen without this command; it\n"
     "is for disks that report no changes (some network drives).",
     Effect::changes, indexFiles},
    {"indexonedir", "", "[path]", 1, "Indexes one folder again, not what is below it",
     "New folders in it are indexed with all they hold.", Effect::changes, indexOneDirectory},
    {"loadcerts", "", "", 0, "Loads the certificates from the certificate folder",
     "Changes in the folder are seen without this command. What has not changed stays as it is, and\n"
     "open connections keep the certificate they began with. To begin anew: clearcerts, then loadcerts.",
     Effect::changes, loadCertificates},
    {"clearcerts", "", "", 0, "Forgets all loaded certificates",
     "Until loadcerts, new connections get a self-signed certificate; open ones go on.", Effect::changes,
     clearCertificates},
    {"listcerts", "", "", 0, "Lists the domains that have a certificate",
     "With key, days left, issuer and file, and what is wrong with files that cannot be used.", Effect::reads,
     listCertificates},
    {"ca", "", "", 0, "Shows the local certificate authority and who trusts it",
     "In development mode it issues certificates for local names. Its file may be given to other\n"
     "machines and phones of yours that should trust it.",
     Effect::reads, showAuthority},
    {"catrust", "", "[try]", 1, "Makes browsers on this machine trust the local authority",
     "Installs it into the system's trust store and those of Firefox and Chromium, as far as rights go.\n"
     "try: only says what would be done.",
     Effect::changes, trustAuthority},
    {"cauntrust", "", "[try]", 1, "Takes the local authority out of the trust stores again",
     "try: only says what would be done.", Effect::changes, distrustAuthority},
    {"reload", "", "", 0, "Reads the configuration file again and applies it",
     "No connection is lost. If the file has an error, it is shown and nothing changes.", Effect::changes,
     reload},
    {"stats", "statistics status", "", 0, "Shows memory, CPU and traffic",
     "With ServerMetrics in the configuration, also requests in total, per second, minute and hour.\n"
     "Takes one second, in which the CPU use is measured.",
     Effect::reads, stats},
    {"gc", "", "", 0, "Gives unused memory back to the system", "", Effect::changes, collectGarbage},
    {"version", "", "", 0, "Shows the version", "", Effect::reads, version},
    {"restart", "", "", 0, "Stops and starts again with everything read anew",
     "Requests under way finish first. Unlike reload, it closes connections.", Effect::changes, restart},
    {"shutdown", "", "[drain|now]", 1, "Stops the server",
     "Requests under way get a short time to finish. drain: as long as they need; now: none.",
     Effect::changes, shutdown},
};

bool hasName(const Command& command, std::string_view name) {
    if (equalsIgnoreCase(command.name, name)) {
        return true;
    }
    auto aliases = split(command.aliases, ' ');
    return !name.empty() && std::any_of(aliases.begin(), aliases.end(),
                                        [name](auto alias) { return equalsIgnoreCase(alias, name); });
}

void executeWords(EngineServices& services, Arguments words, Output& output) {
    const Command* command = findCommand(words[0]);
    if (!command) {
        std::vector<std::string_view> names;
        for (const Command& candidate : kCommands) {
            names.push_back(candidate.name);
        }
        return output.error(
            fmt::format("Unknown command. Type 'help' for help.{}", didYouMean(words[0], names)));
    }
    Arguments arguments = words.subspan(1);
    if (arguments.size() > command->maxArguments) {
        return output.error(fmt::format(
            "{} takes {}, but {} follow{}. Put a text with spaces into quotes.", command->name,
            command->maxArguments == 0 ? std::string("no argument") : std::string(command->arguments),
            counted(arguments.size(), "word"), arguments.size() == 1 ? "s" : ""));
    }
    command->run(services, arguments, output);
}

} // namespace

std::span<const Command> commands() {
    return kCommands;
}

const Command* findCommand(std::string_view name) {
    const Command* found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                        [name](const Command& command) { return hasName(command, name); });
    return found == std::end(kCommands) ? nullptr : found;
}

void execute(EngineServices& services, std::string_view line, Output& output) {
    try {
        auto words = splitWords(line);
        if (!words) {
            return reportError(words.error(), output);
        }
        if (!words->empty()) {
            executeWords(services, *words, output);
        }
    } catch (const std::exception& failure) {
        output.error(fmt::format("The command failed: {}", failure.what()));
    } catch (...) {
        output.error("The command failed for a reason that is not known.");
    }
}

} // namespace saker::control
