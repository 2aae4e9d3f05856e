#include "handlers/fastcgi/fastcgi_handler.h"

#include "base/version.h"
#include "handlers/fastcgi/cgi_variables.h"
#include "http/authority.h"
#include "observe/log.h"

namespace saker::fastcgi {

namespace {

constexpr std::size_t kLongestLine = 4096; // of STDERR in the log

} // namespace

/// What becomes of one answer.
class FastCgiHandler::Reply final : public upstream::ReplyHandler {
public:
    Reply(std::shared_ptr<const routing::Site> site, routing::ErrorResponder& errors,
          std::shared_ptr<observe::RepeatLimit> failureLimit)
        : site_(std::move(site)), errors_(errors), failureLimit_(std::move(failureLimit)) {}
    ~Reply() override { writeLine(); }
    Reply(const Reply&) = delete;
    Reply& operator=(const Reply&) = delete;

    bool onHead(http::Exchange&, upstream::ReplyHead& reply) override {
        site_->rules->addDynamicHeaders(reply.head);
        return true;
    }
    void onFailure(http::Exchange& exchange, int status, const std::string& detail) override {
        failureLimit_->write(log::Level::error, site_->name, "{} ({})", detail, status);
        errors_.fail(exchange, site_, status, detail);
    }
    void onBrokenOff(http::Exchange&, const std::string& detail) override {
        failureLimit_->write(log::Level::error, site_->name, "{} (in the middle of an answer)", detail);
    }
    void onErrorText(http::Exchange&, std::string_view text) override {
        for (char c : text) {
            if (c == '\n' || line_.size() == kLongestLine) {
                writeLine();
            }
            if (c != '\n') {
                line_ += c;
            }
        }
    }

private:
    void writeLine() {
        if (!line_.empty()) {
            log::warning(site_->name, "{}", line_);
            line_.clear();
        }
    }

    std::shared_ptr<const routing::Site> site_;
    routing::ErrorResponder& errors_; // outlives the exchange, as all of its configuration does
    std::shared_ptr<observe::RepeatLimit> failureLimit_;
    std::string line_; // of STDERR, not complete yet
};

FastCgiHandler::FastCgiHandler(PoolOf poolOf, const upstream::ExchangeOptions& options,
                               routing::ErrorResponder& errors)
    : poolOf_(std::move(poolOf)), options_(options), errors_(errors),
      failureLimit_(std::make_shared<observe::RepeatLimit>(std::chrono::seconds(1))) {}

void FastCgiHandler::run(http::Exchange& exchange, const routing::Script& script) {
    exchange.account.handler = observe::HandlerKind::fastCgi;
    const http::RequestHead& request = exchange.request();
    const Result<Ref<upstream::UpstreamPool>> found = poolOf_(*script.site);
    if (!found) {
        failureLimit_->write(log::Level::error, script.site->name, "{} (503)", found.error().message);
        errors_.fail(exchange, script.site, 503, found.error().message);
        return;
    }
    const Ref<upstream::UpstreamPool>& pool = *found;
    static const std::string kSoftware = std::string("Saker/") + saker::kVersion;
    const std::string documentRoot = script.documentRoot();
    const std::string fileName = script.fileName();
    const std::string scriptName = script.name();
    const auto authority = http::splitAuthority(request.authority());
    CgiContext context{request, exchange.client(), exchange.local()};
    context.isEncrypted = exchange.isClientEncrypted();
    context.serverSoftware = kSoftware;
    context.serverName = authority ? authority->host : std::string_view();
    context.documentRoot = documentRoot;
    context.scriptFilename = fileName;
    context.scriptName = scriptName;
    context.pathInfo = script.pathInfo;
    std::string variables;
    variables.reserve(2048);
    appendCgiVariables(context, variables);
    auto protocol = std::make_unique<FastCgiProtocol>(request.method, std::move(variables));
    auto reply = std::make_unique<Reply>(script.site, errors_, failureLimit_);
    upstream::UpstreamExchange::start(exchange.retain(), std::move(protocol), std::move(pool),
                                      std::move(reply), options_);
}

} // namespace saker::fastcgi
