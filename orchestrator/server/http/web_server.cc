// SPDX-License-Identifier: Apache-2.0
//
// The loop. Connections are the loop's alone; workers get a copy of a request and hand back an
// answer, which is thrown away if its connection has gone meanwhile.
#include "orchestrator/server/http/web_server.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <vector>

#include "orchestrator/server/http/worker_pool.h"

namespace kneepoint {
namespace {

constexpr int kWebReserved = 200;  // descriptors for everything else
constexpr int kWebEventsAtOnce = 256;
constexpr int kWebAcceptsAtOnce = 64;

class EpollWebServer final : public WebServer {
 public:
  EpollWebServer(const WebServerOptions& options, std::optional<TlsContext> context, WebApp& app,
                 const Clock& clock, Listening listening)
      : options_(options),
        context_(std::move(context)),
        app_(app),
        clock_(clock),
        listening_(listening) {
    const int wanted = static_cast<int>(options.connections) + kWebReserved;
    const int allowed = std::max(kWebReserved + 1, allow_descriptors(wanted));
    most_connections_ =
        std::min(options.connections, static_cast<std::size_t>(allowed - kWebReserved));
  }

  Result<void> begin() {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    stop_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    done_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (epoll_ < 0 || stop_ < 0 || done_ < 0) return system_error("epoll", errno);
    watch(listening_.fd, EPOLLIN, EPOLL_CTL_ADD);
    watch(stop_, EPOLLIN, EPOLL_CTL_ADD);
    watch(done_, EPOLLIN, EPOLL_CTL_ADD);
    workers_.emplace(options_.workers);
    thread_ = thread_without_signals([this] { serve(); });
    return {};
  }

  ~EpollWebServer() override {
    if (thread_.joinable()) {
      wake(stop_);
      thread_.join();
    }
    workers_.reset();  // before what they write into
    entries_.clear();
    for (const int fd : {listening_.fd, stop_, done_, epoll_}) {
      if (fd >= 0) ::close(fd);
    }
  }

  int port() const override { return listening_.port; }

