#include "host/engine_application.h"
#include "unit/control/server/fake_services.h"
#include "unit/host/scripted_device.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace saker::host {
namespace {

using control::StopMode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// What all fake engines of a test write down, in order.
struct Journal {
    void add(std::string entry) {
        std::lock_guard lock(mutex);
        entries.push_back(std::move(entry));
        changed.notify_all();
    }
    void await(const std::string& entry) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return std::find(entries.begin(), entries.end(), entry) != entries.end(); });
    }
    std::vector<std::string> all() {
        std::lock_guard lock(mutex);
        return entries;
    }

    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> entries;
};

class FakeEngine final : public Engine {
public:
    FakeEngine(int number, Journal& journal, EngineOwner& owner)
        : number_(number), journal_(journal), owner_(owner), services_(*this) {}

    Result<void> start() override {
        note("start");
        if (duringStart) {
            duringStart();
        }
        if (startFailure) {
            return *startFailure;
        }
        return {};
    }
    Result<control::ReloadReport> reload() override {
        note("reload");
        if (reloadFails) {
            return Error{ErrorKind::configuration, "expected a comma", "line 3"};
        }
        return control::ReloadReport{};
    }
    void stop(StopMode mode) override {
        const char* names[] = {"graceful", "drain", "now"};
        note(std::string("stop ") + names[static_cast<int>(mode)]);
        if (mode == StopMode::now) {
            std::lock_guard lock(mutex_);
            cutShort_ = true;
            changed_.notify_all();
        } else if (stopTakesForever) {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return cutShort_; });
        }
    }
    void reopenLogs() override { note("reopenLogs"); }
    std::vector<ListeningAddress> listening() const override {
        loop::SocketAddress any;
        any.family = loop::SocketAddress::Family::ipv4;
        any.port = 8080;
        return {{any, false}};
    }
    std::vector<std::string> warnings() const override { return {}; }
    control::EngineServices& services() override { return services_; }

    std::optional<Error> startFailure;
    std::function<void()> duringStart;
    bool reloadFails = false;
    bool stopTakesForever = false;

private:
    class Services final : public control::FakeServices {
    public:
        explicit Services(FakeEngine& engine) : engine_(engine) {}
        void shutdown(StopMode mode) override { engine_.owner_.requestStop(mode); }
        void restart() override { engine_.owner_.requestRestart(); }
        std::uint64_t countFiles(std::string_view) override {
            return 40 + static_cast<std::uint64_t>(engine_.number_);
        }

    private:
        FakeEngine& engine_;
    };

    void note(const std::string& what) { journal_.add(std::to_string(number_) + " " + what); }

    int number_;
    Journal& journal_;
    EngineOwner& owner_;
    Services services_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool cutShort_ = false;
};

class EngineApplicationTest : public ::testing::Test {
protected:
    EngineApplicationTest() {
        parts_.prepare = [this](const CommandLine&, EngineOwner& owner) -> Result<PreparedEngine> {
            if (prepareFailure) {
                return *prepareFailure;
            }
            auto engine = std::make_unique<FakeEngine>(++engines_, journal, owner);
            if (adjust) {
                adjust(*engine);
            }
            PreparedEngine prepared;
            prepared.engine = std::move(engine);
            prepared.configFile = configFile;
            prepared.pidFile = pidFile;
            return prepared;
        };
        parts_.checkConfig = [this](const CommandLine&) -> Result<std::string> {
            if (prepareFailure) {
                return *prepareFailure;
            }
            return std::string("fine\n");
        };
        parts_.schema = [] { return std::string("{schema}\n"); };
        parts_.defaultConfig = [] { return std::string("{default}\n"); };
        parts_.makeConsoleDevice = [this] { return std::make_unique<ScriptedDevice>(script); };
        parts_.print = [this](std::string_view text) { printed += text; };
        parts_.complain = [this](std::string_view text) { complained += text; };
        parts_.exitNow = [this](int code) { journal.add("exit " + std::to_string(code)); };
    }
    ~EngineApplicationTest() override {
        if (thread_.joinable()) {
            thread_.join();
        }
    }

    int runAction(CommandLine::Action action) {
        CommandLine line;
        line.action = action;
        return EngineApplication(line, parts_).run();
    }
    void start() {
        application = std::make_unique<EngineApplication>(CommandLine{}, parts_);
        thread_ = std::thread([this] { exitCode = application->run(); });
    }
    /// Up and answering: the console carries commands out.
    void startAndWait() {
        start();
        script->type("version\n");
        script->awaitOutput("Saker ");
    }
    int finish() {
        thread_.join();
        return exitCode;
    }

