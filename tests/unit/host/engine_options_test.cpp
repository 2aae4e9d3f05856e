#include "host/engine_options.h"

#include "host/config_texts.h"
#include "schema/type_of.h"

#include <gmock/gmock.h>

#include <set>

namespace saker::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

schema::Problems decodeText(std::string text, EngineOptions& options) {
    auto result = schema::read(std::move(text));
    EXPECT_TRUE(result.ok()) << result.problems[0].text();
    return schema::decode(result.document, options);
}

std::string allTexts(const schema::Problems& problems) {
    std::string out;
    for (const auto& problem : problems) {
        out += problem.text() + "\n";
    }
    return out;
}

// A file of the server that Saker replaces: every key, its comments, its spellings.
constexpr const char* kEstablishedFile = R"({
"Logging": false,
"DebugPages": false, // Show error pages
"ServerMetrics": false,
"LoopFindEndpoint": false, // /path1/path2/index.html -> /path1/path2 -> /path1 -> /
"EnableHtaccess": false,
"Enable_CS": true,
"Enable_WASM": false,
"AllowSynchronousIO": false,
"ForceTLS": false,
"BufferFastCGIResponse": false,
"MaxConcurrentConnections": null,
"MaxConcurrentUpgradedConnections": 10000,
"MaxRequestBodySize": 8000000000,
"HttpProxyTimeout": 300.0,
"bytesPerSecond": 1.0,
"gracePeriod": 5,
"MaxBytesPerSecond": 0,
"RequestTimeout": 0,
"KeepAliveTimeout": 130,
"RequestHeadersTimeout": 30,
"RateLimitTime": 1,
"RateLimitReq": 0,
"RateLimitRefill": 100,
"RateLimitQueue": 0,
"MaxFilePathLength": 512,
"FCGI_ReceiveTimeout": 300000,
"FCGI_SendTimeout": 300000,
"FCGI_MaxPoolSize": 20,
"ClearSessEveryXMin": 5,
"WebSocketTimeout": 300,
"WebSocketEndpointTimeout": 30,
"MaxDirDepth": 15,
"HttpsPorts": [ // --httpsPort=443,8443
443, 8443
],
"HttpPorts": [ 80, 8080 ],
"CertDir": "certs/",
"WWWdir": "",
"BackendDir": "www",
"SessionsDir": "sess/",
"SessionCookieName": "SSID",
"Rand_Alphabet": "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
"FilterFromDomain": "",
"DomainFilterTo": "",
"indexPriority": ["index._csdll", "index._cs", "index.php", "index._wasm", "index.njs", "index.bun", "index.html"],
"DownloadIfExtension": ["zip", "tar", "gz", "jar", "apk", "dll", "exe", "bat", "bash", "sh", "x86_64"],
"CompressionLevel": 0, // "Optimal" / 0, "Fastest" / 1, "NoCompression" / 2, "SmallestSize" / 3
"ExtTypes": {
"html,htm,xhtml": ["Content-Type: text/html", "Cache-Control: max-age=86400"],
"apk": ["Content-Type: application/vnd.android.package-archive"],
"srt,vtt": ["Content-Type: text/plain; charset=utf-8"]
},
"ForwardExt": {
"njs": "http://{domain}:7001",
"bun": "http://{domain}:3000",
"php": "fcgi://127.0.0.1:9000"
},
"DefaultHeaders": {
"Server": "JH",
"vary": "Accept-Encoding",
"Accept-Ranges": "bytes",
"Access-Control-Allow-Origin": "*",
"cache-control": "max-age=300"
},
"DomainAlias": {
"www.example.com": "example.com",
"127.0.0.1": "localhost"
},
"UrlAlias": {
// "example.com/testing1234": "/test2"
}
})";

TEST(EngineOptions, ReadsAnEstablishedFileAndFindsItsDefaultsThere) {
    EngineOptions options;
    EXPECT_EQ(allTexts(decodeText(kEstablishedFile, options)), "");
    const EngineOptions standard;
    EXPECT_EQ(options.http, standard.http);
    EXPECT_EQ(options.listen, standard.listen);
    EXPECT_EQ(options.routing, standard.routing);
    EXPECT_EQ(options.log, standard.log);
    EXPECT_EQ(options.staticFiles.downloadIfExtension, standard.staticFiles.downloadIfExtension);
    EXPECT_EQ(options.staticFiles.defaultHeaders[0].second, "JH");
    EXPECT_EQ(options.staticFiles.extTypes.size(), 3u);
    std::vector<schema::Change> changes = schema::diff(EngineOptions::fields(), &standard, &options);
    std::vector<std::string> keys;
    for (const auto& change : changes) {
        keys.push_back(change.key);
    }
    EXPECT_THAT(keys, ElementsAre("ExtTypes", "DefaultHeaders", "ForwardExt"));
}

