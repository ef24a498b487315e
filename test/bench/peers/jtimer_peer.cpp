// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "jtimer_adapter.hpp"

int main(int argc, char** argv) { return peers::runPeer<peers::JtimerAdapter>(argc, argv); }
