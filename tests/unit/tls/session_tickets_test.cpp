#include "tls/session_tickets.h"

#include "support/tls_server.h"

namespace saker::tls {
namespace {

using std::chrono::hours;
using test::TlsClient;

/// Keys under a clock of the test's own; what they do shows in who can resume.
class SessionTicketsTest : public test::TlsFixture {
protected:
    SessionTicketsTest() {
        parts.tickets = std::make_shared<SessionTickets>(hours(4), [this] { return now; });
        renew();
    }
    bool resumes(const TlsClient& from) {
        // A copy: a client uses a session of TLS 1.3 once.
        const test::SessionPtr session(SSL_SESSION_dup(from.session.get()));
        TlsClient again({TLS1_3_VERSION, "example.com", "", session.get()});
        connect(again);
        return SSL_session_reused(again.ssl()) == 1;
    }
    std::chrono::seconds now{1'000'000};
};

TEST_F(SessionTicketsTest, keysSealForHalfTheLifetimeAndOpenForTheLifetimeAfterThat) {
    TlsClient first({});
    connect(first);
    now += hours(3); // its key has sealed long enough
    TlsClient second({});
    connect(second);
    EXPECT_TRUE(resumes(first));
    now += hours(4);
    EXPECT_TRUE(resumes(first)); // its key retired four hours ago: the last moment
    now += hours(1);
    EXPECT_FALSE(resumes(first));
    EXPECT_TRUE(resumes(second));
}

TEST_F(SessionTicketsTest, keepsAFewKeysHoweverOftenTheyAreRenewed) {
    TlsClient first({});
    connect(first);
    for (int i = 0; i < 20; ++i) {
        parts.tickets->rotate();
    }
    EXPECT_FALSE(resumes(first));
}

TEST_F(SessionTicketsTest, obeysAShorterLifetime) {
    TlsClient first({});
    connect(first);
    parts.tickets->setLifetime(hours(1));
    now += hours(1);
    TlsClient second({});
    connect(second); // retires the first key
    now += hours(2);
    EXPECT_FALSE(resumes(first));
}

} // namespace
} // namespace saker::tls
