#include "routing/error_pages.h"

#include "base/text.h"
#include "http/status.h"
#include "routing/embedded_pages.h"

#include <fmt/format.h>

#include <iterator>

namespace saker::routing {

namespace {

struct Sentence {
    int status;
    std::string_view text;
};

/// What a visitor can make of it. The class's own sentence stands for statuses that are not here.
constexpr Sentence kSentences[] = {
    {400, "The server could not understand this request."},
    {401, "You need to sign in to see this page."},
    {403, "You may not see this page."},
    {404, "There is nothing at this address. It may have moved, or the link is mistyped."},
    {405, "This address does not answer this kind of request."},
    {406, "This page does not exist in a form that your program accepts."},
    {408, "The request took too long to arrive. Please try again."},
    {409, "The request does not fit what is here now. Please reload and try again."},
    {410, "This page existed once and has been removed for good."},
    {411, "The request has to say how long it is."},
    {412, "The page has changed meanwhile. Please reload and try again."},
    {413, "This is larger than the server accepts."},
    {414, "The address is longer than the server accepts."},
    {415, "The server does not accept data of this kind here."},
    {416, "The page is shorter than the part that was asked for."},
    {417, "The server cannot do what the request expects of it."},
    {421, "This server does not answer for that address on this connection."},
    {422, "The server understood the data but cannot work with it."},
    {425, "The request came too early. Please try again."},
    {426, "This address needs another protocol."},
    {428, "The request has to say which version of the page it is about."},
    {429, "Too many requests in a short time. Please wait a moment."},
    {431, "The request carries more header fields than the server accepts. Deleting this site's cookies may "
          "help."},
    {451, "This page is not available for legal reasons."},
    {500, "Something went wrong on the server. Please try again later."},
    {501, "The server does not know how to do this."},
    {502, "The server behind this page gave no usable answer. Please try again later."},
    {503, "The server cannot answer right now. Please try again in a moment."},
    {504, "The server behind this page took too long to answer. Please try again later."},
    {505, "The server does not speak this version of HTTP."},
    {507, "The server has no room left to store this."},
    {508, "The server went round in circles on this request."},
    {511, "You need to sign in to this network first."},
};

/// The template of a form of the built-in page.
constexpr std::string_view embedded(std::string_view path) {
    for (const EmbeddedFile& file : kEmbeddedPages) {
        if (file.path == path) {
            return file.text;
        }
    }
    return {};
}
constexpr std::string_view kErrorPage = embedded("error.html");
static_assert(!kErrorPage.empty());

void appendMember(std::string_view name, std::string_view value, std::string& out) {
    if (!value.empty()) {
        out += ',';
        appendJson(name, out);
        out += ':';
        appendJson(value, out);
    }
}

Page htmlPage(const ErrorFacts& facts, std::string_view sentence) {
    Page page{"text/html; charset=utf-8", {}};
    page.body.reserve(kErrorPage.size() + 512 + facts.detail.size());
    fillTemplate(kErrorPage, page.body, [&](std::string_view name, std::string& out) {
        if (name == "status") {
            out += std::to_string(facts.status);
        } else if (name == "reason") {
            out += http::reasonPhrase(facts.status);
        } else if (name == "sentence") {
            out += escapeHtml(sentence);
        } else if (name == "where") {
            out += escapeHtml(facts.host);
            out += escapeHtml(facts.path);
        } else if (name == "reference" && !facts.reference.empty()) {
            out += "<br>";
            out += escapeHtml(facts.reference);
        } else if (name == "detail" && !facts.detail.empty()) {
            out += "<pre>";
            out += escapeHtml(facts.detail);
            out += "</pre>";
        }
        return true;
    });
    return page;
}

/// RFC 9457; "type" is about:blank, which means that the title is the status's own.
Page problemDetails(const ErrorFacts& facts, std::string_view sentence) {
    Page page{"application/problem+json", {}};
    std::string& out = page.body;
    fmt::format_to(std::back_inserter(out), "{{\"type\":\"about:blank\",\"status\":{}", facts.status);
    appendMember("title", http::reasonPhrase(facts.status), out);
    appendMember("detail", sentence, out);
    appendMember("instance", facts.path, out);
    appendMember("reference", facts.reference, out);
    appendMember("debug", facts.detail, out);
    out += "}\n";
    return page;
}

Page textPage(const ErrorFacts& facts, std::string_view sentence) {
    Page page{"text/plain; charset=utf-8", {}};
    page.body = fmt::format("{} {}\n{}\n", facts.status, http::reasonPhrase(facts.status), sentence);
    for (std::string_view line : {facts.reference, facts.detail}) {
        if (!line.empty()) {
            page.body += line;
            page.body += '\n';
        }
    }
    return page;
}

} // namespace

std::string_view errorSentence(int status) {
    for (const Sentence& sentence : kSentences) {
        if (sentence.status == status) {
            return sentence.text;
        }
    }
    return http::isServerError(status) ? "Something went wrong on the server. Please try again later."
                                       : "The server cannot answer this request.";
}

Page errorPage(const ErrorFacts& facts, PageFormat format) {
    std::string_view sentence = facts.sentence.empty() ? errorSentence(facts.status) : facts.sentence;
    switch (format) {
    case PageFormat::json:
        return problemDetails(facts, sentence);
    case PageFormat::text:
        return textPage(facts, sentence);
    case PageFormat::html:
        break;
    }
    return htmlPage(facts, sentence);
}

std::array<std::string, 2> errorFileNames(int status) {
    return {fmt::format("error{}.html", status), fmt::format("error{}xx.html", status / 100)};
}

Page siteErrorPage(std::string_view text, const ErrorFacts& facts) {
    Page page{"text/html; charset=utf-8", {}};
    page.body.reserve(text.size() + 256);
    fillTemplate(text, page.body, [&](std::string_view name, std::string& out) {
        if (name == "0" || name == "referer") {
            out += escapeHtml(facts.referer);
        } else if (name == "status") {
            out += std::to_string(facts.status);
        } else if (name == "reason") {
            out += http::reasonPhrase(facts.status);
        } else if (name == "host") {
            out += escapeHtml(facts.host);
        } else if (name == "path") {
            out += escapeHtml(facts.path);
        } else if (name == "reference") {
            out += escapeHtml(facts.reference);
        } else {
            return false; // a script's own template text, for example
        }
        return true;
    });
    return page;
}

} // namespace saker::routing
