// Copyright the jtimer authors. Distributed under the Boost Software License, Version 1.0.
#pragma once

#include <string>
#include <vector>

namespace test {

/// A PostgreSQL server of this process alone: in a temporary folder, reached by a Unix socket,
/// ended and removed with this object. If the process is killed, a shell that waits for its end
/// does that. As root it runs as `postgres` or `nobody`, for the server refuses root. One thread at
/// a time.
class Server {
  public:
    enum class Durable { No, Yes };  ///< whether a commit waits for the disk (fsync)
    enum class Stop {
        Fast,      ///< ends sessions, and writes everything out
        Immediate  ///< crashes: the next start() recovers
    };

    /// \param settings of postgresql.conf, "max_connections = 10"
    /// \throws std::runtime_error without server programs, with what to install
    explicit Server(Durable durable = Durable::No, const std::vector<std::string>& settings = {});
    ~Server();
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    /// Of a superuser, for libpq.
    const std::string& conninfo() const noexcept { return conninfo_; }

    /// The socket's folder.
    const std::string& folder() const noexcept { return folder_; }

    void start();
    void stop(Stop how = Stop::Fast);
    void restart(Stop how = Stop::Fast) {
        stop(how);
        start();
    }

  private:
    void pgCtl(const std::vector<std::string>& arguments) const;
    void run(std::vector<std::string> command) const;
    void becomeUnprivileged() const;
    void startWatcher();

    std::string programs_;
    std::string folder_;
    std::string conninfo_;
    int watcherInput_ = -1;  ///< closed by the end of this process: then the watcher cleans up
    int watcher_ = 0;
};

/// One for the whole test program, started by the first call.
Server& server();

}  // namespace test
