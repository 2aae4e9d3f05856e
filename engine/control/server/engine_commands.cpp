// The commands on the engine as a whole: numbers, memory, configuration, life.
#include "control/server/command_functions.h"
#include "control/server/command_table.h"

#include "base/text.h"
#include "base/version.h"

#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace saker::control {

namespace {

/// Long enough for the CPU share to mean something, short enough to wait for.
constexpr std::chrono::milliseconds kCpuWindow{1000};

std::string durationText(std::chrono::seconds duration) {
    long long seconds = duration.count();
    std::string text;
    if (seconds >= 86400) {
        text += fmt::format("{}d ", seconds / 86400);
    }
    if (seconds >= 3600) {
        text += fmt::format("{}h ", seconds / 3600 % 24);
    }
    if (seconds >= 60) {
        text += fmt::format("{}m ", seconds / 60 % 60);
    }
    return text + fmt::format("{}s", seconds % 60);
}

void printRequests(const StatsSnapshot& now, Output& output) {
    output.line(fmt::format("Total since startup: {}", now.requests));
    output.line(fmt::format("{} req/second", std::llround(now.perSecond)));
    output.line(fmt::format("{} req/minute", std::llround(now.perMinute)));
    output.line(fmt::format("{} req/hour", std::llround(now.perHour)));
    std::string answers;
    for (std::size_t i = 0; i < now.statusClasses.size(); ++i) {
        if (now.statusClasses[i] > 0) {
            answers += fmt::format("{}{}xx {}", answers.empty() ? "" : ", ", i + 1, now.statusClasses[i]);
        }
    }
    output.line(fmt::format("Answers by status: {}", answers.empty() ? "none yet" : answers));
}

void printEach(std::string_view label, const std::vector<std::string>& sentences, Output& output) {
    for (const std::string& sentence : sentences) {
        output.line(fmt::format("{}{}", label, sentence));
    }
}

} // namespace

void help(EngineServices&, Arguments arguments, Output& output) {
    if (!arguments.empty()) {
        const Command* command = findCommand(arguments[0]);
        if (!command) {
            return output.error(
                fmt::format("There is no command \"{}\". Type 'help' for help.", arguments[0]));
        }
        output.line(
            fmt::format("{}{}{}", command->name, command->arguments.empty() ? "" : " ", command->arguments));
        output.line(fmt::format("  {}.", command->summary));
        if (!command->help.empty()) {
            for (std::string_view part : split(command->help, '\n')) {
                output.line(fmt::format("  {}", part));
            }
        }
        if (!command->aliases.empty()) {
            output.line(fmt::format("  Also called: {}.", command->aliases));
        }
        return;
    }
    output.line("Commands:");
    for (const Command& command : commands()) {
        output.line(fmt::format("  {:<25}{}", fmt::format("{} {}", command.name, command.arguments),
                                command.summary));
    }
    output.line("Arguments in [] are optional. 'help NAME' says more about one command.");
}

void version(EngineServices&, Arguments, Output& output) {
    output.line(fmt::format("Saker {}", kVersion));
}

void stats(EngineServices& services, Arguments, Output& output) {
    StatsSnapshot now = services.stats(std::chrono::milliseconds(0));
    if (now.detailed) {
        printRequests(now, output);
    }
    output.line(fmt::format("Connections: {} open, {} accepted", now.connections, now.connectionsAccepted));
    if (now.webSocketsOpened > 0) {
        output.line(fmt::format("WebSockets: {} open, {} so far", now.webSockets, now.webSocketsOpened));
    }
    output.line(
        fmt::format("Received: {}, sent: {}", formatBytes(now.bytesReceived), formatBytes(now.bytesSent)));
    if (now.tlsHandshakes + now.tlsFailed + now.tlsLimited + now.plainOnTlsPort > 0) {
        output.line(fmt::format("TLS handshakes: {} ({} resumed), {} failed, {} turned away",
                                now.tlsHandshakes, now.tlsResumed, now.tlsFailed, now.tlsLimited));
        output.line(
            fmt::format("TLS versions: {} with 1.3, {} with 1.2, {} with older; plain HTTP instead: {}",
                        now.tls13, now.tls12, now.tlsOld, now.plainOnTlsPort));
    }
    if (!now.http2Floods.empty()) {
        std::vector<std::string> kinds;
        for (const auto& [kind, count] : now.http2Floods) {
            kinds.push_back(fmt::format("{} {}", kind, count));
        }
        output.line(
            fmt::format("HTTP/2 connections ended for a flood of frames: {}", fmt::join(kinds, ", ")));
    }
    output.line(fmt::format("Indexed files: {}", now.indexedFiles));
    output.line(fmt::format("Uptime: {}", durationText(now.uptime)));
    output.line(fmt::format("Memory usage: {}", formatBytes(now.memoryBytes)));
    output.line(fmt::format("CPU usage: {:.1f}%", services.stats(kCpuWindow).cpuPercent));
}

void collectGarbage(EngineServices& services, Arguments, Output& output) {
    output.line("Collecting..");
    std::uint64_t freed = services.collectGarbage();
    output.line(fmt::format("Collected. Memory given back: {}.", formatBytes(freed)));
}

void reload(EngineServices& services, Arguments, Output& output) {
    auto report = services.reload();
    if (!report) {
        reportError(report.error(), output);
        return output.error("Not reloaded: the configuration from before stays in use.");
    }
    printEach("Warning: ", report->warnings, output);
    printEach("Keeps its last good version: ", report->keptSites, output);
    printEach("Changed: ", report->applied, output);
    printEach("Takes effect with the next start ('restart'): ", report->needsRestart, output);
    output.line("Reloaded!");
}

void restart(EngineServices& services, Arguments, Output& output) {
    output.line("Restarting Saker..");
    services.restart();
}

void shutdown(EngineServices& services, Arguments arguments, Output& output) {
    StopMode mode = StopMode::graceful;
    if (!arguments.empty()) {
        if (equalsIgnoreCase(arguments[0], "drain")) {
            mode = StopMode::drain;
        } else if (equalsIgnoreCase(arguments[0], "now")) {
            mode = StopMode::now;
        } else {
            return output.error(fmt::format(
                "shutdown: \"{}\" is not a way to stop. Expected nothing, drain or now.", arguments[0]));
        }
    }
    output.line("Shutting down Saker..");
    services.shutdown(mode);
}

} // namespace saker::control
