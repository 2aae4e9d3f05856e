// A folder of sites with its index, and the rules to serve them by.
#pragma once

#include "routing/site_table.h"
#include "support/temp_folder.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace saker::routing {

class SiteFixture : public testing::Test {
protected:
    /// After the files are written.
    void index() {
        IndexOptions options;
        options.root = folder_.at("");
        root_ = std::make_shared<ContentRoot>(options, [](Severity, const std::string&) {});
        ASSERT_TRUE(root_->index.scan());
        reader_ = std::make_unique<Quiescence::Reader>(root_->index.quiescence());
    }
    std::shared_ptr<SiteRules> makeRules() {
        auto rules = std::make_shared<SiteRules>();
        rules->indexPriority = {"index.php", "index.html"};
        rules->fileTypes = std::make_shared<FileTypes>(
            std::vector<std::pair<std::string, std::vector<std::string>>>{}, std::vector<std::string>{});
        rules->access = AccessPolicy({{kSourceExtensions.begin(), kSourceExtensions.end()}, false});
        rules->defaultHeaders = {{"Server", "Saker"}, {"Cache-Control", "max-age=300"}};
        return rules;
    }
    std::shared_ptr<Site> makeSite(std::string name) {
        auto site = std::make_shared<Site>();
        site->name = name;
        site->folder = std::move(name);
        site->root = root_;
        site->rules = rules_;
        return site;
    }

    test::TempFolder folder_;
    std::shared_ptr<ContentRoot> root_;
    std::unique_ptr<Quiescence::Reader> reader_; // goes before the root
    std::shared_ptr<SiteRules> rules_ = makeRules();
};

} // namespace saker::routing