    ApplicationParts parts_;
    std::optional<Error> prepareFailure;
    std::function<void(FakeEngine&)> adjust;
    std::string pidFile;
    std::string configFile = "/etc/saker.json";
    Journal journal;
    std::shared_ptr<Script> script = std::make_shared<Script>();
    std::string printed, complained; // read after finish()
    std::unique_ptr<EngineApplication> application;
    std::atomic<int> exitCode = -1;

private:
    int engines_ = 0;
    std::thread thread_;
};

TEST_F(EngineApplicationTest, informationNeverStartsAnEngine) {
    using Action = CommandLine::Action;
    EXPECT_EQ(runAction(Action::help), 0);
    EXPECT_EQ(runAction(Action::version), 0);
    EXPECT_EQ(runAction(Action::printSchema), 0);
    EXPECT_EQ(runAction(Action::printDefaultConfig), 0);
    EXPECT_EQ(runAction(Action::check), 0);
    EXPECT_EQ(printed, helpText() + versionText() + "{schema}\n{default}\nfine\n");
    prepareFailure = Error{ErrorKind::configuration, "expected a comma", "line 3"};
    EXPECT_EQ(runAction(Action::check), 3);
    EXPECT_EQ(complained, "line 3: expected a comma\n");
    EXPECT_THAT(journal.all(), ElementsAre());
}

TEST_F(EngineApplicationTest, failuresToStartDecideTheExitCode) {
    prepareFailure = Error{ErrorKind::configuration, "expected a comma", "line 3"};
    EXPECT_EQ(runAction(CommandLine::Action::run), 3);
    EXPECT_EQ(complained, "sakerd: line 3: expected a comma\n");
    prepareFailure.reset();
    adjust = [](FakeEngine& engine) {
        engine.startFailure = Error{ErrorKind::cannotBind, "port 80 is in use", {}};
    };
    EXPECT_EQ(runAction(CommandLine::Action::run), 4);
    EXPECT_THAT(complained, HasSubstr("sakerd: port 80 is in use\n"));
}

TEST_F(EngineApplicationTest, saysWhatItDoesAndStopsGracefully) {
    startAndWait();
    application->onSignal(os::Signal::terminate);
    EXPECT_EQ(finish(), 0);
    EXPECT_THAT(journal.all(), ElementsAre("1 start", "1 stop graceful"));
    EXPECT_THAT(printed, HasSubstr("Configuration: /etc/saker.json\n"));
    EXPECT_THAT(printed, HasSubstr("Files indexed: 41 "));
    EXPECT_THAT(printed, HasSubstr("Listening for HTTP on IP 0.0.0.0 and port 8080\n"));
    EXPECT_THAT(printed, HasSubstr("Open http://127.0.0.1:8080/ in a browser"));
}

TEST_F(EngineApplicationTest, saysThatThereIsNoConfigurationFile) {
    configFile.clear();
    startAndWait();
    application->onSignal(os::Signal::terminate);
    EXPECT_EQ(finish(), 0);
    EXPECT_THAT(printed, HasSubstr("No configuration file, using the defaults\n"));
}

TEST_F(EngineApplicationTest, aSecondSignalCutsTheStopShort) {
    adjust = [](FakeEngine& engine) { engine.stopTakesForever = true; };
    startAndWait();
    application->onSignal(os::Signal::interrupt);
    journal.await("1 stop graceful");
    application->onSignal(os::Signal::interrupt);
    EXPECT_EQ(finish(), 0);
    EXPECT_THAT(journal.all(), ElementsAre("1 start", "1 stop graceful", "1 stop now"));
}

TEST_F(EngineApplicationTest, aSignalDuringTheStartEndsTheProcess) {
    adjust = [this](FakeEngine& engine) {
        engine.duringStart = [this] { application->onSignal(os::Signal::interrupt); };
        engine.startFailure = Error{};
    };
    start();
    EXPECT_EQ(finish(), 1);
    EXPECT_THAT(journal.all(), ElementsAre("1 start", "exit 0"));
}

TEST_F(EngineApplicationTest, quitDrainsAndTerminateAfterItHurries) {
    adjust = [](FakeEngine& engine) { engine.stopTakesForever = true; };
    startAndWait();
    application->onSignal(os::Signal::quit);
    journal.await("1 stop drain");
    application->onSignal(os::Signal::quit);
    application->onSignal(os::Signal::terminate);
    EXPECT_EQ(finish(), 0);
    EXPECT_THAT(journal.all(), ElementsAre("1 start", "1 stop drain", "1 stop now"));
}

