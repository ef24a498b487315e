// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#include "run_schedule/output.hpp"

#include <boost/test/unit_test.hpp>
#include <boost/thread/thread.hpp>

#include <array>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

/// A file that can be full: it takes no more than `room` bytes.
class LimitedFile {
  public:
    LimitedFile() : file_(std::tmpfile(), std::fclose) {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &unlimited_);
    }

    int fd() const { return fileno(file_.get()); }

    /// Calls `write` with no room beyond `room` bytes. Briefly, for the limit is that of all files.
    template <class Write>
    void withRoom(rlim_t room, Write write) {
        rlimit limit = unlimited_;
        limit.rlim_cur = room;
        setrlimit(RLIMIT_FSIZE, &limit);
        write();
        setrlimit(RLIMIT_FSIZE, &unlimited_);
    }

    std::string contents() const {
        std::string text(1000, '\0');
        const ssize_t size = pread(fd(), text.data(), text.size(), 0);
        text.resize(static_cast<std::size_t>(size));
        return text;
    }

  private:
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
    rlimit unlimited_{};
};

const std::string kFull = "cannot write output: File too large\n";

Say into(std::string& reports) {
    return [&reports](const std::string& text) { reports.append(text).append("\n"); };
}

}  // namespace

BOOST_AUTO_TEST_CASE(lines_that_find_no_room_are_counted_until_there_is_room_again) {
    LimitedFile file;
    std::string reports;
    Output output(file.fd(), 0, into(reports));
    file.withRoom(4, [&] {
        output.write("one\n");
        BOOST_TEST(!output.failing());
        output.write("two\n");
        output.write("three\nfour\n");
    });
    BOOST_TEST(output.failing());
    BOOST_TEST(output.lostLines() == 3);
    BOOST_TEST(reports == kFull);

    output.write("five\n");
    BOOST_TEST(!output.failing());
    BOOST_TEST(output.lostLines() == 3);
    const std::string again = "writing output again; lines lost: 3\n";
    BOOST_TEST(reports == kFull + again);
    output.write("six\n");
    BOOST_TEST(file.contents() == "one\nfive\nsix\n");

    file.withRoom(13, [&] { output.write("seven\n"); });
    BOOST_TEST(output.lostLines() == 4);
    BOOST_TEST(reports == kFull + again + kFull);
}

BOOST_AUTO_TEST_CASE(what_follows_half_a_line_begins_a_line_of_its_own) {
    LimitedFile file;
    std::string reports;
    Output output(file.fd(), 0, into(reports));
    file.withRoom(6, [&] {
        output.write("one\ntwo\n");
        output.write("three\n");
        BOOST_TEST(output.lostLines() == 2);
    });
    file.withRoom(7, [&] { output.write("four\n"); });
    BOOST_TEST(output.lostLines() == 3);
    BOOST_TEST(reports == kFull);
    output.write("five\n");
    BOOST_TEST(output.lostLines() == 3);
    BOOST_TEST(file.contents() == "one\ntw\nfive\n");
}

BOOST_AUTO_TEST_CASE(a_buffer_is_written_when_it_is_full_or_flushed) {
    LimitedFile file;
    std::string reports;
    Output output(file.fd(), 8, into(reports));
    output.write("one\n");
    output.write("two\n");
    BOOST_TEST(file.contents() == "");
    output.write("three\n");
    BOOST_TEST(file.contents() == "one\ntwo\nthree\n");
    output.write("four\n");
    output.flush();
    output.flush();
    BOOST_TEST(file.contents() == "one\ntwo\nthree\nfour\n");
    BOOST_TEST(reports == "");
}

BOOST_AUTO_TEST_CASE(a_pipe_that_does_not_block_is_waited_for) {
    std::array<int, 2> ends{};
    BOOST_REQUIRE(pipe2(ends.data(), O_NONBLOCK) == 0);
    fcntl(ends[0], F_SETFL, 0);
    std::string text;
    for (int i = 0; i < 50'000; ++i) text += std::to_string(i) + '\n';  // five times what it holds

    std::string read;
    boost::thread reader([&read, fd = ends[0]] {
        std::array<char, 4096> buffer;
        for (ssize_t count = 0; (count = ::read(fd, buffer.data(), buffer.size())) > 0;)
            read.append(buffer.data(), static_cast<std::size_t>(count));
    });
    std::string reports;
    Output output(ends[1], 0, into(reports));
    output.write(text);
    close(ends[1]);
    reader.join();
    close(ends[0]);
    BOOST_TEST((read == text));
    BOOST_TEST(reports == "");
    BOOST_TEST(output.lostLines() == 0);
}
