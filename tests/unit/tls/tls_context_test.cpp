#include "tls/tls_context.h"

#include "support/tls_server.h"

#include <fstream>
#include <sstream>

namespace saker::tls {
namespace {

using test::TlsClient;

class TlsContextTest : public test::TlsFixture {
protected:
    /// The common name that a client of that name is shown.
    std::string shownTo(const TlsClient::Options& options) {
        TlsClient client(options);
        auto server = connect(client);
        X509* certificate = SSL_get0_peer_certificate(client.ssl());
        if (!server->isSecured() || certificate == nullptr) {
            return "none: " + client.failure;
        }
        char name[64];
        X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
        return name;
    }
    static bool isRsa(const TlsClient& client) {
        return EVP_PKEY_get_base_id(X509_get0_pubkey(SSL_get0_peer_certificate(client.ssl()))) ==
               EVP_PKEY_RSA;
    }
};

TEST_F(TlsContextTest, showsTheCertificateOfTheName) {
    source->byName["one.test"].ecdsa = test::makeCredential("one.test");
    source->byName["two.test"].rsa = test::makeCredential("two.test", true);
    for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        EXPECT_EQ(shownTo({version, "one.test"}), "one.test");
        EXPECT_EQ(shownTo({version, "two.test"}), "two.test");
        EXPECT_EQ(shownTo({version, "unknown.test"}), "example.com");
        EXPECT_EQ(shownTo({version, ""}), "example.com");
    }
    EXPECT_EQ(source->asked.back(), "");
    EXPECT_EQ(source->asked.front(), "one.test");
}

TEST_F(TlsContextTest, choosesTheKeyThatTheClientKnows) {
    source->fallback.rsa = test::makeCredential("example.com", true);
    for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        TlsClient both({version});
        connect(both);
        EXPECT_FALSE(isRsa(both));
        TlsClient::Options options{version};
        options.setUp = [](SSL_CTX& context) {
            SSL_CTX_set1_sigalgs_list(&context, "rsa_pss_rsae_sha256:RSA+SHA256");
        };
        TlsClient onlyRsa(options);
        connect(onlyRsa);
        ASSERT_TRUE(onlyRsa.isConnected()) << onlyRsa.failure;
        EXPECT_TRUE(isRsa(onlyRsa));
    }
}

TEST_F(TlsContextTest, speaksTheVersionsOfTheProfile) {
    struct Case {
        TlsProfile profile;
        int version;
        bool works;
    };
    for (const Case& one :
         {Case{TlsProfile::modern, TLS1_2_VERSION, false}, Case{TlsProfile::modern, TLS1_3_VERSION, true},
          Case{TlsProfile::intermediate, TLS1_1_VERSION, false},
          Case{TlsProfile::intermediate, TLS1_2_VERSION, true},
          Case{TlsProfile::intermediate, TLS1_3_VERSION, true}, Case{TlsProfile::old, TLS1_VERSION, true},
          Case{TlsProfile::old, TLS1_3_VERSION, true}}) {
        options.profile = one.profile;
        renew();
        TlsClient client({one.version});
        auto server = connect(client);
        EXPECT_EQ(server->isSecured(), one.works) << static_cast<int>(one.profile) << ' ' << one.version;
    }
}

TEST_F(TlsContextTest, prefersAesUnlessTheClientHasNoneInHardware) {
    struct Case {
        const char* clients;
        const char* chosen;
    };
    for (const Case& one :
         {Case{"TLS_AES_256_GCM_SHA384:TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256",
               "TLS_AES_128_GCM_SHA256"},
          Case{"TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256", "TLS_CHACHA20_POLY1305_SHA256"}}) {
        TlsClient::Options offer;
        offer.setUp = [&](SSL_CTX& context) { SSL_CTX_set_ciphersuites(&context, one.clients); };
        TlsClient client(offer);
        connect(client);
        EXPECT_STREQ(SSL_get_cipher_name(client.ssl()), one.chosen);
    }
}

TEST_F(TlsContextTest, usesTheCiphersOfTheConfiguration) {
    options.ciphers = "ECDHE-ECDSA-AES256-GCM-SHA384";
    renew();
    TlsClient client({TLS1_2_VERSION});
    connect(client);
    EXPECT_STREQ(SSL_get_cipher_name(client.ssl()), "ECDHE-ECDSA-AES256-GCM-SHA384");
    options.ciphers = "NO-SUCH-CIPHER";
    auto made = TlsContext::make(options, parts);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, ErrorKind::configuration);
    EXPECT_EQ(made.error().where, "TlsCiphers");
}

