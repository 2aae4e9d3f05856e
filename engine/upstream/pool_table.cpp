#include "upstream/pool_table.h"

#include <fmt/format.h>

namespace saker::upstream {

Ref<UpstreamPool> PoolTable::find(const UpstreamTarget& target, const PoolOptions& options) {
    // Other limits make another pool; the one before goes when its connections have.
    std::string key =
        fmt::format("{} {} {} {} {} {} {} {} {}|{}|{}|{}", target.text(), options.maxConnections,
                    options.maxIdle, options.maxWaiting, options.waitTimeout, options.connectTimeout,
                    options.idleTimeout, options.backloggedAfter, options.secure.verify,
                    options.secure.caFile, options.secure.certificate, options.secure.key);
    Ref<UpstreamPool>& pool = pools_[std::move(key)];
    if (!pool) {
        pool = makeRef<UpstreamPool>(loop_, target, options, workers_, loads_.find(target.text()));
        if (target.isTls && makeSecurer_) {
            pool->setSecurer(makeSecurer_(target, options.secure));
        }
    }
    return pool;
}

void PoolTable::retireAll() {
    for (const auto& [key, pool] : pools_) {
        pool->retire();
    }
    pools_.clear();
}

} // namespace saker::upstream
