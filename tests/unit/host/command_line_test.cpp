#include "host/command_line.h"

#include <gmock/gmock.h>

#include <map>

namespace saker::host {
namespace {

using Action = CommandLine::Action;
using Arguments = std::vector<std::string_view>;
using Ports = std::vector<std::uint16_t>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<CommandLine> parse(const Arguments& arguments,
                          std::map<std::string, std::string, std::less<>> environment = {}) {
    return parseCommandLine(arguments, [&](std::string_view name) {
        auto found = environment.find(name);
        return found == environment.end() ? std::string() : found->second;
    });
}

CommandLine parsed(const Arguments& arguments) {
    auto line = parse(arguments);
    if (!line) {
        ADD_FAILURE() << line.error().text();
        return {};
    }
    return *line;
}

TEST(CommandLineTest, nothingMeansTheConfigurationDecides) {
    CommandLine line = parsed({});
    EXPECT_EQ(line.action, Action::run);
    EXPECT_FALSE(line.quick);
    EXPECT_EQ(line.configFile, "");
    EXPECT_FALSE(line.overrides.httpPorts || line.overrides.httpsPorts || line.overrides.backendDir ||
                 line.overrides.webDir || line.overrides.certDir || line.overrides.addresses ||
                 line.overrides.workers || line.overrides.logLevel);
}

TEST(CommandLineTest, takesTheSeedsExample) {
    CommandLine line =
        parsed({"--httpPort=80,8080", "--httpsPort=443,8443", "--backend=/var/www/dynamic_files"});
    EXPECT_EQ(line.overrides.httpPorts, (Ports{80, 8080}));
    EXPECT_EQ(line.overrides.httpsPorts, (Ports{443, 8443}));
    EXPECT_EQ(line.overrides.backendDir, "/var/www/dynamic_files");
}

TEST(CommandLineTest, takesEveryValueOption) {
    CommandLine line = parsed({"--webPath=/srv", "--certPath=/etc/certs", "--ip=127.0.0.1,::1",
                               "--config=my.json", "--workers=3", "--log-level=DEBUG", "--daemon", "--exit"});
    EXPECT_EQ(line.overrides.webDir, "/srv");
    EXPECT_EQ(line.overrides.certDir, "/etc/certs");
    EXPECT_EQ(line.overrides.addresses, (std::vector<std::string>{"127.0.0.1", "::1"}));
    EXPECT_EQ(line.configFile, "my.json");
    EXPECT_EQ(line.overrides.workers, 3u);
    EXPECT_EQ(line.overrides.logLevel, "debug");
    EXPECT_TRUE(line.daemon);
    EXPECT_THAT(line.notes, IsEmpty());
}

TEST(CommandLineTest, namesAreFoldedAndValuesMayFollow) {
    for (const Arguments& arguments :
         {Arguments{"--HTTPPORT=81"}, Arguments{"--http-port=81"}, Arguments{"--httpPort", "81"},
          Arguments{"--httpPort=9", "--httpport=81"}}) {
        EXPECT_EQ(parsed(arguments).overrides.httpPorts, Ports{81}) << arguments[0];
    }
    EXPECT_EQ(parsed({"--backend=a=b"}).overrides.backendDir, "a=b");
    EXPECT_EQ(parsed({"--backend="}).overrides.backendDir, "");
}

TEST(CommandLineTest, portLists) {
    EXPECT_EQ(parsed({"--httpPort="}).overrides.httpPorts, Ports{});
    EXPECT_EQ(parsed({"--httpPort=80, 8080,80"}).overrides.httpPorts, (Ports{80, 8080}));
    EXPECT_EQ(parsed({"--httpPort=0,0"}).overrides.httpPorts, (Ports{0, 0}));
}

TEST(CommandLineTest, quickModeFillsInWhatIsNotGiven) {
    CommandLine line = parsed({"-d", "site"});
    EXPECT_TRUE(line.quick);
    EXPECT_EQ(line.overrides.webDir, "site");
    EXPECT_EQ(line.overrides.backendDir, "");
    EXPECT_EQ(line.overrides.httpPorts, Ports{7000});
    EXPECT_EQ(line.overrides.httpsPorts, Ports{});
    EXPECT_FALSE(line.overrides.addresses);

    line = parsed({"-p", "7001", "-a", "::1"});
    EXPECT_EQ(line.overrides.webDir, "./public");
    EXPECT_EQ(line.overrides.httpPorts, Ports{7001});
    EXPECT_EQ(line.overrides.addresses, std::vector<std::string>{"::1"});

    line = parsed({"-p7002", "-d=x", "-a127.0.0.1", "--httpPort=7003"});
    EXPECT_EQ(line.overrides.httpPorts, Ports{7003});
    EXPECT_EQ(line.overrides.webDir, "x");
}

TEST(CommandLineTest, environmentStandsInForOptions) {
    EXPECT_EQ(parse({}, {{"SAKER_CONFIG", "/etc/x.json"}})->configFile, "/etc/x.json");
    EXPECT_EQ(parse({"--config=y"}, {{"SAKER_CONFIG", "/etc/x.json"}})->configFile, "y");
    EXPECT_EQ(parse({"-d", "."}, {{"SAKER_CONFIG", "/etc/x.json"}})->configFile, "");
    EXPECT_EQ(parse({}, {{"SAKER_LOG_LEVEL", "debug"}})->overrides.logLevel, "debug");
    EXPECT_EQ(parse({"--log-level=error"}, {{"SAKER_LOG_LEVEL", "debug"}})->overrides.logLevel, "error");
    auto wrong = parse({}, {{"SAKER_LOG_LEVEL", "loud"}});
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, HasSubstr("SAKER_LOG_LEVEL"));
}

TEST(CommandLineTest, actionsThatDoNotStartTheServer) {
    EXPECT_EQ(parsed({"--help"}).action, Action::help);
    EXPECT_EQ(parsed({"-h"}).action, Action::help);
    EXPECT_EQ(parsed({"--version"}).action, Action::version);
    EXPECT_EQ(parsed({"-v"}).action, Action::version);
    EXPECT_EQ(parsed({"--print-schema"}).action, Action::printSchema);
    EXPECT_EQ(parsed({"--print-default-config"}).action, Action::printDefaultConfig);
    EXPECT_EQ(parsed({"--httpPort=80", "--httpsPort=443", "--backend=/var/www", "--help"}).action,
              Action::help);
    EXPECT_EQ(parsed({"--nonsense", "--backend", "--HELP"}).action, Action::help);
    EXPECT_EQ(parsed({"--version", "--help"}).action, Action::help);
}

TEST(CommandLineTest, checkTakesAFileOrNone) {
    for (const Arguments& arguments :
         {Arguments{"--check=x.json"}, Arguments{"--check", "x.json"}, Arguments{"-t", "x.json"},
          Arguments{"-t", "--config=x.json"}, Arguments{"--config=x.json", "--check"}}) {
        CommandLine line = parsed(arguments);
        EXPECT_EQ(line.action, Action::check);
        EXPECT_EQ(line.configFile, "x.json");
    }
    EXPECT_EQ(parsed({"-t"}).configFile, "");
}

TEST(CommandLineTest, testSessIsAcceptedAndSaysSo) {
    EXPECT_THAT(parsed({"--testSess"}).notes, ElementsAre("--testSess has no effect."));
    EXPECT_THAT(parsed({"--testSess=5"}).notes, ElementsAre("--testSess has no effect."));
}

TEST(CommandLineTest, usageErrors) {
    struct Case {
        Arguments arguments;
        const char* message;
    };
    const Case cases[] = {
        {{"--htpPort=80"}, "There is no option \"--htpPort\". Did you mean \"--httpPort\"?"},
        {{"-httpPort=80"}, "There is no option \"-httpPort\". Did you mean \"--httpPort\"?"},
        {{"-help"}, "There is no option \"-help\". Did you mean \"--help\"?"},
        {{"-x"}, "There is no option \"-x\"."},
        {{"--"}, "There is no option \"--\"."},
        {{"-"}, "\"-\" is not an option."},
        {{""}, "\"\" is not an option."},
        {{"/var/www"}, "write -d /var/www, or --backend=/var/www"},
        {{"--backend"}, "--backend needs a value, such as --backend=/var/www."},
        {{"--backend", "--webPath=x"}, "--backend needs a value"},
        {{"-p"}, "-p needs a value, such as -p 7000."},
        {{"--httpPort=http"},
         "--httpPort: \"http\" is not a port. Expected numbers from 0 to 65535 separated by "
         "commas, such as --httpPort=80,8080; 0 takes any free port."},
        {{"--httpPort=80,,81"}, "\"\" is not a port"},
        {{"--httpPort=65536"}, "\"65536\" is not a port"},
        {{"--httpPort=-1"}, "\"-1\" is not a port"},
        {{"--ip=localhost"}, "--ip: \"localhost\" is not an IP address. Expected addresses of this machine"},
        {{"-a", "nowhere"}, "-a: \"nowhere\" is not an IP address."},
        {{"--workers=0"}, "--workers: \"0\" is not a number of workers. Expected 1 to 1024, or auto."},
        {{"--workers=many"}, "\"many\" is not a number of workers"},
        {{"--log-level=loud"},
         "--log-level: \"loud\" is not a log level. Expected error, warning, info or debug."},
        {{"--config="}, "the name of the file is missing"},
        {{"--daemon=yes"}, "--daemon takes no value, but \"yes\" was given."},
        {{"--httpPort=443", "--httpsPort=443"}, "Port 443 is given for both HTTP and HTTPS"},
    };
    for (const Case& test : cases) {
        auto line = parse(test.arguments);
        ASSERT_FALSE(line) << test.message;
        EXPECT_EQ(line.error().kind, ErrorKind::usage);
        EXPECT_THAT(line.error().message, HasSubstr(test.message));
        EXPECT_THAT(line.error().message, HasSubstr("Try \"sakerd --help\"."));
    }
}

TEST(CommandLineTest, helpNamesEveryOptionAndFitsAScreenLine) {
    std::string help = helpText();
    for (const char* name : {"-a ADDR",        "-p PORT",
                             "-d DIR",         "--backend=",
                             "--webPath=",     "--certPath=",
                             "--httpPort=",    "--httpsPort=",
                             "--ip=",          "--config=",
                             "--check",        "-t",
                             "--print-schema", "--print-default-config",
                             "--workers=",     "--log-level=",
                             "--exit",         "--help",
                             "--version",      "SAKER_CONFIG",
                             "SAKER_LOG_LEVEL"}) {
        EXPECT_THAT(help, HasSubstr(name));
    }
    for (std::size_t at = 0; at < help.size();) {
        std::size_t end = help.find('\n', at);
        EXPECT_LE(end - at, 100u) << help.substr(at, end - at);
        at = end + 1;
    }
    EXPECT_THAT(versionText(), testing::StartsWith("sakerd "));
}

} // namespace
} // namespace saker::host
