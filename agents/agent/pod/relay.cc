// SPDX-License-Identifier: Apache-2.0
//
// Nothing here waits. Output on its way is bounded by the window of each process: room is given
// back to the peer when the client has taken it.
#include "agents/agent/pod/leader.h"

#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace kneepoint::agent {
namespace {

constexpr std::uint32_t kGiveBack = kWindow / 4;
// When the Job is deleted every pod is told to end, one after the other: pod 0 too, then.
constexpr Nanoseconds kAllToldLimit = 3 * kSecond;

}  // namespace

Result<void> PodRelay::open(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error("mkdir " + folder, errno);
  }
  path_ = folder + "/socket";
  const auto address = unix_address(path_);
  if (!address) return Error{ErrorCode::invalid, "'" + path_ + "' is too long for a socket", false};
  listener_ = Fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener_.is_open() || bind(listener_.get(), address->get(), address->length) != 0 ||
      listen(listener_.get(), 512) != 0) {
    return system_error("listen at " + path_, errno);
  }
  return {};
}

void PodRelay::watch(std::vector<pollfd>& entries) const {
  for (const Link& one : links_) one.watch(entries);
  if (listener_.is_open()) entries.push_back({listener_.get(), POLLIN, 0});
  for (const auto& [fd, client] : clients_) {
    entries.push_back({fd, static_cast<short>(client.out.empty() ? POLLIN : POLLIN | POLLOUT), 0});
  }
}

void PodRelay::turn(Nanoseconds now) {
  now_ = now;
  for (int pod = 1; pod <= static_cast<int>(links_.size()); ++pod) {
    if (link(pod).is_closed()) continue;
    link(pod).turn(now);
    while (const auto message = link(pod).next()) handle_peer(pod, *message);
    if (link(pod).is_closed()) lose(pod);
  }
  if (told_to_end_ != 0 && lost_.empty() && now - told_since_ > kAllToldLimit) {
    lost_ = "pod " + settings_.pod_name(told_to_end_) +
            " was told to end: deleted, evicted, or its node drained";
  }
  if (!lost_.empty() && !lost_known_) {
    lost_known_ = true;  // the clients hear of it when our caller has noted why
    return;
  }
  accept_clients();
  for (auto& [fd, client] : clients_) read_client(client);
  for (auto& [fd, client] : clients_) write_client(client);
  for (auto entry = clients_.begin(); entry != clients_.end();) {
    Client& client = entry->second;
    if (client.socket.is_open() && !(client.ending && client.out.empty())) {
      ++entry;
      continue;
    }
    drop(client);
    entry = clients_.erase(entry);
  }
  for (Link& one : links_) one.turn(now);
}

void PodRelay::accept_clients() {
  while (listener_.is_open()) {
    Fd file(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!file.is_open()) return;
    const int fd = file.get();
    clients_[fd].socket = std::move(file);
  }
}