TEST(EngineOptions, HoldsEveryEstablishedKeyInItsSpelling) {
    auto read = schema::read(kEstablishedFile);
    std::vector<std::string_view> keys;
    for (const auto& member : read.document.root().members) {
        keys.push_back(member.key);
        const schema::Field* field = EngineOptions::fields().find(member.key);
        ASSERT_TRUE(field) << member.key;
        EXPECT_EQ(field->key, member.key);
    }
    EXPECT_THAT(keys, ::testing::ElementsAreArray(establishedKeys()));
}

TEST(EngineOptions, EveryFieldIsFullyDescribed) {
    std::set<std::size_t> offsets;
    for (const schema::Field& field : EngineOptions::fields().fields()) {
        EXPECT_FALSE(field.label.empty()) << field.key;
        EXPECT_FALSE(field.group.empty()) << field.key;
        ASSERT_FALSE(field.help.empty()) << field.key;
        EXPECT_EQ(field.help.back(), '.') << field.key << ": help is in full sentences";
        EXPECT_TRUE(offsets.insert(field.offset).second)
            << field.key << " shares its member with another key";
    }
}

TEST(EngineOptions, TheDefaultFileMeansTheDefaults) {
    EngineOptions options;
    options.routing.domainAlias.clear();
    options.staticFiles.extTypes.clear();
    options.forward.forwardExt.clear();
    EXPECT_EQ(allTexts(decodeText(defaultConfigText(), options)), "");
    EXPECT_EQ(options, EngineOptions());
}

TEST(EngineOptions, TakesNumbersAndTextsForCompressionLevel) {
    for (const char* value : {"3", "\"SmallestSize\"", "\"smallestsize\""}) {
        EngineOptions options;
        EXPECT_THAT(decodeText(std::string("{\"compressionlevel\": ") + value + "}", options), IsEmpty());
        EXPECT_EQ(options.staticFiles.compressionLevel, http::CompressionLevel::smallestSize);
    }
    EngineOptions options;
    EXPECT_THAT(allTexts(decodeText(R"({"CompressionLevel": "Optimum"})", options)),
                HasSubstr("Did you mean \"Optimal\"?"));
    EXPECT_THAT(allTexts(decodeText(R"({"CompressionLevel": 4})", options)),
                HasSubstr("\"NoCompression\" (2)"));
}