TEST_F(EngineApplicationTest, hangUpReloadsAndUser1ReopensLogs) {
    adjust = [](FakeEngine& engine) { engine.reloadFails = true; };
    startAndWait();
    application->onSignal(os::Signal::hangUp);
    journal.await("1 reload");
    application->onSignal(os::Signal::windowChange);
    application->onSignal(os::Signal::user1);
    journal.await("1 reopenLogs");
    application->onSignal(os::Signal::terminate);
    EXPECT_EQ(finish(), 0);
    EXPECT_THAT(journal.all(), ElementsAre("1 start", "1 reload", "1 reopenLogs", "1 stop graceful"));
}

TEST_F(EngineApplicationTest, theEndOfTheConsoleIsNotTheEndOfTheServer) {
    start();
    script->type("version");
    script->end();
    script->awaitOutput("Saker ");
    application->onSignal(os::Signal::hangUp);
    journal.await("1 reload");
    application->onSignal(os::Signal::terminate);
    EXPECT_EQ(finish(), 0);
}

TEST_F(EngineApplicationTest, shutdownFromTheConsole) {
    startAndWait();
    script->type("shutdown drain\n");
    EXPECT_EQ(finish(), 0);
    EXPECT_THAT(journal.all(), ElementsAre("1 start", "1 stop drain"));
    EXPECT_THAT(script->written(), HasSubstr("Shutting down Saker..\n"));
}

TEST_F(EngineApplicationTest, restartMakesANewEngineAndTheConsoleGoesOn) {
    startAndWait();
    script->type("restart\n");
    journal.await("2 start");
    script->type("countfiles\n");
    script->awaitOutput("42\n");
    script->type("shutdown\n");
    EXPECT_EQ(finish(), 0);
    EXPECT_THAT(journal.all(), ElementsAre("1 start", "1 stop graceful", "2 start", "2 stop graceful"));
    EXPECT_THAT(printed, HasSubstr("Successfully shutdown. Starting now..\n"));
}

TEST_F(EngineApplicationTest, aBrokenConfigurationPreventsARestart) {
    startAndWait();
    prepareFailure = Error{ErrorKind::configuration, "expected a comma", "line 3"};
    script->type("restart\n");
    script->awaitOutput("Restarting");
    application->onSignal(os::Signal::user1);
    journal.await("1 reopenLogs");
    application->onSignal(os::Signal::terminate);
    EXPECT_EQ(finish(), 0);
    EXPECT_THAT(journal.all(), ElementsAre("1 start", "1 reopenLogs", "1 stop graceful"));
}

TEST_F(EngineApplicationTest, aRestartThatFailsEndsWithItsExitCode) {
    adjust = [first = true](FakeEngine& engine) mutable {
        if (!std::exchange(first, false)) {
            engine.startFailure = Error{ErrorKind::cannotBind, "port 80 is in use", {}};
        }
    };
    startAndWait();
    script->type("restart\n");
    EXPECT_EQ(finish(), 4);
    EXPECT_THAT(complained, HasSubstr("port 80 is in use"));
}

TEST_F(EngineApplicationTest, tellsTheServiceManager) {
    auto path = std::filesystem::temp_directory_path() / ("saker-notify-test-" + std::to_string(::getpid()));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    parts_.notifier = os::ServiceNotifier(path.string());

    startAndWait();
    application->onSignal(os::Signal::hangUp);
    journal.await("1 reload");
    application->onSignal(os::Signal::terminate);
    EXPECT_EQ(finish(), 0);

    std::vector<std::string> firstLines;
    char buffer[512];
    for (ssize_t size; (size = ::recv(socket, buffer, sizeof buffer, 0)) > 0;) {
        std::string message(buffer, static_cast<std::size_t>(size));
        firstLines.push_back(message.substr(0, message.find('\n')));
    }
    EXPECT_THAT(firstLines, ElementsAre("READY=1", "RELOADING=1", "READY=1", "STOPPING=1"));
    ::close(socket);
    std::filesystem::remove(path);
}

TEST_F(EngineApplicationTest, theProcessIdIsInItsFileWhileRunning) {
    pidFile =
        (std::filesystem::temp_directory_path() / ("saker-application-test-" + std::to_string(::getpid())))
            .string();
    startAndWait();
    std::string text;
    std::ifstream(pidFile) >> text;
    EXPECT_EQ(text, std::to_string(::getpid()));
    application->onSignal(os::Signal::terminate);
    EXPECT_EQ(finish(), 0);
    EXPECT_FALSE(std::filesystem::exists(pidFile));
}

} // namespace
} // namespace saker::host
