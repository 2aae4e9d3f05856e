// A struct with a member of every kind, for the tests of what walks descriptions.
#pragma once

#include "schema/type_of.h"

namespace saker::schema::testing {

enum class Color : std::uint8_t { red = 0, green = 1, blue = 7 };

inline std::span<const Choice> schemaChoices(Color) {
    static constexpr Choice kChoices[] = {{"Red", 0, "Warm."}, {"Green", 1, "Calm."}, {"Blue", 7, "Cold."}};
    return kChoices;
}

struct Inner {
    std::string file;
    std::uint32_t keep = 3;
    bool operator==(const Inner&) const = default;
    static const Description& fields() {
        static const Description kFields = [] {
            auto description = describe<Inner>(
                "Inner", {field("File", "File", &Inner::file).withHelp("Where to.").asFile(),
                          field("Keep", "Keep", &Inner::keep).within(1, 9).withHelp("How many.")});
            description.setShorthand("File");
            return description;
        }();
        return kFields;
    }
};

struct Part {
    bool flag = false;
    bool operator==(const Part&) const = default;
    static const Description& fields() {
        static const Description kFields = describe<Part>(
            "Part", {field("Flag", "Flag", &Part::flag).withHelp("On or off.").withNote("on or off")});
        return kFields;
    }
};

struct Sample {
    std::uint16_t port = 80;
    std::int32_t offset = 0;
    double rate = 1.5;
    std::string name = "x";
    Color color = Color::red;
    std::optional<std::uint64_t> most;
    Duration wait = std::chrono::seconds(5);
    Duration delay = std::chrono::milliseconds(20);
    std::uint64_t size = 1024;
    std::vector<std::uint16_t> ports{1, 2};
    OrderedMap<std::string> headers{{"A", "b"}};
    OrderedMap<std::vector<std::string>> types;
    OrderedMap<Isolated<Inner>> sites;
    Inner log;
    Part part;

    void check(Checker& checker) const {
        for (std::size_t i = 0; i < ports.size(); ++i) {
            if (ports[i] == 666) {
                checker.error({"Ports", std::to_string(i)}, "not this port");
            }
        }
        if (name == "odd") {
            checker.warning({"Name"}, "an odd name");
        }
    }
    bool operator==(const Sample&) const = default;
    static const Description& fields() {
        static const Description kFields = [] {
            auto description = describe<Sample>(
                "Things",
                {field("Port", "Port", &Sample::port).within(1, 65535).applied(Apply::restart),
                 field("Offset", "Offset", &Sample::offset), field("Rate", "Rate", &Sample::rate).atLeast(0),
                 field("Name", "Name", &Sample::name).withHelp("The name of it."),
                 field("Color", "Color", &Sample::color).orNumbers(),
                 field("Most", "Most", &Sample::most).atLeast(1),
                 field("Wait", "Wait", &Sample::wait).atLeast(0),
                 field("Delay", "Delay", &Sample::delay).countedIn(Unit::milliseconds),
                 field("Size", "Size", &Sample::size).countedIn(Unit::bytes),
                 field("Ports", "Ports", &Sample::ports),
                 field("Headers", "Headers", &Sample::headers).keyedBy("header"),
                 field("Types", "Types", &Sample::types), field("Sites", "Sites", &Sample::sites),
                 field("Log", "Log", &Sample::log)});
            takeIn(description, &Sample::part);
            return description;
        }();
        return kFields;
    }
};

} // namespace saker::schema::testing
