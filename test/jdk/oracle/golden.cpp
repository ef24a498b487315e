// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "golden.hpp"

#include "scenario.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

namespace oracle {

namespace {

using Answers = std::vector<std::string>;

/// Takes from each line what the scenario and the lines before it imply.
class Answerer {
  public:
    std::string answer(const std::string& line) {
        static const std::regex parts(R"((?:\[(\S+)\] )?(  )?(.*))");
        std::smatch part;
        std::regex_match(line, part, parts);
        timer_ = part[1];
        return (timer_.empty() || timer_ == first_ ? "" : "[" + timer_ + "] ") +
               (part[2].matched ? "/" : "") + said(part[3]);
    }

  private:
    std::string said(const std::string& text) {
        static const std::string arrow = " => ";
        static const std::set<std::string> answerless{"held",    "hold",  "join", "ran",
                                                      "release", "sleep", "throw"};
        static const std::regex runs(R"((\S+) runs, (\d+), (\S+), (.*))");
        const std::size_t end = text.find(arrow);
        if (end != std::string::npos) {
            const std::string result = text.substr(end + arrow.size());
            noteTimer(wordsOf(text.substr(0, end)), result);
            return result;
        }
        std::smatch part;
        if (std::regex_match(text, part, runs)) return run(part[1], part[2], part[3], part[4]);
        const std::string verb = text.substr(0, text.find(' '));
        return answerless.count(verb) != 0 ? verb : text;
    }

    void noteTimer(std::vector<std::string> op, const std::string& shownName) {
        if (op[0] == "thread") op.erase(op.begin());
        if (op[0] != "timer") return;
        if (first_.empty()) first_ = op[1];
        shownNames_.emplace(op[1], shownName);
    }

    std::string run(const std::string& task, const std::string& number, const std::string& time,
                    const std::string& where) {
        const bool isNext = number == std::to_string(++runs_[task]);
        const auto named = shownNames_.find(timer_);
        const bool isOwn = named != shownNames_.end() && where == "in " + named->second;
        return task + ' ' + time + (isNext ? "" : " run " + number) + (isOwn ? "" : ' ' + where);
    }

    std::string timer_;  ///< of the line, or empty
    std::string first_;  ///< the timer that is constructed first
    std::map<std::string, std::string> shownNames_;
    std::map<std::string, int> runs_;
};

/// Short names for exceptions with their messages: ISE1, ISE2, ...
class Exceptions {
  public:
    std::string shortened(const std::string& answer) {
        static const std::regex exception(R"((\[\S+\] )?(/?)(\w+Exception: .*))");
        std::smatch part;
        if (!std::regex_match(answer, part, exception)) return answer;
        std::string& name = names_[part[3]];
        if (name.empty()) {
            const std::string text = part[3];
            std::copy_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find(':')),
                         std::back_inserter(name), [](unsigned char c) { return std::isupper(c); });
            name += std::to_string(names_.size());
            legend_.push_back(name + " = " + text);
        }
        return part[1].str() + part[2].str() + name;
    }

    /// The lines that define the names.
    const Answers& legend() const { return legend_; }

    /// \returns whether the line is of a legend
    bool learn(const std::string& line) {
        static const std::regex definition(R"((\w+) = (.*))");
        std::smatch part;
        if (!std::regex_match(line, part, definition)) return false;
        texts_[part[1]] = part[2];
        return true;
    }

    std::string full(const std::string& answer) const {
        const std::size_t slash = answer.rfind('/');
        const std::size_t blank = answer.rfind(' ');
        const std::size_t begin = slash != std::string::npos   ? slash + 1
                                  : blank != std::string::npos ? blank + 1
                                                               : 0;
        const auto found = texts_.find(answer.substr(begin));
        return found == texts_.end() ? answer : answer.substr(0, begin) + found->second;
    }

  private:
    std::map<std::string, std::string> names_, texts_;
    Answers legend_;
};

/// `x -3000` as its name and its number.
std::pair<std::string, std::int64_t> runAt(const std::string& answer) {
    static const std::regex form(R"((\S+ )(-?\d{1,18}))");
    std::smatch part;
    if (!std::regex_match(answer, part, form)) return {};
    return {part[1], std::stoll(part[2])};
}

/// How many answers, from i on, are runs of one task at equal distances.
std::size_t regularRuns(const Answers& answers, std::size_t i) {
    const auto [task, begin] = runAt(answers[i]);
    std::size_t n = 1;
    for (std::int64_t step = 0; !task.empty() && i + n < answers.size(); ++n) {
        const auto [next, time] = runAt(answers[i + n]);
        if (n == 1) step = time - begin;
        if (next != task || time != begin + static_cast<std::int64_t>(n) * step) break;
    }
    return n;
}

