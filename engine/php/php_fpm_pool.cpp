#include "php/php_fpm_pool.h"

#include "base/text.h"
#include "os/file.h"

#include <array>

#include <fmt/format.h>

namespace saker::php {

namespace {

/// The number that the socket has in the master.
constexpr int kSocketNumber = 3;
constexpr std::string_view kReady = "ready to handle connections";
constexpr std::uint32_t kFileMode = 0600;

/// Children that a master has asked to finish have this long; whoever is to end sooner, we ask ourselves.
constexpr int kFinishSeconds = 300;
/// A child without work ends after this many seconds.
constexpr int kIdleSeconds = 60;

std::string handedName(const std::string& endpoint) {
    return endpoint + ".handed";
}

} // namespace

std::string fpmConfiguration(const PhpPoolSettings& settings, std::string_view listen) {
    std::string text = "; Made by Saker at each start of this php-fpm; changes are lost.\n[global]\n";
    auto add = [&text](std::string_view name, const auto& value) {
        text += fmt::format("{} = {}\n", name, value);
    };
    // Whatever the children and PHP itself say goes the same way.
    const bool modern = compareVersions(settings.binary.version, "7.3") >= 0;
    add("error_log", "/proc/self/fd/2");
    add("log_level", "notice");
    add("daemonize", "no");
    add("process_control_timeout", fmt::format("{}s", kFinishSeconds));
    text += fmt::format("\n[{}]\n", settings.binary.series());
    add("listen", listen);
    if (settings.account) {
        add("user", settings.account->name);
    }
    add("pm", "ondemand");
    add("pm.max_children", settings.children);
    add("pm.process_idle_timeout", fmt::format("{}s", kIdleSeconds));
    add("pm.max_requests", settings.maxRequests);
    add("request_terminate_timeout",
        fmt::format("{}s", std::chrono::ceil<std::chrono::seconds>(settings.requestTimeout).count()));
    add("catch_workers_output", "yes");
    if (modern) {
        add("decorate_workers_output", "no");
    }
    add("clear_env", "yes");
    for (const std::string& variable : phpEnvironment(settings)) {
        const std::size_t end = variable.find('=');
        const std::string_view value = std::string_view(variable).substr(end + 1);
        if (isIniText(value)) {
            add(fmt::format("env[{}]", std::string_view(variable).substr(0, end)),
                fmt::format("\"{}\"", value));
        }
    }
    for (const auto& [name, value] : settings.ini) {
        add(fmt::format("php_admin_value[{}]", name), fmt::format("\"{}\"", value));
    }
    return text;
}

FpmLine parseFpmLine(std::string_view line) {
    struct Name {
        std::string_view text;
        log::Level level;
    };
    static constexpr std::array<Name, 5> kNames{{{"ALERT: ", log::Level::error},
                                                 {"ERROR: ", log::Level::error},
                                                 {"WARNING: ", log::Level::warning},
                                                 {"NOTICE: ", log::Level::debug},
                                                 {"DEBUG: ", log::Level::debug}}};
    const std::size_t end = line.starts_with('[') ? line.find("] ") : std::string_view::npos;
    if (end != std::string_view::npos) {
        const std::string_view rest = line.substr(end + 2);
        for (const Name& name : kNames) {
            if (rest.starts_with(name.text)) {
                return {name.level, rest.substr(name.text.size())};
            }
        }
    }
    return {log::Level::warning, line};
}

KeptProgram::Manner PhpFpmPool::manner() const {
    KeptProgram::Manner manner;
    manner.finish = os::ChildRequest::finish;
    manner.forLeftOvers = std::chrono::seconds(10);
    return manner;
}

Result<os::ChildSetup> PhpFpmPool::setup() {
    const std::string file = endpoint() + ".conf";
    const std::string handed = handedName(endpoint());
    if (Result<void> written = os::writeAtomically(file, fpmConfiguration(settings(), handed), kFileMode);
        !written) {
        return written.error();
    }
    os::ChildSetup setup;
    setup.argv = {settings().binary.path, "--nodaemonize", "--fpm-config", file};
    if (settings().account && settings().account->user == 0) {
        setup.argv.emplace_back("--allow-to-run-as-root");
    }
    setup.environment = phpEnvironment(settings());
    // How a master hands its sockets to its successor; we are its predecessor.
    setup.environment->push_back(fmt::format("FPM_SOCKETS={}={}", handed, kSocketNumber));
    setup.handles = {{listener().native(), kSocketNumber}};
    setup.folder = "/";
    setup.ourDeath = os::OurDeath::terminates;
    return setup;
}

bool PhpFpmPool::onLine(std::string_view line) {
    const FpmLine parsed = parseFpmLine(line);
    say(parsed.level, parsed.text);
    return parsed.text == kReady;
}

} // namespace saker::php
