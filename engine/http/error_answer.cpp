#include "http/error_answer.h"

namespace saker::http {

ErrorAnswer makeErrorAnswer(Handler& handler, int status, std::string_view sentence) {
    Handler::Page page = handler.errorPage(status, sentence);
    ErrorAnswer answer;
    answer.head.status = status;
    answer.head.set("Server", "Saker");
    answer.head.set("Content-Type", page.contentType);
    answer.head.set("Cache-Control", "no-store");
    answer.body.append(std::move(page.body));
    return answer;
}

} // namespace saker::http