TEST_F(TlsContextTest, agreesOnAProtocol) {
    struct Case {
        std::vector<std::string> ours;
        std::string offered;
        std::string chosen;
        bool works;
    };
    const std::string both = "\x08http/1.1\x02h2";
    for (const Case& one :
         {Case{{"h2", "http/1.1"}, both, "h2", true}, Case{{"http/1.1"}, both, "http/1.1", true},
          Case{{"h2", "http/1.1"}, "", "", true}, Case{{"h2", "http/1.1"}, "\x03xyz", "", false}}) {
        parts.protocols = one.ours;
        renew();
        TlsClient::Options offer;
        offer.alpn = one.offered;
        TlsClient client(offer);
        auto server = connect(client);
        ASSERT_EQ(server->isSecured(), one.works);
        if (one.works) {
            EXPECT_EQ(server->transport().protocol(), one.chosen);
        }
    }
}

TEST_F(TlsContextTest, resumesAcrossKeysAndConfigurations) {
    for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        TlsClient first({version});
        connect(first);
        ASSERT_NE(first.session, nullptr);
        parts.tickets->rotate();
        renew(); // a reload
        TlsClient second({version, "example.com", "", first.session.get()});
        auto server = connect(second);
        EXPECT_EQ(SSL_session_reused(second.ssl()), 1);
        EXPECT_EQ(second.session != nullptr, version == TLS1_3_VERSION) << "a ticket of 1.3 is used once";
        const test::SessionPtr renewed(SSL_get1_session(second.ssl())); // its ticket is of the new key
        parts.tickets->rotate();
        TlsClient third({version, "example.com", "", second.session ? second.session.get() : renewed.get()});
        connect(third);
        EXPECT_EQ(SSL_session_reused(third.ssl()), 1);
    }
    EXPECT_EQ(counters.read().tlsResumed, 4U);
}

TEST_F(TlsContextTest, resumesNothingWithForgottenKeysOrWhenItShallNot) {
    for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        parts.tickets = std::make_shared<SessionTickets>(std::chrono::hours(1));
        options.sessionLifetime = std::chrono::hours(1);
        renew();
        TlsClient first({version});
        connect(first);
        parts.tickets = std::make_shared<SessionTickets>(std::chrono::hours(1));
        renew();
        TlsClient second({version, "example.com", "", first.session.get()});
        auto server = connect(second);
        EXPECT_TRUE(server->isSecured());
        EXPECT_EQ(SSL_session_reused(second.ssl()), 0);

        options.sessionLifetime = std::chrono::seconds(0);
        renew();
        TlsClient third({version});
        connect(third);
        EXPECT_TRUE(third.session == nullptr || SSL_SESSION_has_ticket(third.session.get()) == 0);
    }
}

TEST_F(TlsContextTest, remembersSessionsOfClientsWithoutTickets) {
    TlsClient::Options plain{TLS1_2_VERSION};
    plain.setUp = [](SSL_CTX& context) { SSL_CTX_set_options(&context, SSL_OP_NO_TICKET); };
    TlsClient first(plain);
    auto server = connect(first);
    server->transport().close();
    ASSERT_NE(first.session, nullptr);
    plain.session = first.session.get();
    TlsClient second(plain);
    connect(second);
    EXPECT_EQ(SSL_session_reused(second.ssl()), 1);
}

TEST_F(TlsContextTest, staplesWhatTheCertificateCameWith) {
    auto credential = test::makeCredential("stapled.test");
    credential->ocspResponse = "not looked at here";
    source->byName["stapled.test"].ecdsa = credential;
    for (const char* name : {"stapled.test", "example.com"}) {
        TlsClient::Options options{TLS1_3_VERSION, name};
        options.setUp = [](SSL_CTX& context) {
            SSL_CTX_set_tlsext_status_type(&context, TLSEXT_STATUSTYPE_ocsp);
        };
        TlsClient client(options);
        connect(client);
        ASSERT_TRUE(client.isConnected());
        const unsigned char* response = nullptr;
        const long size = SSL_get_tlsext_status_ocsp_resp(client.ssl(), &response);
        EXPECT_EQ(size > 0, std::string(name) == "stapled.test");
    }
}

