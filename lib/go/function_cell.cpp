// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "data/aligned_memory.hpp"
#include "go/cell.hpp"
#include "go/errors.hpp"
#include "go/runtime.hpp"
#include "thread/uncaught_exception.hpp"

#include <jtimer/exceptions.hpp>

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <typeinfo>
#include <utility>

namespace jtimer::go::detail {

using jtimer::detail::allocateAligned;
using jtimer::detail::deallocateAligned;

namespace {

/// Whether this is the exception that a blocked call throws at the end of a runtime.
bool tellsOfTheEnd(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const IllegalStateException& e) {
        return typeid(e) == typeid(IllegalStateException) && std::strcmp(e.what(), kDestroyed) == 0;
    } catch (...) {
        return false;
    }
}

}  // namespace

FunctionCell::FunctionCell(Shard& home, const FunctionType& type) noexcept
    : Cell(Kind::Function, home), type_(type) {
    references_.store(2, std::memory_order_relaxed);
}

FunctionCell& FunctionCell::create(Shard& home, const FunctionMaker& maker) {
    const FunctionType& type = maker.type();
    void* const block = allocateAligned(offsetOf(type) + type.size, type.alignment);
    auto* const cell = ::new (block) FunctionCell(home, type);
    try {
        maker(cell->function());
    } catch (...) {
        cell->~FunctionCell();
        deallocateAligned(block, type.alignment);
        home.release();
        throw;
    }
    return *cell;
}

std::size_t FunctionCell::offsetOf(const FunctionType& type) noexcept {
    return (sizeof(FunctionCell) + type.alignment - 1) / type.alignment * type.alignment;
}

void* FunctionCell::function() noexcept { return reinterpret_cast<char*>(this) + offsetOf(type_); }

void FunctionCell::releaseFunction() noexcept {
    const std::uint32_t uses = uses_.fetch_sub(1, std::memory_order_acq_rel);
    if ((uses & ~kAbandoned) == 1 && type_.destroy != nullptr) type_.destroy(function());
}

void FunctionCell::abandon() noexcept {
    const std::uint32_t uses = uses_.fetch_or(kAbandoned, std::memory_order_acq_rel);
    if ((uses & kAbandoned) == 0) releaseFunction();
}

void FunctionCell::free(FunctionCell* cell) noexcept {
    cell->abandon();
    const FunctionType& type = cell->type_;
    cell->~FunctionCell();
    deallocateAligned(cell, type.alignment);
}

void FunctionCell::fire(std::uint32_t start) {
    CellLock lock = enter();
    if (state_ != State::Running || this->start() != start || runtime().isOver()) {
        lock.unlock();
        release();
        return;
    }
    state_ = State::Idle;
    runtime().countFired(when_);
    Run run(*this);
    lock.unlock();
    runtime().handOver(std::move(run));
}

/// The function is still there: the runtime abandons it only after its end, and the cell has seen
/// that the runtime is not over.
Run::Run(FunctionCell& cell) noexcept : cell_(&cell) {
    cell.uses_.fetch_add(1, std::memory_order_relaxed);
}

Run::Run(const Run& other) noexcept : cell_(other.cell_) {
    if (cell_ == nullptr) return;
    cell_->retain();
    cell_->uses_.fetch_add(1, std::memory_order_relaxed);
}

Run::Run(Run&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}

Run::~Run() {
    if (cell_ == nullptr) return;
    cell_->releaseFunction();
    cell_->release();
}

/// A blocked function learns of the end of its runtime by an exception. Most functions do not catch
/// it, so it is not reported.
void Run::operator()() const {
    const auto thrown =
        jtimer::detail::exceptionOf([this] { cell_->type_.call(cell_->function()); });
    if (thrown == nullptr) return;
    const Runtime& runtime = cell_->runtime();
    if (runtime.isOver() && tellsOfTheEnd(thrown)) return;
    runtime.reportRun(thrown);
}

}  // namespace jtimer::go::detail
