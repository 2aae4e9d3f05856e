// sakerd. What it does is in EngineApplication; this is its shell: the command line, and Poco's
// ServerApplication, which knows how to go into the background (and, on Windows, how to be a service).
#include "host/command_line.h"
#include "host/engine_application.h"
#include "host/process_setup.h"
#include "host/standard_parts.h"
#include "os/signals.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <Poco/Util/ServerApplication.h>

namespace saker::host {

namespace {

/// Empty when it has been removed.
std::filesystem::path currentFolder() {
    std::error_code ignored;
    return std::filesystem::current_path(ignored);
}

class ServerProcess final : public Poco::Util::ServerApplication {
public:
    explicit ServerProcess(CommandLine commandLine)
        : commandLine_(std::move(commandLine)), startFolder_(currentFolder()) {}

    /// Poco sees none of the user's arguments but --daemon: the command line has been read.
    int runWithOwnArguments(const char* program) {
        std::vector<std::string> arguments{program};
        if (commandLine_.daemon) {
            arguments.emplace_back("--daemon");
        }
        std::vector<char*> pointers;
        for (std::string& argument : arguments) {
            pointers.push_back(argument.data());
        }
        return run(static_cast<int>(pointers.size()), pointers.data());
    }

protected:
    int main(const std::vector<std::string>&) override {
        // A daemon was put into "/": relative paths on the command line count from where it was started.
        std::error_code ignored;
        std::filesystem::current_path(startFolder_, ignored);
        EngineApplication application(commandLine_, standardParts());
        os::SignalWatcher watcher([&application](os::Signal signal) { application.onSignal(signal); });
        return application.run();
    }

private:
    CommandLine commandLine_;
    std::filesystem::path startFolder_;
};

std::string environmentVariable(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    return value ? value : "";
}

int runProgram(int argc, char** argv) {
    openStandardStreams();
    os::blockSignals();
    std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    auto commandLine = parseCommandLine(arguments, environmentVariable);
    if (!commandLine) {
        std::fprintf(stderr, "sakerd: %s\n", commandLine.error().text().c_str());
        return exitCode(commandLine.error().kind);
    }
    if (commandLine->action != CommandLine::Action::run) {
        return EngineApplication(*commandLine, standardParts()).run();
    }
    std::optional<ServerProcess> process;
    {
        CrashHandlingKept kept;
        process.emplace(*commandLine);
    }
    return process->runWithOwnArguments(argc > 0 ? argv[0] : "sakerd");
}

} // namespace

} // namespace saker::host

int main(int argc, char** argv) {
    try {
        return saker::host::runProgram(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "sakerd: %s\n", failure.what());
        return 1;
    }
}
