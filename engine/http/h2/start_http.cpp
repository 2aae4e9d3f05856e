#include "http/h2/start_http.h"

#include "http/h1/h1_connection.h"
#include "http/h2/h2_connection.h"

namespace saker::http {

void startHttp(net::Transport& transport, LoopContext& context, std::string_view protocol) {
    if (protocol == "h2") {
        H2Connection::start(transport, context);
    } else {
        H1Connection::start(transport, context);
    }
}

} // namespace saker::http
