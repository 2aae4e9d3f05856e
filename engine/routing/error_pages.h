// Bodies of error answers: the built-in pages, and pages that a site brings along. Pure functions; reading
// the site's files and sending the answer is the caller's. Everything that comes from a request is escaped.
#pragma once

#include "routing/page.h"

#include <array>
#include <string>
#include <string_view>

namespace saker::routing {

/// What a page may say. Views are used during the call only; empty ones are left out.
struct ErrorFacts {
    int status = 500;
    std::string_view sentence;  ///< instead of errorSentence(status)
    std::string_view host;      ///< as asked
    std::string_view path;      ///< decoded or not, as it shall be shown
    std::string_view referer;   ///< as sent: the ${0} of a site's page
    std::string_view reference; ///< names the request in the log
    std::string_view detail;    ///< what happened, several lines (DebugPages); never for strangers
};

/// A sentence for people who did nothing wrong, for every status from 400 to 599.
std::string_view errorSentence(int status);

/// The built-in page. JSON is application/problem+json (RFC 9457).
Page errorPage(const ErrorFacts& facts, PageFormat format);

/// Names to look for in a site's folder, the best first: {"error404.html", "error4xx.html"}.
std::array<std::string, 2> errorFileNames(int status);

/// A site's own page as HTML. Placeholders: ${0} or ${referer}, ${status}, ${reason}, ${host}, ${path},
/// ${reference}. Values are HTML-escaped: they are safe in text and in quoted attributes (an address such as
/// href="${0}" shows what the client itself sent), not inside <script> or <style>.
Page siteErrorPage(std::string_view text, const ErrorFacts& facts);

} // namespace saker::routing
