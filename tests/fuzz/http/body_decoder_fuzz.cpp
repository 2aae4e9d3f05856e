// A body gives the same data whole and in pieces; data are views of the input and never more than allowed.
#include "base/hash.h"
#include "http/h1/body_decoder.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using namespace saker::http;
using State = BodyDecoder::State;

void check(bool condition) {
    if (!condition) {
        std::abort();
    }
}

struct Outcome {
    State state = State::more;
    Rejection rejection = Rejection::none;
    std::string data;
    std::size_t consumed = 0;
};

Outcome decode(std::string_view input, std::size_t most, BodyFraming framing, std::uint64_t length,
               std::uint64_t maxBody) {
    BodyDecoder decoder;
    decoder.start(framing, length, maxBody);
    Outcome outcome;
    std::uint64_t random = saker::hashBytes(input, most);
    std::size_t given = 0;
    while (outcome.state != State::end && outcome.state != State::rejected) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        std::string_view taken = input.substr(given, 1 + (random >> 33U) % most);
        given += taken.size();
        std::vector<char> piece(taken.begin(), taken.end());
        std::string_view rest(piece.data(), piece.size());
        for (;;) {
            BodyDecoder::Step step = decoder.next(rest);
            check(step.consumed <= rest.size());
            if (step.state == State::data) {
                check(!step.data.empty() && step.data.data() >= rest.data() &&
                      step.data.data() + step.data.size() == rest.data() + step.consumed);
                outcome.data.append(step.data);
            }
            outcome.consumed += step.consumed;
            outcome.state = step.state;
            rest.remove_prefix(step.consumed);
            if (step.state != State::data) {
                break;
            }
        }
        if (given == input.size() && outcome.state == State::more) {
            break;
        }
    }
    outcome.rejection = decoder.rejection();
    check(decoder.received() == outcome.data.size());
    check(maxBody == 0 || outcome.data.size() <= maxBody);
    check(decoder.isDone() == (outcome.state == State::end));
    return outcome;
}

void compare(std::string_view input, BodyFraming framing, std::uint64_t length, std::uint64_t maxBody) {
    Outcome whole = decode(input, input.size() + 1, framing, length, maxBody);
    Outcome cut = decode(input, 7, framing, length, maxBody);
    check(whole.state == cut.state && whole.rejection == cut.rejection && whole.data == cut.data);
    check(whole.state == State::rejected || whole.consumed == cut.consumed);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view input(reinterpret_cast<const char*>(data), size);
    compare(input, BodyFraming::chunked, 0, 0);
    compare(input, BodyFraming::chunked, 0, 16);
    compare(input, BodyFraming::length, size / 2, 0);
    return 0;
}
