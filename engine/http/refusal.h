// The answer that a protocol gives by itself to a request that it refuses; the same in every version of HTTP.
#pragma once

#include "http/handler.h"
#include "http/response.h"

namespace saker::http {

/// The head for a page of Handler::errorPage(); the page's body goes with it.
ResponseHead refusalHead(int status, const Handler::Page& page);

} // namespace saker::http
