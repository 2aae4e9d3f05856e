#include "http/refusal.h"

namespace saker::http {

ResponseHead refusalHead(int status, const Handler::Page& page) {
    ResponseHead head;
    head.status = status;
    head.set("Server", "Saker");
    head.set("Content-Type", page.contentType);
    head.set("Cache-Control", "no-store");
    return head;
}

} // namespace saker::http
