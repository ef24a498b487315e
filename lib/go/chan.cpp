// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "go/access.hpp"
#include "go/chan_cell.hpp"
#include "go/errors.hpp"
#include "go/receive.hpp"
#include "sync/assert.hpp"

#include <jtimer/exceptions.hpp>
#include <jtimer/go/detail/chan_ref.hpp>

#include <optional>
#include <utility>

namespace jtimer::go::detail {

ChanNode::~ChanNode() = default;

ChanRef::ChanRef(std::size_t capacity) : cell_(new ChanCell(capacity)) {}
ChanRef::ChanRef(const ChanRef& other) noexcept : cell_(other.cell_) {
    if (cell_ != nullptr) cell_->retain();
}
ChanRef::ChanRef(ChanRef&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
ChanRef& ChanRef::operator=(ChanRef other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
}
ChanRef::~ChanRef() {
    if (cell_ != nullptr) cell_->release();
}

namespace {

/// Sends the node, or receives one into it, if that is possible without waiting.
bool tryToPass(ChanCell& cell, bool sends, ChanNodePtr& node) {
    if (cell.isOfAnotherProcess()) return false;
    WakeList toWake;  // outlives the lock
    Lock lock = cell.lock();
    return sends ? cell.send(lock, node, toWake) : cell.receive(lock, node, toWake);
}

/// \param node to be sent; null: receives
/// \returns what was received, or the node if the Chan is closed
ChanNodePtr pass(ChanCell& cell, bool sends, ChanNodePtr node, std::optional<Nanos> timeout) {
    if (tryToPass(cell, sends, node)) return node;
    Sources sources;
    ChanCase& c = sources.chans.emplace_back(cell, 0, sends);
    c.node = std::move(node);
    receiveAny(sources, nullptr, timeout);
    return std::move(c.node);
}

}  // namespace

void ChanRef::send(ChanNodePtr node) const {
    if (cell_ == nullptr) throw IllegalStateException(kNilSend);
    if (pass(*cell_, true, std::move(node), std::nullopt) != nullptr)
        throw IllegalStateException(kSendClosed);
}

bool ChanRef::trySend(ChanNodePtr& node) const {
    JTIMER_ASSERT(cell_ != nullptr);
    if (!tryToPass(*cell_, true, node)) return false;
    if (node != nullptr) throw IllegalStateException(kSendClosed);
    return true;
}

ChanNodePtr ChanRef::receive() const {
    if (cell_ == nullptr) throw IllegalStateException(kNilChannel);
    return pass(*cell_, false, nullptr, std::nullopt);
}

ChanNodePtr ChanRef::tryReceive() const {
    ChanNodePtr node;
    if (cell_ != nullptr) tryToPass(*cell_, false, node);
    return node;
}

ChanNodePtr ChanRef::receiveFor(TimeSpan timeout) const {
    if (cell_ == nullptr) throw IllegalStateException(kNilChannel);
    return pass(*cell_, false, nullptr, toNanos(timeout));
}

void ChanRef::close() const {
    if (cell_ == nullptr) throw IllegalStateException(kCloseNil);
    cell_->close();
}

bool ChanRef::isClosed() const noexcept { return cell_ != nullptr && cell_->isClosed(); }
std::size_t ChanRef::len() const noexcept { return cell_ == nullptr ? 0 : cell_->size(); }
std::size_t ChanRef::cap() const noexcept { return cell_ == nullptr ? 0 : cell_->capacity(); }

}  // namespace jtimer::go::detail
