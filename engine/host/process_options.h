// The process itself: workers, event backend, rights, files of its own.
#pragma once

#include "schema/types.h"

#include <cstdint>
#include <span>
#include <string>

namespace saker::host {

enum class EventBackend : std::uint8_t { automatic, epoll, ioUring, fault };
std::span<const schema::Choice> schemaChoices(EventBackend);

struct ProcessOptions {
    std::uint32_t workers = 0; ///< 0: as many as the affinity mask and the control group allow
    EventBackend eventBackend = EventBackend::automatic;
    std::string user;    ///< "": stay who we are
    std::string pidFile; ///< "": none
    schema::Duration shutdownTimeout = std::chrono::seconds(30);
    std::string dataDir; ///< "": the usual place

    bool operator==(const ProcessOptions&) const = default;
    static const schema::Description& fields();
};

} // namespace saker::host