TEST(EngineOptions, RefusesWhatCannotBeRight) {
    struct Case {
        const char* text;
        const char* expected;
    };
    const Case cases[] = {
        {R"({"HttpPorts": [80, 81, 80]})", "HttpPorts[2]: port 80 is listed more than once"},
        {R"({"HttpPorts": [90], "HttpsPorts": [90]})", "HttpsPorts[0]: port 90"},
        {R"({"HttpPorts": 80})", "a list is written in brackets"},
        {R"({"HttpPorts": [65536]})", "HttpPorts[0]: expected at most 65535"},
        {R"({"ListenAddresses": ["localhost"]})", "ListenAddresses[0]: expected an address in numbers"},
        {R"({"DefaultHeaders": {"X Y": "1"}})", "DefaultHeaders › \"X Y\": \"X Y\" is not a header name"},
        {R"({"DefaultHeaders": {"X": "a\r\nSet-Cookie: b"}})", "control character"},
        {R"({"DefaultHeaders": {"Content-Length": "5"}})", "the server sets Content-Length itself"},
        {R"({"ExtTypes": {"html": ["Content-Type text/html"]}})",
         "ExtTypes › html[0]: expected \"Name: value\""},
        {R"({"ExtTypes": {"html,,htm": []}})", "separated by commas"},
        {R"({"ExtTypes": {"html": "Content-Type: text/html"}})", "ExtTypes › html: expected a list"},
        {R"({"UrlAlias": {"a/b": "c"}})", "UrlAlias › \"a/b\": expected a path that begins with /"},
        {R"({"UrlAlias": {"ab": "/c"}})", "expected \"host/path\""},
        {R"({"UrlAlias": {"/b": "/c"}})", "without a host no request matches"},
        {R"({"DomainAlias": {"http://a": "b"}})", "expected a host name"},
        {R"({"indexPriority": ["a/b.html"]})", "indexPriority[0]"},
        {R"({"ErrorPages": {"200": "x.html"}})", "ErrorPages[200]: expected a status"},
        {R"({"ErrorPages": {"404": "../x.html"}})", "ErrorPages[404]: expected a file in the site's folder"},
        {R"({"ForwardExt": {"php": "127.0.0.1:9000"}})",
         "\"127.0.0.1:9000\" is no address of an upstream; expected one like \"http://127.0.0.1:3000\""},
        {R"({"DownloadIfExtension": [".zip"]})", "without its dot"},
        {R"({"MaxRequestBodySize": -1})", "expected at least 0"},
        {R"({"KeepAliveTimeout": "long"})", "expected a number of seconds"},
        {R"({"TlsCiphers": "NO-SUCH-CIPHER"})", "TlsCiphers: OpenSSL knows none of these"},
        {R"({"TlsProfile": "ancient"})", "TlsProfile"},
        {R"({"TlsSessionLifetime": "8d"})", "TlsSessionLifetime: expected at most"},
        {R"({"Hsts": true})", "Hsts"},
        {R"({"MaxDirDepth": 1001})", "MaxDirDepth: expected at most 1000"},
    };
    for (const Case& c : cases) {
        EngineOptions options;
        auto problems = decodeText(c.text, options);
        EXPECT_TRUE(hasErrors(problems)) << c.text;
        EXPECT_THAT(allTexts(problems), HasSubstr(c.expected));
    }
}

TEST(EngineOptions, ReadsSites) {
    EngineOptions options;
    auto problems = decodeText(R"({"Sites": {
        "Example.com": {"Root": "/srv", "Aliases": ["www.example.com"], "CasePolicy": "redirect", "AccessLog": "a.log",
                        "CompressionLevel": 1, "ErrorPages": {"404": "x.html"}, "DirectoryListing": null},
        "broken.com": {"CasePolicy": "sometimes", "DefaultHeaders": {"A B": "c"}},
        "worse.com": {"DefaultHeaders": {"A B": "c"}},
        "other.com": {"Aliases": ["www.example.com"]}
    }})",
                               options);
    EXPECT_FALSE(hasErrors(problems)) << allTexts(problems);
    EXPECT_THAT(allTexts(problems),
                HasSubstr("Sites › \"other.com\" › Aliases: \"www.example.com\" already belongs"));
    const auto& sites = options.routing.sites;
    ASSERT_EQ(sites.size(), 4u);
    const routing::SiteOptions& site = *sites[0].second.value;
    EXPECT_EQ(site.root, "/srv");
    EXPECT_EQ(site.casePolicy, routing::CasePolicy::redirect);
    EXPECT_EQ(site.accessLog->file, "a.log");
    EXPECT_EQ(site.compressionLevel, http::CompressionLevel::fastest);
    EXPECT_EQ(site.directoryListing, std::nullopt);
    EXPECT_FALSE(sites[1].second.value);
    EXPECT_THAT(allTexts(sites[1].second.problems), HasSubstr("Sites › \"broken.com\" › CasePolicy"));
    EXPECT_FALSE(sites[2].second.value);
    EXPECT_THAT(allTexts(sites[2].second.problems),
                HasSubstr("Sites › \"worse.com\" › DefaultHeaders › \"A B\""));
    EXPECT_TRUE(sites[3].second.value);
}

TEST(EngineOptions, ReadsWhatSitesWantOfTheChannel) {
    EngineOptions options;
    auto problems = decodeText(R"({"HttpsRedirect": true, "Hsts": {"MaxAge": "1h"}, "Sites": {
        "a.com": {"HttpsRedirect": false, "Hsts": {"IncludeSubDomains": true, "Preload": true},
                  "ClientCertificates": {"Mode": "required", "CaFile": "ca.pem"}},
        "b.com": {"ClientCertificates": {"Mode": "optional"}},
        "c.com": {"Hsts": {"MaxAge": 60, "Preload": true}}
    }})",
                               options);
    EXPECT_TRUE(options.routing.httpsRedirect);
    EXPECT_EQ(options.routing.hsts->value(), "max-age=3600");
    const auto& sites = options.routing.sites;
    const routing::SiteOptions& site = *sites[0].second.value;
    EXPECT_EQ(site.httpsRedirect, false);
    EXPECT_EQ(site.hsts->value(), "max-age=31536000; includeSubDomains; preload");
    EXPECT_EQ(site.clientCertificates.mode, routing::ClientCertificateMode::required);
    EXPECT_FALSE(sites[1].second.value);
    EXPECT_THAT(allTexts(sites[1].second.problems),
                HasSubstr("Sites › \"b.com\" › ClientCertificates › CaFile: expected"));
    EXPECT_TRUE(sites[2].second.value);
    EXPECT_THAT(allTexts(problems), HasSubstr("Sites › \"c.com\" › Hsts › Preload: the list of browsers"));
}

TEST(EngineOptions, SourcesAreTheExtensionsOfAllPagesThatRun) {
    EngineOptions options;
    options.forward.forwardExt = {{"RB", "http://127.0.0.1:1"}};
    EXPECT_THAT(options.scriptExtensions(),
                ::testing::IsSupersetOf({"_cs", "_csdll", "_wasm", "bun", "njs", "php", "rb"}));
}

} // namespace
} // namespace saker::host
