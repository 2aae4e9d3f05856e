// Settings that are accepted and checked although nothing reads them yet. Each moves beside the code that
// uses it.
#pragma once

#include "schema/types.h"

#include <cstdint>
#include <string>

namespace saker::host {

struct LaterOptions {
    bool enableHtaccess = false;
    bool enableCs = true;
    bool enableWasm = false;
    bool allowSynchronousIO = false;
    std::uint64_t maxBytesPerSecond = 0;
    schema::Duration rateLimitTime = std::chrono::seconds(1);
    std::uint32_t rateLimitReq = 0;
    std::uint32_t rateLimitRefill = 100;
    std::uint32_t rateLimitQueue = 0;
    schema::Duration clearSessEveryXMin = std::chrono::minutes(5);
    std::string sessionsDir = "sess/";
    std::string sessionCookieName = "SSID";
    std::string randAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    void check(schema::Checker& checker) const;
    bool operator==(const LaterOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::host
