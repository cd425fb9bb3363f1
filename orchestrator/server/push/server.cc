// SPDX-License-Identifier: Apache-2.0
//
// The loop. Signals are the engine's: this thread blocks them all. A spool that can't be written
// puts pushes off (503), since agents keep their files and come again.
#include "orchestrator/server/push/server.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "orchestrator/base/log.h"
#include "orchestrator/server/http/listening.h"
#include "orchestrator/server/push/connection.h"

namespace kneepoint {
namespace {

constexpr int kDescriptors = 8192;
constexpr int kReserved = 200;  // descriptors for everything else
constexpr int kEventsAtOnce = 256;
constexpr int kAcceptsAtOnce = 64;  // handshakes wait their turn behind pushes that are ready
constexpr int kSweepMs = 500;
constexpr std::size_t kMostNames = 1000;  // of refused allocations that are told apart

class EpollPushServer final : public PushServer {
 public:
  EpollPushServer(PushServerOptions options, TlsContext context, const Clock& clock,
                  SpoolWriter spool, Listening listening)
      : options_(std::move(options)),
        context_(std::move(context)),
        clock_(clock),
        spool_(std::move(spool)),
        listening_(listening),
        most_connections_(
            static_cast<std::size_t>(std::max(1, allow_descriptors(kDescriptors) - kReserved))) {}

