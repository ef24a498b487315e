// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <cstddef>

namespace jtimer::netty::detail {

/// A free node: the beginning of its memory. See NodeStock for its batches.
struct Node {
    Node* next;
    Node* nextBatch;
};

/// Where nodes come from: blocks of eight, each of which is one allocation. Exists for speed only:
/// the plain version of take() and give() calls operator new and delete.
///
/// A million timeouts that are freed in random order are, for glibc's malloc, as many chunks to be
/// merged with their neighbours and split again, which takes half of the time of a newTimeout().
///
/// **A block** is freed when its eight nodes have been given back; a node that was given back
/// is not used again before that. So one timeout of an hour keeps the memory of eight. That would
/// add up where most timeouts end soon and a few stay. Therefore a thread makes no new block while
/// more than half of all blocks, and kFewBlocks, have nodes that were given back: then each new
/// node is allocated alone. At the moment when a block is made, half of the others are thus in use
/// as a whole, and all blocks together never take more than twice what the nodes in use took at
/// some moment, plus kFewBlocks.
///
/// **Threads.** A thread takes a block as a whole, and keeps what it does not need yet. Any thread
/// may give back any node; a block counts its nodes down atomically.
class NodeBlocks {
  public:
    static constexpr std::size_t kNodes = 8;
    static constexpr std::ptrdiff_t kFewBlocks = 128;

    /// Whether there are blocks. Set before main(), see memoryIsChecked(); a test may change it, as
    /// each node knows whether it was allocated alone.
    static bool isEnabled;

    /// \param canKeep whether the calling thread can keep nodes
    /// \returns a node that is linked to the others of its block, or one that was allocated alone
    /// \throws std::bad_alloc
    static Node* take(bool canKeep);
    static void give(void* node) noexcept;

    /// For tests: the blocks of the process.
    static std::ptrdiff_t blocks() noexcept;
};

/// Whether AddressSanitizer or Valgrind's Memcheck looks for the use of freed memory. They see it
/// best if a timeout's memory goes back at once, as they then hold it back for long, and can tell
/// who freed it. Decided at run time, so that it also holds for an instrumented program with a
/// library that is not.
bool memoryIsChecked() noexcept;

}  // namespace jtimer::netty::detail