TEST_F(TlsContextTest, writesSecretsWhenAskedTo) {
    test::TempFolder folder;
    auto log = KeyLog::open(folder.at("keys"));
    ASSERT_TRUE(log);
    parts.keyLog = *log;
    renew();
    TlsClient client({});
    connect(client);
    std::ifstream file(folder.at("keys"));
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_NE(text.str().find("SERVER_TRAFFIC_SECRET_0 "), std::string::npos);
    EXPECT_TRUE(text.str().ends_with("\n"));
    using std::filesystem::perms;
    EXPECT_EQ(std::filesystem::status(folder.at("keys")).permissions() &
                  (perms::group_all | perms::others_all),
              perms::none);
}

// ---- certificates of clients ----

class ClientCertificateTest : public TlsContextTest {
protected:
    ClientCertificateTest() {
        parts.clientPolicy = [this](std::string_view name) {
            auto found = policies.find(name);
            return found == policies.end() ? nullptr : found->second;
        };
        for (auto mode : {ClientPolicy::Mode::optional, ClientPolicy::Mode::required}) {
            auto policy = ClientPolicy::parse(mode, authority.pem(), "ca.pem");
            EXPECT_TRUE(policy);
            policies[mode == ClientPolicy::Mode::optional ? "optional.test" : "required.test"] = *policy;
        }
        renew();
    }
    TlsClient::Options options(int version, const std::string& name, const test::MadeCertificate* own) {
        TlsClient::Options made{version, name};
        made.setUp = [own](SSL_CTX& context) {
            if (own != nullptr) {
                SSL_CTX_use_certificate(&context, own->certificate.get());
                SSL_CTX_use_PrivateKey(&context, own->key.get());
            }
        };
        return made;
    }

    test::MadeCertificate authority = test::makeCertificate("authority", false, nullptr, true);
    test::MadeCertificate good = test::makeCertificate("friend", false, &authority);
    test::MadeCertificate bad = test::makeCertificate("stranger");
    std::map<std::string, std::shared_ptr<const ClientPolicy>, std::less<>> policies;
};

TEST_F(ClientCertificateTest, admitsWhomThePolicyAdmits) {
    struct Case {
        const char* name;
        const test::MadeCertificate* own;
        bool works;
    };
    for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        for (const Case& one : {Case{"example.com", nullptr, true}, Case{"example.com", &bad, true},
                                Case{"optional.test", nullptr, true}, Case{"optional.test", &good, true},
                                Case{"optional.test", &bad, false}, Case{"required.test", nullptr, false},
                                Case{"required.test", &good, true}, Case{"required.test", &bad, false}}) {
            TlsClient client(options(version, one.name, one.own));
            auto server = connect(client);
            ASSERT_EQ(server->isSecured(), one.works) << one.name << ' ' << version << client.failure;
            if (one.works) {
                auto policy = policies.find(one.name);
                EXPECT_EQ(server->transport().clientPolicy(),
                          policy == policies.end() ? 0U : policy->second->id());
            }
        }
    }
}

TEST_F(ClientCertificateTest, resumesNoSessionUnderAnotherPolicy) {
    for (int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        TlsClient first(options(version, "example.com", nullptr));
        connect(first);
        ASSERT_NE(first.session, nullptr);
        TlsClient::Options other = options(version, "required.test", nullptr);
        other.session = first.session.get();
        TlsClient second(other);
        EXPECT_FALSE(connect(second)->isSecured());

        TlsClient known(options(version, "required.test", &good));
        connect(known);
        ASSERT_NE(known.session, nullptr);
        TlsClient::Options again = options(version, "required.test", nullptr);
        again.session = known.session.get();
        TlsClient resumed(again);
        auto server = connect(resumed);
        EXPECT_TRUE(server->isSecured());
        EXPECT_EQ(SSL_session_reused(resumed.ssl()), 1);
        EXPECT_EQ(server->transport().clientPolicy(), policies["required.test"]->id());
    }
}

TEST_F(ClientCertificateTest, tellsPoliciesApart) {
    auto same = ClientPolicy::parse(ClientPolicy::Mode::required, authority.pem(), "ca.pem");
    EXPECT_EQ((*same)->id(), policies["required.test"]->id());
    EXPECT_NE(policies["optional.test"]->id(), policies["required.test"]->id());
    auto none = ClientPolicy::parse(ClientPolicy::Mode::required, "nothing in it", "ca.pem");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().where, "ca.pem");
}

} // namespace
} // namespace saker::tls