  Result<void> begin() {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    stop_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (epoll_ < 0 || stop_ < 0) return system_error("epoll", errno);
    watch(listening_.fd, EPOLLIN, EPOLL_CTL_ADD);
    watch(stop_, EPOLLIN, EPOLL_CTL_ADD);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { serve(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return {};
  }

  ~EpollPushServer() override {
    if (thread_.joinable()) {
      const std::uint64_t one = 1;
      (void)!::write(stop_, &one, sizeof one);
      thread_.join();
    }
    for (const int fd : {listening_.fd, stop_, epoll_}) {
      if (fd >= 0) ::close(fd);
    }
  }

  int port() const override { return listening_.port; }

  PushStats stats() const override {
    const std::lock_guard lock(mutex_);
    return stats_;
  }

  std::vector<Refusal> take_refusals() override {
    const std::lock_guard lock(mutex_);
    std::vector<Refusal> all;
    for (auto& [name, count] : refusals_) {
      if (count.fresh > 0) all.push_back({name, std::exchange(count.fresh, 0)});
    }
    return all;
  }

 private:
  struct Entry {
    Entry(const TlsContext& context, int fd, Nanoseconds now) : connection(context, fd, now) {}
    PushConnection connection;
    std::uint32_t watched = EPOLLIN;
  };
  struct Count {
    int all = 0, fresh = 0;
  };

  void watch(int fd, std::uint32_t events, int how) const {
    epoll_event event{};
    event.events = events;
    event.data.fd = fd;
    ::epoll_ctl(epoll_, how, fd, &event);
  }

  void serve() {
    std::array<epoll_event, kEventsAtOnce> events;
    Nanoseconds next_sweep = 0;
    for (;;) {
      const int patience = pushes_.empty() ? kSweepMs : 0;
      const int count = ::epoll_wait(epoll_, events.data(), kEventsAtOnce, patience);
      for (int i = 0; i < count; ++i) {
        const int fd = events[static_cast<std::size_t>(i)].data.fd;
        if (fd == stop_) return;
        if (fd == listening_.fd) {
          accept_some();
        } else {
          go_on(fd);
        }
      }
      commit();
      const Nanoseconds now = clock_.steady();
      if (now >= next_sweep) {
        next_sweep = now + kSweepMs * kMillisecond;
        sweep(now);
      }
    }
  }

  void accept_some() {
    for (int i = 0; i < kAcceptsAtOnce; ++i) {
      const int fd = accept_one(listening_.fd);
      if (fd < 0) return;
      if (entries_.size() >= most_connections_) {
        ::close(fd);
        continue;
      }
      entries_.try_emplace(fd, context_, fd, clock_.steady());
      watch(fd, EPOLLIN, EPOLL_CTL_ADD);
      const std::lock_guard lock(mutex_);
      ++stats_.accepted;
      ++stats_.connections;
    }
  }

  void go_on(int fd) {
    const auto found = entries_.find(fd);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    const PushConnection::Turn turn = entry.connection.turn(options_.key, clock_.steady());
    note(entry.connection.take_report());
    std::uint32_t wanted = 0;
    switch (turn) {
      case PushConnection::Turn::closed:
        return drop(fd);
      case PushConnection::Turn::push_ready:
        ready_.push_back(fd);
        pushes_.push_back(entry.connection.take_push());
        break;
      case PushConnection::Turn::waiting:
        break;
      case PushConnection::Turn::want_read:
        wanted = EPOLLIN;
        break;
      case PushConnection::Turn::want_write:
        wanted = EPOLLOUT;
        break;
    }
    if (wanted != entry.watched) watch(fd, entry.watched = wanted, EPOLL_CTL_MOD);
  }

  // One fdatasync for all that are ready. A connection that broke off meanwhile is acknowledged to
  // nobody; its records are kept all the same.
  void commit() {
    if (pushes_.empty()) return;
    const auto kept = spool_.append(pushes_);
    if (!kept) log_error("", "pushes are put off: " + kept.error().message);
    std::size_t bytes = 0;
    for (const Push& push : pushes_) bytes += push.lines.size();
    {
      const std::lock_guard lock(mutex_);
      if (kept) stats_.bytes += bytes;
    }
    pushes_.clear();
    std::vector<int> ready;
    ready.swap(ready_);
    for (const int fd : ready) {
      const auto found = entries_.find(fd);
      if (found == entries_.end()) continue;
      found->second.connection.answer(kept ? 204 : 503, kept ? "" : "try again later");
      go_on(fd);
    }
  }

  void sweep(Nanoseconds now) {
    std::vector<int> late;
    for (const auto& [fd, entry] : entries_) {
      if (entry.connection.is_late(now)) late.push_back(fd);
    }
    for (const int fd : late) {
      entries_.at(fd).connection.give_up();
      go_on(fd);
      drop(fd);
    }
  }

  void drop(int fd) {
    if (entries_.erase(fd) == 0) return;
    const std::lock_guard lock(mutex_);
    --stats_.connections;
  }

  void note(const PushConnection::TurnReport& report) {
    if (report.answers.empty() && report.wrong_token.empty()) return;
    const std::lock_guard lock(mutex_);
    for (const PushConnection::Answered& answer : report.answers) {
      if (answer.status == 204) {
        ++stats_.pushes;
        stats_.time.add(answer.time);
      } else if (answer.status == 503) {
        ++stats_.put_off;
      } else if (answer.status >= 400) {
        ++stats_.refused;
      }
    }
    if (report.wrong_token.empty()) return;
    const bool is_known = refusals_.count(report.wrong_token) > 0;
    Count& count =
        refusals_[is_known || refusals_.size() < kMostNames ? report.wrong_token : "..."];
    ++count.fresh;
    if (++count.all == 1) {
      log_warning(report.wrong_token, "a push with a wrong token was refused");
    }
  }

  const PushServerOptions options_;
  const TlsContext context_;
  const Clock& clock_;
  SpoolWriter spool_;
  const Listening listening_;
  const std::size_t most_connections_;
  int epoll_ = -1;
  int stop_ = -1;
  std::unordered_map<int, Entry> entries_;  // by descriptor
  std::vector<int> ready_;                  // connections of pushes_
  std::vector<Push> pushes_;
  mutable std::mutex mutex_;  // of what follows
  PushStats stats_;
  std::map<std::string, Count> refusals_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<PushServer>> PushServer::start(PushServerOptions options, TlsContext context,
                                                      const Clock& clock) {
  TRY_ASSIGN(SpoolWriter spool, SpoolWriter::open(options.spool));
  TRY_ASSIGN(const Listening listening, listen_on(options.host, options.port));
  auto server = std::make_unique<EpollPushServer>(std::move(options), std::move(context), clock,
                                                  std::move(spool), listening);
  TRY(server->begin());
  return std::unique_ptr<PushServer>(std::move(server));
}

}  // namespace kneepoint
