#include "host/later_options.h"

#include "base/text.h"
#include "schema/type_of.h"

#include <fmt/format.h>

namespace saker::host {

using schema::Apply;
using schema::field;
using schema::Unit;

const schema::Description& LaterOptions::fields() {
    static const schema::Description kFields = schema::describe<LaterOptions>(
        "Pages that run on the server",
        {field("EnableHtaccess", "Read .htaccess", &LaterOptions::enableHtaccess)
             .withHelp("Whether .htaccess files are obeyed.")
             .withNote(".htaccess support")
             .usedLater(),
         field("Enable_CS", "C# pages", &LaterOptions::enableCs)
             .withHelp("Whether files ending in ._cs and ._csdll are run as C# pages.")
             .withNote("C# / ._csdll backend support")
             .usedLater(),
         field("Enable_WASM", "WebAssembly pages", &LaterOptions::enableWasm)
             .withHelp("Whether files ending in ._wasm are run as WebAssembly pages.")
             .withNote("._wasm backend support")
             .usedLater(),
         field("AllowSynchronousIO", "Synchronous I/O in C# pages", &LaterOptions::allowSynchronousIO)
             .withHelp("Whether C# pages may read and write bodies synchronously.")
             .forExperts()
             .usedLater(),
         field("MaxBytesPerSecond", "Bandwidth of a client", &LaterOptions::maxBytesPerSecond)
             .withHelp("The most bytes per second that all connections of one client address get together. 0 "
                       "means no limit.")
             .withNote("Limit outbound bandwidth per client IP; 0 = no limit")
             .countedIn(Unit::bytes)
             .inGroup("Rate limits")
             .usedLater(),
         field("RateLimitTime", "Refill interval", &LaterOptions::rateLimitTime)
             .withHelp("How often a client's allowance of requests grows by RateLimitRefill.")
             .withNote("Seconds")
             .atLeast(0.001)
             .inGroup("Rate limits")
             .usedLater(),
         field("RateLimitReq", "Requests of a client", &LaterOptions::rateLimitReq)
             .withHelp("How many requests one client address may make at a stretch; more are answered with "
                       "429. 0 switches rate limits off.")
             .withNote(
                 "Requests within RateLimitTime before a specific IP is limited; 0 = off. Recommended: 500")
             .inGroup("Rate limits")
             .usedLater(),
         field("RateLimitRefill", "Refill", &LaterOptions::rateLimitRefill)
             .withHelp(
                 "By how many requests a client's allowance grows every RateLimitTime, up to RateLimitReq.")
             .inGroup("Rate limits")
             .usedLater(),
         field("RateLimitQueue", "Queue", &LaterOptions::rateLimitQueue)
             .withHelp("How many requests of a client beyond its allowance wait instead of being refused.")
             .inGroup("Rate limits")
             .usedLater(),
         field("ClearSessEveryXMin", "Forget sessions", &LaterOptions::clearSessEveryXMin)
             .withHelp("How often sessions that were saved are taken out of memory; they are read again when "
                       "needed. 0 means never.")
             .withNote("Minutes")
             .countedIn(Unit::minutes)
             .atLeast(0)
             .inGroup("Sessions")
             .usedLater(),
         field("SessionsDir", "Folder of sessions", &LaterOptions::sessionsDir)
             .withHelp("The folder that C# pages save sessions to.")
             .withNote("Used by C# pages for saving and loading sessions")
             .asFolder()
             .inGroup("Sessions")
             .usedLater(),
         field("SessionCookieName", "Session cookie", &LaterOptions::sessionCookieName)
             .withHelp("The name of the cookie that holds a session's id.")
             .inGroup("Sessions")
             .usedLater(),
         field("Rand_Alphabet", "Letters of random ids", &LaterOptions::randAlphabet)
             .withHelp("The letters that random ids, such as those of sessions, are made of.")
             .withNote("Letters used for randomizing, e.g. SSID")
             .inGroup("Sessions")
             .forExperts()
             .usedLater()});
    return kFields;
}

void LaterOptions::check(schema::Checker& checker) const {
    if (randAlphabet.size() < 2) {
        checker.error({"Rand_Alphabet"}, "expected at least two letters");
    }
    if (sessionCookieName.empty() || sessionCookieName.find_first_of(" \t\r\n=;,\"") != std::string::npos) {
        checker.error({"SessionCookieName"}, "expected the name of a cookie: no blanks, quotes, = ; or ,");
    }
}

} // namespace saker::host
