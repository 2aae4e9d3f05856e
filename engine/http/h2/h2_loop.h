// What the HTTP/2 connections of one loop share: exchanges that have ended and wait for their next stream,
// the space in which frames are gathered, and the limit for messages about floods. Hangs on the LoopContext.
#pragma once

#include "http/h2/frame_output.h"
#include "http/h2/h2_exchange.h"
#include "http/h2/session_memory.h"
#include "http/loop_context.h"
#include "observe/repeat_limit.h"

#include <vector>

#include <nghttp2/nghttp2.h>

namespace saker::http {

class H2Loop final : public RefCounted {
public:
    H2Loop();
    static H2Loop& of(LoopContext& context);

    Ref<H2Exchange> takeExchange();
    /// Keeps it for another stream, unless somebody else still refers to it.
    void giveBack(Ref<H2Exchange> exchange);

    SessionMemory memory;
    FrameOutput output;
    /// A connection is filling the output: making a body may lead to another one, which has to wait.
    bool isSending = false;
    std::vector<nghttp2_nv> fields; ///< scratch
    observe::RepeatLimit floodLog;

private:
    static constexpr std::size_t kMostSpares = 256;

    std::vector<Ref<H2Exchange>> spares_;
};

} // namespace saker::http
