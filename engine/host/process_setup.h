// What a process needs before anything else in it runs. Called from main only.
#pragma once

#include <memory>

namespace saker::host {

/// Whatever of standard input, output and error is closed is opened on the null device: else the first
/// sockets would get their numbers, and the console would read from a client.
void openStandardStreams();

/// Remembers what the process does when it crashes and sees to it again when destroyed. Poco's Application
/// turns crashes (SIGSEGV and kin) into exceptions, by a jump out of the signal handler: that hides where
/// they came from, and nothing can be saved after them anyway.
class CrashHandlingKept {
public:
    CrashHandlingKept();
    ~CrashHandlingKept();
    CrashHandlingKept(const CrashHandlingKept&) = delete;
    CrashHandlingKept& operator=(const CrashHandlingKept&) = delete;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace saker::host
