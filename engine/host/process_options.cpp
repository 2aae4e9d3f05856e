#include "host/process_options.h"

#include "schema/type_of.h"

namespace saker::host {

using schema::Apply;
using schema::field;

std::span<const schema::Choice> schemaChoices(EventBackend) {
    static constexpr schema::Choice kChoices[] = {
        {"auto", static_cast<int>(EventBackend::automatic), "The best one that the system allows."},
        {"epoll", static_cast<int>(EventBackend::epoll), "Works on every Linux."},
        {"io_uring", static_cast<int>(EventBackend::ioUring),
         "Fewer system calls; an error where it is refused."},
        {"fault", static_cast<int>(EventBackend::fault),
         "For tests of the server itself: operations complete late, in pieces and out of order."},
    };
    return kChoices;
}

const schema::Description& ProcessOptions::fields() {
    static const schema::Description kFields = schema::describe<ProcessOptions>(
        "Process",
        {field("Workers", "Workers", &ProcessOptions::workers)
             .withHelp("How many event loops serve, each on a thread of its own. 0 means as many "
                       "as this process may use processors: its affinity mask and the quota of "
                       "its control group count. The command line's --workers comes first.")
             .within(0, 1024)
             .applied(Apply::restart),
         field("EventBackend", "Event backend", &ProcessOptions::eventBackend)
             .withHelp("How the operating system is asked for events.")
             .applied(Apply::restart)
             .forExperts(),
         field("User", "User", &ProcessOptions::user)
             .withHelp("The user that the server becomes once it listens, when it was started as "
                       "root. Empty means to stay who it is.")
             .applied(Apply::restart),
         field("PidFile", "Process id file", &ProcessOptions::pidFile)
             .withHelp("A file that holds the process id while the server runs. Empty means none.")
             .asFile()
             .applied(Apply::restart)
             .forExperts(),
         field("ShutdownTimeout", "Time to finish", &ProcessOptions::shutdownTimeout)
             .withHelp("How long requests under way may take to finish when the server is asked "
                       "to end. Then they are cut off. SIGQUIT and the command `shutdown drain` wait for "
                       "them without a limit; a second SIGTERM or Ctrl+C ends at once.")
             .atLeast(0)
             .forExperts(),
         field("DataDir", "Folder of data", &ProcessOptions::dataDir)
             .withHelp("Where the server keeps what it makes itself, such as the local certificate "
                       "authority. Empty means the usual place: the service manager's STATE_DIRECTORY, "
                       "/var/lib/saker for root, ~/.local/share/saker for other users.")
             .asFolder()
             .applied(Apply::restart)
             .forExperts()});
    return kFields;
}

} // namespace saker::host
