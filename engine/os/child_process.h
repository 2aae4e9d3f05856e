// Another program that runs beside this one. Arguments are passed as they are: there is no shell. It gets
// ordinary signals, a process group of its own, none of our descriptors but those it is given, and none of
// our rights when it is started for another user.
//
// An object belongs to one thread at a time. ChildThread looks after several of them; runProgram() runs one
// to its end.
#pragma once

#include "base/result.h"
#include "os/account.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace saker::os {

/// What a running program is asked for. What it makes of it is its own business.
enum class ChildRequest : std::uint8_t {
    finish,    ///< QUIT: many servers end what they are at first
    terminate, ///< TERM
};

/// What happens to the program when this process dies without a chance to end it. Reliable where the system
/// can (Linux), and only as long as the thread that started the program lives: its end counts as ours.
enum class OurDeath : std::uint8_t { ignored, terminates, kills };

struct ChildSetup {
    std::vector<std::string> argv;                       ///< the first: the program's full path
    std::optional<std::vector<std::string>> environment; ///< "NAME=value"; nothing: as ours
    std::string folder;                                  ///< its working directory; "": ours
    /// A descriptor of ours, and the number that it has over there (0: standard input; below 16).
    struct Handle {
        std::intptr_t native;
        int number;
    };
    std::vector<Handle> handles;    ///< without a number 0 it has nothing to read
    std::optional<Account> account; ///< another user to be; we must be root
    OurDeath ourDeath = OurDeath::ignored;
};

class ChildProcess {
public:
    /// Errors name the program: it does not exist, is not ours to run, the user or folder could not be had.
    static Result<ChildProcess> start(const ChildSetup& setup);

    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    /// Kills it and all of its process group, if something is left of them, and clears up after it.
    ~ChildProcess();

    std::uint64_t id() const { return static_cast<std::uint64_t>(process_); }
    /// To wait on: readable once it has ended. -1 where the system has no such thing: ask ended() now and
    /// then.
    std::intptr_t endHandle() const { return end_; }
    /// To wait on and read from, without blocking: its standard output and standard error.
    std::intptr_t outputHandle() const { return output_; }

    /// The exit code (128 + n: ended by signal n) once it has ended. Until this object goes, the system gives
    /// its id to nobody else, so that its process group can still be spoken to.
    std::optional<int> ended() const;

    /// Asks the program, or it and all that it has started.
    void ask(ChildRequest request) const;
    void askGroup(ChildRequest request) const;
    void killGroup() const;

private:
    ChildProcess() = default;
    int process_ = 0; ///< 0: none
    std::intptr_t end_ = -1;
    std::intptr_t output_ = -1;
};

/// "exit code 3", "signal 9 (killed)": how a program ended, for messages.
std::string exitText(int exitCode);

} // namespace saker::os
