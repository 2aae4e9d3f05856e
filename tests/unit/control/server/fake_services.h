// An engine that is only numbers and lists, and an output that remembers.
#pragma once

#include "control/server/engine_services.h"
#include "control/server/output.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace saker::control {

class FakeServices : public EngineServices {
public:
    std::vector<std::string> files;
    CertificateList certificateList;
    AuthorityReport authorityReport;
    std::optional<Error> failure;
    std::vector<std::string> calls;
    ReloadReport report;
    StatsSnapshot snapshot;
    bool throws = false;

    void listFiles(std::string_view search, const std::function<bool(std::string_view)>& visit) override {
        for (const std::string& file : files) {
            if (file.find(search) != std::string::npos) {
                ++visited;
                if (!visit(file)) {
                    return;
                }
            }
        }
    }
    std::uint64_t countFiles(std::string_view search) override {
        if (throws) {
            throw std::runtime_error("out of cheese");
        }
        std::uint64_t count = 0;
        for (const std::string& file : files) {
            count += file.find(search) != std::string::npos ? 1 : 0;
        }
        return count;
    }
    Result<std::string> indexFolder(std::string_view sub) override {
        if (failure) {
            return *failure;
        }
        return "/www/" + std::string(sub);
    }
    Result<IndexReport> indexFiles(std::string_view sub) override {
        calls.push_back("indexFiles " + std::string(sub));
        return IndexReport{"/www/" + std::string(sub), 12, 3};
    }
    Result<IndexReport> indexOneLevel(std::string_view sub) override {
        if (failure) {
            return *failure;
        }
        calls.push_back("indexOneLevel " + std::string(sub));
        return IndexReport{"/www/" + std::string(sub), 2, 1};
    }
    Result<ReloadReport> reload() override {
        if (failure) {
            return *failure;
        }
        return report;
    }
    void shutdown(StopMode mode) override {
        calls.push_back("shutdown " + std::to_string(static_cast<int>(mode)));
    }
    void restart() override { calls.emplace_back("restart"); }
    StatsSnapshot stats(std::chrono::milliseconds window) override {
        StatsSnapshot now = snapshot;
        now.cpuPercent = window.count() > 0 ? 12.34 : 0;
        return now;
    }
    std::uint64_t collectGarbage() override { return 3 * 1024 * 1024; }
    CertificateList certificates() override { return certificateList; }
    void clearCertificates() override { certificateList.certificates.clear(); }
    Result<CertificateList> loadCertificates() override {
        if (failure) {
            return *failure;
        }
        return certificateList;
    }
    Result<AuthorityReport> authority() override {
        if (failure) {
            return *failure;
        }
        return authorityReport;
    }
    Result<std::vector<std::string>> changeTrust(bool install, bool onlySay) override {
        if (failure) {
            return *failure;
        }
        return std::vector<std::string>{std::string(install ? "install" : "remove") +
                                        (onlySay ? " try" : "")};
    }

    std::size_t visited = 0;
};

/// All lines in order; errors are marked "! ".
class RecordingOutput : public Output {
public:
    std::vector<std::string> lines;
    std::size_t closesAfter = SIZE_MAX;

    bool line(std::string_view text) override {
        lines.emplace_back(text);
        return lines.size() < closesAfter;
    }
    void error(std::string_view text) override { lines.push_back("! " + std::string(text)); }
};

} // namespace saker::control
