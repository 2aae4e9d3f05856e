#include "os/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace saker::os {

namespace {

/// Numbers from here on are free in the new program until it is started.
constexpr int kFirstOwn = 16;

/// A descriptor that is closed with its object.
class Handle {
public:
    explicit Handle(int handle = -1) : handle_(handle) {}
    Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Handle() { reset(); }
    int get() const { return handle_; }
    int release() { return std::exchange(handle_, -1); }
    void reset() {
        if (handle_ >= 0) {
            ::close(std::exchange(handle_, -1));
        }
    }

private:
    int handle_;
};

struct Pipe {
    Handle reading;
    Handle writing;
};

/// Both ends have numbers that the new program's own descriptors do not get in the way of.
Result<Pipe> makePipe() {
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return systemError(errno, "cannot make a pipe");
    }
    Handle reading(ends[0]);
    const Handle writing(ends[1]);
    Handle high(::fcntl(writing.get(), F_DUPFD_CLOEXEC, kFirstOwn));
    if (high.get() < 0) {
        return systemError(errno, "cannot make a pipe");
    }
    return Pipe{std::move(reading), std::move(high)};
}

/// Everything that the new process needs, ready before it exists: between its making and the program's start
/// it shares our memory, and nothing but system calls may be done there.
struct Plan {
    const char* program = nullptr;
    std::vector<char*> arguments;
    std::vector<char*> environment;
    const char* folder = nullptr;
    std::vector<std::pair<int, int>> handles; ///< ours, and the number over there
    const Account* account = nullptr;
    int deathSignal = 0;
    int failure = -1; ///< the pipe that an error goes into
    pid_t parent = 0;
};

/// What could not be done in the new process.
struct Failure {
    int code;
    enum class Step : int { handles, folder, account, program } step;
};

[[noreturn]] void fail(const Plan& plan, Failure::Step step) {
    const Failure failure{errno, step};
    (void)!::write(plan.failure, &failure, sizeof failure);
    ::_exit(127);
}

/// With system calls of its own: the library's functions would change the ids of all our threads.
bool becomeAccount(const Account& account) {
    return ::syscall(SYS_setgroups, account.groups.size(), account.groups.data()) == 0 &&
           ::syscall(SYS_setresgid, account.group, account.group, account.group) == 0 &&
           ::syscall(SYS_setresuid, account.user, account.user, account.user) == 0;
}

[[noreturn]] void becomeProgram(const Plan& plan) {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) {
        ::sigaction(number, &usual, nullptr);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::setpgid(0, 0); // so that what it starts can be ended with it
    for (const auto& [ours, theirs] : plan.handles) {
        if (::dup2(ours, theirs) < 0) {
            fail(plan, Failure::Step::handles);
        }
    }
#ifdef SYS_close_range
    // Descriptors of other libraries that forgot the flag. An old system that cannot do it leaves them.
    constexpr unsigned kCloseOnExec = 1u << 2;
    ::syscall(SYS_close_range, static_cast<unsigned>(kFirstOwn), ~0u, kCloseOnExec);
#endif
    ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L);
    if (plan.account != nullptr && !becomeAccount(*plan.account)) {
        fail(plan, Failure::Step::account);
    }
    if (plan.folder != nullptr && ::chdir(plan.folder) != 0) {
        fail(plan, Failure::Step::folder);
    }
    if (plan.deathSignal != 0) { // after the change of the user, which clears it
        ::prctl(PR_SET_PDEATHSIG, static_cast<long>(plan.deathSignal), 0L, 0L, 0L);
        if (::getppid() != plan.parent) {
            ::_exit(127); // we died meanwhile
        }
    }
    ::execve(plan.program, plan.arguments.data(), plan.environment.data());
    fail(plan, Failure::Step::program);
}

/// In a function of its own: the new process runs on this very stack until the program starts.
[[gnu::noinline]] pid_t makeProcess(const Plan& plan) {
    const pid_t process = ::vfork();
    if (process == 0) {
        becomeProgram(plan);
    }
    return process;
}

/// No handler of ours may run in the new process.
pid_t makeProcessWithoutSignals(const Plan& plan) {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t process = makeProcess(plan);
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return process;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (const std::string& text : texts) {
        result.push_back(const_cast<char*>(text.c_str())); // the call's old signature; nothing is written
    }
    result.push_back(nullptr);
    return result;
}

Error failureText(const Failure& failure, const ChildSetup& setup) {
    switch (failure.step) {
    case Failure::Step::folder:
        return systemError(failure.code, "cannot start the program in the folder " + setup.folder,
                           setup.argv.front());
    case Failure::Step::account:
        return systemError(failure.code,
                           "cannot start the program as the user \"" + setup.account->name + "\"",
                           setup.argv.front());
    case Failure::Step::handles:
        return systemError(failure.code, "cannot hand descriptors to the program", setup.argv.front());
    case Failure::Step::program:
        break;
    }
    return systemError(failure.code, "cannot start the program", setup.argv.front());
}

