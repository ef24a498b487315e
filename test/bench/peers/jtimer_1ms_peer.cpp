// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jtimer_adapter.hpp"

// jtimer where tasks may be up to a millisecond late, so that one wake-up serves many. For W8 only.

namespace {

jtimer::TimerOptions tolerant() {
    jtimer::TimerOptions options;
    options.daemon = true;
    options.tolerance = std::chrono::milliseconds(1);
    return options;
}

struct TolerantAdapter : peers::JtimerAdapter {
    TolerantAdapter() : JtimerAdapter(tolerant()) {}
};

}  // namespace

int main(int argc, char** argv) { return peers::runPeer<TolerantAdapter>(argc, argv); }
