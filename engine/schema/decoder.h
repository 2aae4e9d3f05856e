// Where a walk over a tree stands and what it has found wrong. Used by the types while decoding, and by the
// check() functions of options structs for what types alone cannot say.
#pragma once

#include "schema/document.h"
#include "schema/problem.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace saker::schema {

/// Collects every problem of one decoding, up to a bound that keeps hostile texts from filling the memory.
class Decoder {
public:
    static constexpr std::size_t kMaxProblems = 200;

    Decoder(const Document& document, Problems& problems) : document_(document), problems_(&problems) {}

    void error(const Node& at, std::string message) { report(Problem::Severity::error, at.begin, message); }
    void warning(std::uint32_t offset, std::string message) {
        report(Problem::Severity::warning, offset, message);
    }
    /// No more problems are taken: the walk may stop looking for some.
    bool full() const { return count_ >= kMaxProblems; }
    std::size_t errorCount() const { return errors_; }
    const Document& document() const { return document_; }
    const std::string& pointer() const { return pointer_; }
    void report(Problem::Severity severity, std::uint32_t offset, std::string& message);

    /// One step down the tree for the life of this object.
    class Step {
    public:
        Step(Decoder& decoder, std::string_view token);
        ~Step() { decoder_.pointer_.resize(length_); }
        Step(const Step&) = delete;
        Step& operator=(const Step&) = delete;

    private:
        Decoder& decoder_;
        std::size_t length_;
    };

    /// Sends the errors reported during its life to a list of their own; warnings still go to the common one.
    class Isolation {
    public:
        Isolation(Decoder& decoder, Problems& errors);
        ~Isolation();
        Isolation(const Isolation&) = delete;
        Isolation& operator=(const Isolation&) = delete;

    private:
        Decoder& decoder_;
        Problems* outer_;
        std::size_t errors_;
    };

private:
    const Document& document_;
    Problems* problems_;             ///< where warnings go
    Problems* errorsOnly_ = nullptr; ///< where errors go instead, in an isolation
    std::string pointer_;
    std::size_t count_ = 0;
    std::size_t errors_ = 0; ///< that were not isolated, or of the present isolation
};

/// What an options struct's `void check(schema::Checker&) const` reports to. Places are named by the keys
/// that lead from the struct to the value: {"ExtTypes", "html", "0"}.
class Checker {
public:
    using Path = std::initializer_list<std::string_view>;

    Checker(Decoder& decoder, const Node& object) : decoder_(decoder), object_(object) {}

    void error(Path path, std::string message) { report(Problem::Severity::error, path, std::move(message)); }
    void warning(Path path, std::string message) {
        report(Problem::Severity::warning, path, std::move(message));
    }

private:
    void report(Problem::Severity severity, Path path, std::string message);

    Decoder& decoder_;
    const Node& object_;
};

} // namespace saker::schema