  WebStats stats() const override {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

 private:
  struct Entry {
    Entry(const TlsContext* context, int fd, const WebLimits& limits, Nanoseconds now,
          std::uint64_t its_serial)
        : connection(context, fd, limits, now), serial(its_serial) {}
    WebConnection connection;
    std::uint64_t serial;  // a descriptor's number comes again, this doesn't
    std::uint32_t watched = EPOLLIN;
    Nanoseconds last_sent = 0;
  };
  struct Asker {
    int fd;
    std::uint64_t serial;
  };
  struct Answered {
    Asker to;
    WebAnswer answer;
  };

  static void wake(int fd) {
    const std::uint64_t one = 1;
    (void)!::write(fd, &one, sizeof one);
  }

  void watch(int fd, std::uint32_t events, int how) const {
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    ::epoll_ctl(epoll_, how, fd, &event);
  }

  void serve() {
    std::array<epoll_event, kWebEventsAtOnce> events;
    Nanoseconds next_sweep = 0;
    const int patience = static_cast<int>(std::max(kMillisecond, options_.sweep) / kMillisecond);
    for (;;) {
      const int count =
          ::epoll_wait(epoll_, events.data(), kWebEventsAtOnce, asked_.empty() ? patience : 0);
      for (int i = 0; i < count; ++i) {
        const epoll_event& event = events[static_cast<std::size_t>(i)];
        const int fd = event.data.fd;
        if (fd == stop_) return;
        if (fd == listening_.fd) {
          accept_some();
        } else if (fd == done_) {
          take_answers();
        } else {
          const bool broken = (event.events & (EPOLLHUP | EPOLLERR)) != 0;
          go_on(fd, broken);
        }
      }
      answer_together();
      const Nanoseconds now = clock_.steady();
      if (now < next_sweep) continue;
      next_sweep = now + options_.sweep;
      sweep(now);
      ask_for_topics(now);
    }
  }

  void accept_some() {
    for (int i = 0; i < kWebAcceptsAtOnce; ++i) {
      const int fd = accept_one(listening_.fd);
      if (fd < 0) return;
      if (entries_.size() >= most_connections_) {
        ::close(fd);
        continue;
      }
      entries_.try_emplace(fd, context_ ? &*context_ : nullptr, fd, options_.limits,
                           clock_.steady(), ++last_serial_);
      watch(fd, EPOLLIN, EPOLL_CTL_ADD);
      note();
    }
  }

  void go_on(int fd, bool broken = false) {
    const auto found = entries_.find(fd);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    if (broken && entry.connection.is_waiting()) return drop(fd);
    const Nanoseconds now = clock_.steady();
    std::uint32_t wanted = 0;
    WebConnection::Turn turn = entry.connection.turn(app_, now);
    if (const int refused = entry.connection.take_refused(); refused != 0) count(refused);
    if (turn == WebConnection::Turn::request_ready && !ask(fd, entry))
      turn = entry.connection.turn(app_, now);
    count(entry.connection.take_times());
    switch (turn) {
      case WebConnection::Turn::closed:
        return drop(fd);
      case WebConnection::Turn::request_ready:
      case WebConnection::Turn::waiting:
        break;
      case WebConnection::Turn::want_read:
        wanted = EPOLLIN;
        break;
      case WebConnection::Turn::want_write:
        wanted = EPOLLOUT;
        break;
    }
    if (wanted != entry.watched) watch(fd, entry.watched = wanted, EPOLL_CTL_MOD);
  }

  // False: too many wait, and it was told so.
  bool ask(int fd, Entry& entry) {
    WebRequest request = entry.connection.take_request();
    if (options_.workers == 0) {
      asked_.push_back(std::move(request));
      askers_.push_back({fd, entry.serial});
      return true;
    }
    if (workers_->waiting() >= options_.questions) {
      answer(entry, error_reply(503, "too many requests wait for an answer; try again"));
      return false;
    }
    workers_->add(
        [this, to = Asker{fd, entry.serial}, request = std::move(request)](std::size_t worker) {
          Answered answered{to, app_.answer(request, worker)};
          {
            const std::lock_guard lock(mutex_);
            answered_.push_back(std::move(answered));
          }
          wake(done_);
        });
    return true;
  }

  // A connection that broke off meanwhile is answered by nobody; what it asked for is done.
  void answer_together() {
    if (asked_.empty()) return;
    std::vector<WebRequest> requests;
    std::vector<Asker> askers;
    requests.swap(asked_);
    askers.swap(askers_);
    std::vector<WebAnswer> answers = app_.answer_together(requests);
    std::vector<Answered> answered;
    for (std::size_t i = 0; i < askers.size(); ++i) {
      answered.push_back({askers[i], std::move(answers[i])});
    }
    give_all(answered);
  }

  void answer(Entry& entry, const HttpReply& reply) {
    entry.connection.answer(reply, clock_.steady());
    count(reply.status);
  }

  void count(int status) {
    const std::lock_guard lock(mutex_);
    ++stats_.answers[status];
  }

  void count(const std::vector<Nanoseconds>& times) {
    if (times.empty()) return;
    const std::lock_guard lock(mutex_);
    for (const Nanoseconds time : times) stats_.times.add(time);
  }

  void take_answers() {
    std::uint64_t ignored = 0;
    (void)!::read(done_, &ignored, sizeof ignored);
    std::vector<Answered> answered;
    std::vector<TopicFrame> frames;
    {
      const std::lock_guard lock(mutex_);
      answered.swap(answered_);
      frames.swap(frames_);
    }
    give_all(answered);
    const Nanoseconds now = clock_.steady();
    for (const TopicFrame& frame : frames) show(frame, now);
  }

  void give_all(const std::vector<Answered>& answered) {
    const Nanoseconds now = clock_.steady();
    for (const Answered& one : answered) {
      const auto found = entries_.find(one.to.fd);
      if (found == entries_.end() || found->second.serial != one.to.serial) continue;
      give(one, found->second, now);
      go_on(one.to.fd);
    }
  }

  void give(const Answered& one, Entry& entry, Nanoseconds now) {
    if (!one.answer.stream) return answer(entry, one.answer.reply);
    if (streams_.size() >= options_.streams) {
      return answer(entry, error_reply(429, "too many event streams are open"));
    }
    entry.connection.open_stream(one.answer.reply, *one.answer.stream, now);
    entry.last_sent = now;
    if (entry.connection.is_stream()) streams_.insert(one.to.fd);
    count(one.answer.reply.status);
    note();
  }

  void show(const TopicFrame& frame, Nanoseconds now) {
    const std::vector<int> all(streams_.begin(), streams_.end());
    for (const int fd : all) {
      const auto found = entries_.find(fd);
      if (found == entries_.end() || found->second.connection.topic() != frame.topic) continue;
      if (!found->second.connection.show(frame, now)) continue;
      found->second.last_sent = now;
      go_on(fd);
    }
  }

  // One question for all streams; the next only when it is answered.
  void ask_for_topics(Nanoseconds now) {
    if (streams_.empty() || now < next_look_) return;
    {
      const std::lock_guard lock(mutex_);
      if (looking_) return;
      looking_ = true;
    }
    next_look_ = now + options_.look;
    std::set<std::string> topics;
    for (const int fd : streams_) topics.insert(entries_.at(fd).connection.topic());
    workers_->add(
        [this, all = std::vector<std::string>(topics.begin(), topics.end())](std::size_t) {
          std::vector<TopicFrame> frames = app_.look(all);
          {
            const std::lock_guard lock(mutex_);
            frames_ = std::move(frames);
            looking_ = false;
          }
          wake(done_);
        });
  }

  void sweep(Nanoseconds now) {
    std::vector<int> late, silent;
    for (const auto& [fd, entry] : entries_) {
      if (entry.connection.is_late(now)) {
        late.push_back(fd);
      } else if (entry.connection.is_stream() && now - entry.last_sent >= options_.keep_alive) {
        silent.push_back(fd);
      }
    }
    for (const int fd : late) {
      entries_.at(fd).connection.give_up(now);
      go_on(fd);
      const auto found = entries_.find(fd);
      if (found != entries_.end() && found->second.connection.is_late(now)) drop(fd);
    }
    for (const int fd : silent) {
      Entry& entry = entries_.at(fd);
      entry.connection.keep_alive(now);
      entry.last_sent = now;
      go_on(fd);
    }
  }

  void drop(int fd) {
    streams_.erase(fd);
    entries_.erase(fd);
    note();
  }

  void note() {
    const std::lock_guard lock(mutex_);
    stats_.connections = entries_.size();
    stats_.accepted = last_serial_;
    stats_.streams = streams_.size();
  }

  const WebServerOptions options_;
  const std::optional<TlsContext> context_;
  WebApp& app_;
  const Clock& clock_;
  const Listening listening_;
  std::size_t most_connections_ = 1;
  int epoll_ = -1, stop_ = -1, done_ = -1;
  std::unordered_map<int, Entry> entries_;  // by descriptor
  std::set<int> streams_;                   // of them
  std::uint64_t last_serial_ = 0;
  std::vector<WebRequest> asked_;  // without workers: of this turn
  std::vector<Asker> askers_;      // of asked_
  Nanoseconds next_look_ = 0;
  mutable std::mutex mutex_;  // of what follows
  WebStats stats_;
  std::vector<Answered> answered_;
  std::vector<TopicFrame> frames_;
  bool looking_ = false;
  std::optional<WorkerPool> workers_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<WebServer>> WebServer::start(const WebServerOptions& options,
                                                    std::optional<TlsContext> context, WebApp& app,
                                                    const Clock& clock) {
  TRY_ASSIGN(const Listening listening, listen_on(options.host, options.port));
  auto server =
      std::make_unique<EpollWebServer>(options, std::move(context), app, clock, listening);
  TRY(server->begin());
  return std::unique_ptr<WebServer>(std::move(server));
}

}  // namespace kneepoint
