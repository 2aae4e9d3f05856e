// The commands on the file index.
#include "control/server/command_functions.h"

#include "base/text.h"

#include <fmt/format.h>

namespace saker::control {

namespace {

/// Below this number `listfiles` says how many there are, as a hint that something may be missing.
constexpr std::uint64_t kFewFiles = 10;

std::string_view first(Arguments arguments) {
    return arguments.empty() ? std::string_view() : std::string_view(arguments[0]);
}

std::string contentsOf(const IndexReport& report) {
    return fmt::format("({}, {})", counted(report.files, "file"), counted(report.directories, "folder"));
}

} // namespace

void listFiles(EngineServices& services, Arguments arguments, Output& output) {
    if (std::uint64_t count = services.countFiles({}); count < kFewFiles) {
        output.line(fmt::format("There {} {} indexed.", count == 1 ? "is" : "are", counted(count, "file")));
    }
    services.listFiles(first(arguments), [&output](std::string_view path) { return output.line(path); });
}

void countFiles(EngineServices& services, Arguments arguments, Output& output) {
    output.line(fmt::format("{}", services.countFiles(first(arguments))));
}

void indexFiles(EngineServices& services, Arguments arguments, Output& output) {
    auto folder = services.indexFolder(first(arguments));
    if (!folder) {
        return reportError(folder.error(), output);
    }
    output.line(fmt::format("Indexing {}", *folder));
    auto report = services.indexFiles(first(arguments));
    if (!report) {
        return reportError(report.error(), output);
    }
    output.line(fmt::format("Indexed {} {}", report->folder, contentsOf(*report)));
}

void indexOneDirectory(EngineServices& services, Arguments arguments, Output& output) {
    auto report = services.indexOneLevel(first(arguments));
    if (!report) {
        return reportError(report.error(), output);
    }
    output.line(fmt::format("Indexed one level of {} {}", report->folder, contentsOf(*report)));
}

} // namespace saker::control
