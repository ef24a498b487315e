// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include "page/pages.hpp"

#include <jtimer/time.hpp>

#include <any>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace cluster_tool {

/// Why there is no answer.
struct Failure {
    bool isAway = false;  ///< the database, so that there is none to any question
    std::string why;      ///< a sentence
};

/// What one response needs of the answers, and has learnt of them. For one thread.
struct Visit {
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
    std::optional<jtimer::Date> oldest;  ///< when the oldest of the answers was read
    std::optional<jtimer::Date> awaySince;
    std::string whyAway;
};

/// The answers of the database, each shared for a second by all who ask the same, and kept for the
/// time when it is away. Of all who ask the same at once, one asks the database; while that is
/// away, one of all asks at a time, and the others have what was kept. Any thread may call it.
class Answers {
  public:
    using Clock = std::chrono::steady_clock;
    struct Limits {
        std::chrono::milliseconds shared{1000};
        /// A response that has taken so long asks nothing more.
        std::chrono::milliseconds visit{6000};
        /// Answers to questions with a parameter, that is with a `?`; those without are all kept.
        std::size_t kept = 32;
    };

    /// \param failureOf says of what is being handled, an exception of a question, what it means
    explicit Answers(std::function<Failure()> failureOf)
        : Answers(std::move(failureOf), Limits()) {}
    Answers(std::function<Failure()> failureOf, Limits limits)
        : failureOf_(std::move(failureOf)), limits_(limits) {}

    /// The answer to a question.
    /// \param read asks the database; of one question it always returns the same type
    template <class Read, class Value = decltype(std::declval<Read>()())>
    page::Part<Value> part(Visit& visit, const std::string& question, const Read& read) {
        const Result answer = get(visit, question, [&] {
            return std::any(std::shared_ptr<const Value>(std::make_shared<Value>(read())));
        });
        if (!answer.value.has_value()) return page::Part<Value>::missing(answer.why);
        return *std::any_cast<const std::shared_ptr<const Value>&>(answer.value);
    }

    /// From now on, all is asked anew: something has been changed.
    void forget();

    /// From now on, nothing is asked.
    void close();

  private:
    /// What is known of a question. Who asks it keeps it, also when it is dropped meanwhile.
    struct Known {
        std::any value;             ///< the last answer, if there was one
        jtimer::Date read;          ///< when that was
        Clock::time_point asked{};  ///< the end of the last attempt
        bool isFresh = false;       ///< until `limits_.shared` after `asked`
        bool isBeingAsked = false;
        std::string why;  ///< why the last attempt failed; empty: it has not
    };
    struct Result {
        std::any value;   ///< empty: there is none
        std::string why;  ///< there is none
    };
    using Lock = std::unique_lock<std::mutex>;

    Result get(Visit& visit, const std::string& question, const std::function<std::any()>& read);
    std::shared_ptr<Known> knownOf(const Lock& lock, const std::string& question);
    Result resultOf(const Lock& lock, Visit& visit, const Known& known) const;
    void ask(Lock& lock, Known& known, const std::function<std::any()>& read);

    const std::function<Failure()> failureOf_;
    const Limits limits_;

    // All below is guarded by mutex_, which is free while a question is asked.
    std::mutex mutex_;
    std::condition_variable asked_;
    std::map<std::string, std::shared_ptr<Known>> known_;
    std::optional<jtimer::Date> awaySince_;
    std::string whyAway_;
    Clock::time_point lastFailure_{};  ///< of one for which the database is away
    bool isProbing_ = false;           ///< somebody asks although it is away
    bool isClosed_ = false;
    unsigned changes_ = 0;  ///< how often forget() was called
};

}  // namespace cluster_tool
