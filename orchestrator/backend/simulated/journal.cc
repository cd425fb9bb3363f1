// SPDX-License-Identifier: Apache-2.0
//
// One JSON object a line: {"v":1,"nodes":N} first, then {"s":name,...} submitted, {"t":time} the
// clock moved on to, {"x":name} cancelled. What a submission will come to is on its line, so that a
// changed site file never changes the past.
#include "orchestrator/backend/simulated/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "orchestrator/base/json_text.h"

namespace kneepoint::simulated {
namespace {

using Json = nlohmann::json;

Fate fate_of(const std::string& word) {
  for (const Fate fate : {Fate::succeeds, Fate::exits, Fate::loses_node, Fate::runs_out_of_time}) {
    if (word == to_string(fate)) return fate;
  }
  throw std::invalid_argument("'" + word + "' is no fate of a step");
}

SimulatedJob job_of(const Json& line) {
  SimulatedJob job;
  job.name = line.at("s").get<std::string>();
  job.nodes = line.at("n").get<int>();
  job.wait = line.at("w").get<Nanoseconds>();
  job.limit = line.at("l").get<Nanoseconds>();
  for (const Json& fields : line.at("steps")) {
    SimulatedStep step;
    step.attempt = fields.at(0).get<std::string>();
    step.seconds = fields.at(1).get<double>();
    step.fate = fate_of(fields.at(2).get<std::string>());
    step.lasts = fields.at(3).get<Nanoseconds>();
    step.nodes = fields.at(4).get<int>();
    step.ranks = fields.at(5).get<int>();
    step.ranks_per_node = fields.at(6).get<int>();
    step.threads_per_rank = fields.at(7).get<int>();
    job.steps.push_back(std::move(step));
  }
  return job;
}

void apply(const Json& line, Cluster& cluster) {
  if (const auto time = line.find("t"); time != line.end()) {
    cluster.advance_to(time->get<Nanoseconds>());
  } else if (line.contains("s")) {
    SimulatedJob job = job_of(line);
    if (cluster.find(job.name) != nullptr) throw std::invalid_argument("submitted twice");
    if (job.nodes > cluster.nodes() || job.steps.empty()) {
      throw std::invalid_argument("a job that the cluster can't run");
    }
    cluster.submit(std::move(job));
  } else {
    cluster.cancel(line.at("x").get<std::string>());
  }
}

}  // namespace

std::string header_line(int nodes) {
  JsonWriter w;
  w.begin_object().key("v").value(1).key("nodes").value(nodes).end_object();
  return w.text() + "\n";
}

std::string submit_line(const SimulatedJob& job) {
  JsonWriter w;
  w.begin_object().key("s").value(job.name).key("n").value(job.nodes);
  w.key("w").value(job.wait).key("l").value(job.limit).key("steps").begin_array();
  for (const SimulatedStep& step : job.steps) {
    w.begin_array().value(step.attempt).value(step.seconds).value(to_string(step.fate));
    w.value(step.lasts).value(step.nodes).value(step.ranks).value(step.ranks_per_node);
    w.value(step.threads_per_rank).end_array();
  }
  w.end_array().end_object();
  return w.text() + "\n";
}

std::string clock_line(Nanoseconds now) {
  JsonWriter w;
  w.begin_object().key("t").value(now).end_object();
  return w.text() + "\n";
}

std::string cancel_line(const std::string& name) {
  JsonWriter w;
  w.begin_object().key("x").value(name).end_object();
  return w.text() + "\n";
}

Result<Replayed> replay(std::string_view text, int nodes, const std::string& path) {
  Replayed replayed{Cluster(nodes), 0};
  int number = 0;
  while (true) {
    const std::size_t end = text.find('\n', replayed.good_bytes);
    if (end == std::string_view::npos) return replayed;
    const std::string_view line = text.substr(replayed.good_bytes, end - replayed.good_bytes);
    ++number;
    try {
      const Json json = Json::parse(line);
      if (number > 1) {
        apply(json, replayed.cluster);
      } else if (json.at("v").get<int>() == 1 && json.at("nodes").get<int>() > 0) {
        replayed.cluster = Cluster(json.at("nodes").get<int>());
      } else {
        throw std::invalid_argument("not a journal of version 1");
      }
    } catch (const std::exception& problem) {
      return Error{ErrorCode::corrupt,
                   path + ":" + std::to_string(number) + ": " + problem.what() +
                       "; the simulated cluster's journal is damaged: start anew with `run --new`",
                   false};
    }
    replayed.good_bytes = end + 1;
  }
}

Result<void> Journal::append(std::string_view lines) {
  for (std::size_t done = 0; done < lines.size();) {
    const ssize_t wrote = ::write(file_.get(), lines.data() + done, lines.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) {
      const int reason = errno;
      // Leave no half line behind for the next append to continue.
      if (::ftruncate(file_.get(), static_cast<off_t>(size_)) != 0) size_ += done;
      return system_error("write the simulated cluster's journal", reason);
    }
    done += static_cast<std::size_t>(wrote);
  }
  size_ += lines.size();
  return {};
}

Result<Opened> open_journal(const std::string& folder, const std::string& path, int nodes) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return system_error("make folder '" + folder + "'", failure.value());
  Journal journal(Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644)));
  const int descriptor = journal.file_.get();
  if (descriptor < 0) return system_error("open '" + path + "'", errno);
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return system_error("read '" + path + "'", errno);
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t got =
        ::pread(descriptor, text.data() + done, text.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return system_error("read '" + path + "'", got < 0 ? errno : EIO);
    done += static_cast<std::size_t>(got);
  }
  TRY_ASSIGN(Replayed replayed, replay(text, nodes, path));
  if (replayed.good_bytes < text.size() &&
      ::ftruncate(descriptor, static_cast<off_t>(replayed.good_bytes)) != 0) {
    return system_error("cut the last, incomplete line of '" + path + "'", errno);
  }
  journal.size_ = replayed.good_bytes;
  if (replayed.good_bytes == 0) TRY(journal.append(header_line(nodes)));
  return Opened{std::move(replayed.cluster), std::move(journal)};
}

}  // namespace kneepoint::simulated
