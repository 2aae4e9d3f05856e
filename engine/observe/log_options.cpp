#include "observe/log_options.h"

#include "schema/type_of.h"

namespace saker::log {

std::span<const schema::Choice> schemaChoices(Level) {
    static constexpr schema::Choice kChoices[] = {
        {"error", static_cast<int>(Level::error), "Only what failed."},
        {"warning", static_cast<int>(Level::warning), "Also what may need attention."},
        {"info", static_cast<int>(Level::info), "Also what the server does on the whole."},
        {"debug", static_cast<int>(Level::debug), "Everything, for finding faults."},
    };
    return kChoices;
}

} // namespace saker::log

namespace saker::observe {

using schema::field;
using schema::Unit;

std::span<const schema::Choice> schemaChoices(AccessLogFormat) {
    static constexpr schema::Choice kChoices[] = {
        {"combined", static_cast<int>(AccessLogFormat::combined), "The lines that Apache and nginx write."},
        {"vhost_combined", static_cast<int>(AccessLogFormat::vhostCombined),
         "The same behind the site and its port."},
        {"json", static_cast<int>(AccessLogFormat::json),
         "An object a line, keys of the Elastic Common Schema."},
    };
    return kChoices;
}

const schema::Description& AccessLogOptions::fields() {
    static const schema::Description kFields = [] {
        auto description = schema::describe<AccessLogOptions>(
            "Logs and metrics",
            {field("File", "File", &AccessLogOptions::file)
                 .withHelp(
                     "The file that lines are appended to. Empty means no access log, \"-\" standard output.")
                 .asFile(),
             field("Format", "Format", &AccessLogOptions::format).withHelp("How a line looks."),
             field("RotateSize", "Rotate at", &AccessLogOptions::rotateSize)
                 .withHelp("The size at which the file is set aside and a new one begun. 0 means never, for "
                           "those who use logrotate and send SIGUSR1.")
                 .countedIn(Unit::bytes),
             field("Keep", "Keep", &AccessLogOptions::keep)
                 .withHelp("How many files that were set aside stay; older ones are deleted.")
                 .within(0, 10000)});
        description.setShorthand("File");
        return description;
    }();
    return kFields;
}

const schema::Description& LogOptions::fields() {
    static const schema::Description kFields = schema::describe<LogOptions>(
        "Logs and metrics",
        {field("Logging", "Error log to a file", &LogOptions::logging)
             .withHelp("Whether errors also go to ErrorLogFile. They always reach standard error, which is "
                       "the journal when systemd runs the server.")
             .withNote("true: errors also go to ErrorLogFile"),
         field("ErrorLogFile", "Error log file", &LogOptions::errorLogFile)
             .withHelp("Where errors are written when Logging is on.")
             .asFile(),
         field("LogLevel", "Log level", &LogOptions::logLevel)
             .withHelp("How much is said on standard error and in ErrorLogFile. The command line's "
                       "--log-level comes first."),
         field("AccessLog", "Access log", &LogOptions::accessLog)
             .withHelp("One line for every request: the name of a file, or an object with File, Format, "
                       "RotateSize and Keep. Empty means none.")
             .withNote("A file for one line per request, e.g. \"access.log\""),
         field("DebugPages", "Telling error pages", &LogOptions::debugPages)
             .withHelp("Whether error pages say what happened: site, rule, handler, upstream, exception. "
                       "Only for clients on this machine unless DebugPagesRemote is on too.")
             .withNote("true: error pages say what happened"),
         field("DebugPagesRemote", "Telling error pages for everybody", &LogOptions::debugPagesRemote)
             .withHelp("Whether DebugPages is also for clients on other machines. It shows them paths and "
                       "messages from the inside of your sites.")
             .forExperts(),
         field("ServerMetrics", "More metrics", &LogOptions::serverMetrics)
             .withHelp("Requests, bytes, connections and rates are always counted. This adds counters for "
                       "each site, the histogram of latencies and the request lines of the command stats.")
             .withNote("Total requests and the latest rps, rpm, rph in \"stats\"")});
    return kFields;
}

} // namespace saker::observe