Answers packed(const Answers& answers) {
    Answers result;
    for (std::size_t i = 0, n = 0; i < answers.size(); i += n) {
        const auto isOther = [&](const std::string& answer) { return answer != answers[i]; };
        const auto from = answers.begin() + static_cast<std::ptrdiff_t>(i);
        n = static_cast<std::size_t>(std::find_if(from, answers.end(), isOther) - from);
        const std::size_t regular = regularRuns(answers, i);
        if (n > 1) {
            result.push_back(answers[i] + '*' + std::to_string(n));
        } else if (regular > 2) {
            n = regular;
            const std::int64_t begin = runAt(answers[i]).second;
            const std::int64_t step = runAt(answers[i + 1]).second - begin;
            const std::int64_t end = runAt(answers[i + n - 1]).second;
            result.push_back(answers[i] + ".." + std::to_string(end) + " by " +
                             std::to_string(step));
        } else {
            result.push_back(answers[i]);
        }
    }
    return result;
}

void unpack(const std::string& word, Answers& result) {
    static const std::regex many(R"((.*)\*(\d+))");
    static const std::regex regular(R"((\S+ )(-?\d+)\.\.(-?\d+) by (-?\d+))");
    std::smatch part;
    if (std::regex_match(word, part, many)) {
        result.insert(result.end(), std::stoul(part[2]), part[1]);
    } else if (std::regex_match(word, part, regular)) {
        const std::int64_t begin = std::stoll(part[2]), step = std::stoll(part[4]);
        const std::int64_t n = step == 0 ? 0 : (std::stoll(part[3]) - begin) / step;
        for (std::int64_t i = 0; i <= n; ++i) {
            result.push_back(part[1].str() + std::to_string(begin + i * step));
        }
    } else {
        result.push_back(word);
    }
}

/// The words with semicolons between them, in lines of a hundred columns.
void writeWords(std::ostream& out, const std::string& head, const Answers& words) {
    constexpr std::size_t columns = 100;
    std::string line = head;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string word = words[i] + (i + 1 < words.size() ? ";" : "");
        if (line.size() + 1 + word.size() > columns) {
            out << line << '\n';
            line = " ";
        }
        line += ' ' + word;
    }
    out << line << '\n';
}

}  // namespace

Transcript answersOf(const Transcript& transcript) {
    Answerer answerer;
    Transcript answers{transcript.name, {}};
    for (const std::string& line : transcript.lines) {
        answers.lines.push_back(answerer.answer(line));
    }
    return answers;
}

Recording readGolden(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error("cannot read " + path);
    return readGolden(in);
}

Recording readGolden(std::istream& in) {
    Recording recording;
    Exceptions exceptions;
    for (std::string line; std::getline(in, line);) {
        if (line[0] == '#') {
            recording.head.push_back(line);
            continue;
        }
        if (exceptions.learn(line)) continue;
        std::string text = line;
        while (text.back() == ';' && std::getline(in, line)) text += line.substr(1);
        const std::size_t colon = text.find(": ");
        Answers answers;
        for (std::size_t begin = colon + 2, end = 0; end != std::string::npos; begin = end + 2) {
            end = text.find("; ", begin);
            unpack(text.substr(begin, end - begin), answers);
        }
        for (std::string& answer : answers) answer = exceptions.full(answer);
        recording.transcripts.push_back({text.substr(0, colon), answers});
    }
    return recording;
}

void writeGolden(std::ostream& out, const Recording& recording) {
    Exceptions exceptions;
    std::ostringstream scenarios;
    Recording answers{recording.head, {}};
    for (const Transcript& transcript : recording.transcripts) {
        answers.transcripts.push_back(answersOf(transcript));
        Answers words = answers.transcripts.back().lines;
        for (std::string& word : words) word = exceptions.shortened(word);
        writeWords(scenarios, transcript.name + ':', packed(words));
    }
    std::ostringstream file;
    for (const std::string& line : recording.head) file << line << '\n';
    for (const std::string& line : exceptions.legend()) file << line << '\n';
    file << scenarios.str();

    std::istringstream in(file.str());
    const Recording again = readGolden(in);
    for (std::size_t i = 0; i < answers.transcripts.size(); ++i) {
        if (again.transcripts.at(i) != answers.transcripts[i]) {
            throw std::runtime_error("not to be written so that it is read again: " +
                                     answers.transcripts[i].name);
        }
    }
    out << file.str();
}

}  // namespace oracle
