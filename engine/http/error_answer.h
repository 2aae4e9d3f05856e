// The answers that the protocol layer gives by itself: the configured error page under a plain head.
#pragma once

#include "base/buffer_chain.h"
#include "http/handler.h"
#include "http/response.h"

#include <string_view>

namespace saker::http {

struct ErrorAnswer {
    ResponseHead head;
    BufferChain body;
};

/// `sentence` tells the user what is wrong.
ErrorAnswer makeErrorAnswer(Handler& handler, int status, std::string_view sentence);

} // namespace saker::http