void PodRelay::read_client(Client& client) {
  std::array<char, 64 * 1024> block;
  while (client.socket.is_open()) {
    const ssize_t n = recv(client.socket.get(), block.data(), block.size(), MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    if (n <= 0) return client.socket.reset();
    client.reader.take(std::string_view(block.data(), static_cast<std::size_t>(n)));
    while (const auto message = client.reader.next()) handle_client(client, *message);
    if (client.reader.is_broken()) return client.socket.reset();
  }
}

void PodRelay::write_client(Client& client) {
  while (client.socket.is_open() && !client.out.empty()) {
    const ssize_t n = send(client.socket.get(), client.out.data(), client.out.size(),
                           MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) return client.socket.reset();
    client.out.erase(0, static_cast<std::size_t>(n));
  }
  if (client.pod == 0 || client.owed < kGiveBack) return;
  std::string room;
  put_u32(room, client.owed);
  client.owed = 0;
  link(client.pod).send(message_about('W', client.id, room));
}

void PodRelay::tell(Client& client, const Message& message) {
  client.out += encoded(message);
}

void PodRelay::end(Client& client, const ProcessEnd& end) {
  tell(client, {'X', encoded(end)});
  client.pod = 0;
  client.ending = true;
}

void PodRelay::handle_client(Client& client, const Message& message) {
  if (message.type == 'K' && client.pod != 0) {
    return link(client.pod).send(message_about('K', client.id, message.payload));
  }
  if (message.type == 'C') return begin_cleaning(client);
  if (message.type != 'R' || client.id != 0) return;
  const std::size_t nul = message.payload.find('\0');
  const std::string host = message.payload.substr(0, nul);
  const int pod = pod_index(host, settings_.job);
  if (nul == std::string::npos || pod < 1 || pod > static_cast<int>(links_.size())) {
    return end(client, {ProcessEnd::Kind::not_started, 0, "'" + host + "' is no pod of this job"});
  }
  if (link(pod).is_closed()) {
    return end(client, {ProcessEnd::Kind::lost, 0, "the pod is gone: " + link(pod).problem()});
  }
  client.pod = pod;
  client.id = next_id_++;
  by_id_[client.id] = &client;
  link(pod).send(message_about('R', client.id, std::string_view(message.payload).substr(nul + 1)));
}

PodRelay::Client* PodRelay::owner(int pod, std::uint32_t id) {
  const auto found = by_id_.find(id);
  return found != by_id_.end() && found->second->pod == pod ? found->second : nullptr;
}

void PodRelay::handle_peer(int pod, const Message& message) {
  std::string_view rest = message.payload;
  const std::uint32_t first = take_u32(rest);
  if (message.type == 'c') return cleaned(pod, decoded_leftovers(message.payload));
  if (message.type == 'T' && told_to_end_ == 0) {
    told_to_end_ = pod;
    told_since_ = now_;
  }
  Client* client = owner(pod, first);
  if (client == nullptr) return;
  if (message.type == 'O' && !rest.empty()) {
    client->owed += static_cast<std::uint32_t>(rest.size() - 1);
    tell(*client, {'O', std::string(rest)});
  } else if (message.type == 'X') {
    end(*client, decoded_end(rest));
  }
}

void PodRelay::begin_cleaning(Client& client) {
  if (cleaning_) return client.socket.reset();  // one `run`, one step at a time
  cleaning_ = Cleaning{&client, {}, {}};
  for (int pod = 1; pod <= static_cast<int>(links_.size()); ++pod) {
    if (link(pod).is_closed()) continue;
    link(pod).send({'C', ""});
    cleaning_->waiting.push_back(pod);
  }
  cleaned(0, {});
}

void PodRelay::cleaned(int pod, const Leftovers& found) {
  if (!cleaning_) return;
  std::erase(cleaning_->waiting, pod);
  cleaning_->found.killed += found.killed;
  cleaning_->found.gone = cleaning_->found.gone && found.gone;
  if (!cleaning_->waiting.empty()) return;
  if (cleaning_->asker != nullptr) {
    tell(*cleaning_->asker, message_of(cleaning_->found));
    cleaning_->asker->ending = true;
  }
  cleaning_.reset();
}

void PodRelay::drop(Client& client) {
  if (client.pod != 0)
    link(client.pod).send(message_about('K', client.id, std::string(1, SIGKILL)));
  by_id_.erase(client.id);
  if (cleaning_ && cleaning_->asker == &client) cleaning_->asker = nullptr;
}

void PodRelay::lose(int pod) {
  const std::string why = link(pod).problem();
  if (lost_.empty() && !leaving_) lost_ = "pod " + settings_.pod_name(pod) + " is gone: " + why;
  for (auto& [fd, client] : clients_) {
    if (client.pod == pod) end(client, {ProcessEnd::Kind::lost, 0, "the pod is gone: " + why});
  }
  cleaned(pod, {});
}

bool PodRelay::say_goodbye(Nanoseconds now) {
  bool all = true;
  for (Link& one : links_) {
    if (!leaving_) one.send({'G', ""});
    one.turn(now);
    while (one.next()) {
    }
    all = all && one.is_closed();
  }
  leaving_ = true;
  return all;
}

}  // namespace kneepoint::agent