int deathSignal(OurDeath death) {
    switch (death) {
    case OurDeath::terminates:
        return SIGTERM;
    case OurDeath::kills:
        return SIGKILL;
    case OurDeath::ignored:
        break;
    }
    return 0;
}

int signalOf(ChildRequest request) {
    return request == ChildRequest::finish ? SIGQUIT : SIGTERM;
}

void waitForEnd(pid_t process) {
    while (::waitpid(process, nullptr, 0) < 0 && errno == EINTR) {
    }
}

} // namespace

Result<ChildProcess> ChildProcess::start(const ChildSetup& setup) {
    Result<Pipe> output = makePipe();
    Result<Pipe> failure = makePipe();
    if (!output || !failure) {
        return output ? failure.error() : output.error();
    }
    Plan plan;
    plan.program = setup.argv.front().c_str();
    plan.arguments = pointers(setup.argv);
    if (setup.environment) {
        plan.environment = pointers(*setup.environment);
    } else {
        for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
            plan.environment.push_back(*variable);
        }
        plan.environment.push_back(nullptr);
    }
    plan.folder = setup.folder.empty() ? nullptr : setup.folder.c_str();
    plan.account = setup.account ? &*setup.account : nullptr;
    plan.deathSignal = deathSignal(setup.ourDeath);
    plan.failure = failure->writing.get();
    plan.parent = ::getpid();

    // Copies with high numbers, so that no descriptor takes the place of one that is yet to be handed over.
    std::vector<Handle> copies;
    auto hand = [&](int ours, int theirs) {
        plan.handles.emplace_back(copies.emplace_back(::fcntl(ours, F_DUPFD_CLOEXEC, kFirstOwn)).get(),
                                  theirs);
    };
    const bool hasInput = std::any_of(setup.handles.begin(), setup.handles.end(),
                                      [](const ChildSetup::Handle& handle) { return handle.number == 0; });
    if (!hasInput) {
        const Handle nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        hand(nothing.get(), STDIN_FILENO);
    }
    for (const ChildSetup::Handle& handle : setup.handles) {
        hand(static_cast<int>(handle.native), handle.number);
    }
    plan.handles.emplace_back(output->writing.get(), STDOUT_FILENO);
    plan.handles.emplace_back(output->writing.get(), STDERR_FILENO);

    const pid_t process = makeProcessWithoutSignals(plan);
    if (process < 0) {
        return systemError(errno, "cannot start another process for", setup.argv.front());
    }
    failure->writing.reset();
    Failure what{};
    ssize_t size = 0;
    do {
        size = ::read(failure->reading.get(), &what, sizeof what);
    } while (size < 0 && errno == EINTR);
    if (size == sizeof what) {
        waitForEnd(process);
        return failureText(what, setup);
    }
    ::fcntl(output->reading.get(), F_SETFL, O_NONBLOCK);
    ChildProcess child;
    child.process_ = process;
#ifdef SYS_pidfd_open
    child.end_ = ::syscall(SYS_pidfd_open, process, 0);
#endif
    child.output_ = output->reading.release();
    return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, 0)), end_(std::exchange(other.end_, -1)),
      output_(std::exchange(other.output_, -1)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    std::swap(process_, other.process_);
    std::swap(end_, other.end_);
    std::swap(output_, other.output_);
    return *this;
}

ChildProcess::~ChildProcess() {
    if (process_ == 0) {
        return;
    }
    killGroup();
    waitForEnd(process_);
    ::close(static_cast<int>(output_));
    if (end_ >= 0) {
        ::close(static_cast<int>(end_));
    }
}

std::optional<int> ChildProcess::ended() const {
    siginfo_t how{};
    // Not cleared away: the process group keeps its number until the destructor.
    if (::waitid(P_PID, static_cast<id_t>(process_), &how, WEXITED | WNOHANG | WNOWAIT) != 0) {
        return errno == EINTR ? std::nullopt : std::optional(0); // somebody else has cleared it away
    }
    if (how.si_pid == 0) {
        return std::nullopt;
    }
    return how.si_code == CLD_EXITED ? how.si_status : 128 + how.si_status;
}

void ChildProcess::ask(ChildRequest request) const {
    ::kill(process_, signalOf(request));
}

void ChildProcess::askGroup(ChildRequest request) const {
    ::kill(-process_, signalOf(request));
}

void ChildProcess::killGroup() const {
    ::kill(-process_, SIGKILL);
}

std::string exitText(int exitCode) {
    if (exitCode <= 128 || exitCode >= 128 + NSIG) {
        return fmt::format("exit code {}", exitCode);
    }
    const char* name = ::sigabbrev_np(exitCode - 128);
    return fmt::format("signal {} ({})", exitCode - 128, name != nullptr ? name : "unknown");
}

} // namespace saker::os
