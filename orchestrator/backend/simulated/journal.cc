// SPDX-License-Identifier: Apache-2.0
//
// One JSON object a line: {"v":1,"nodes":N} first, then {"s":name,...} submitted, {"t":time} the
// clock moved on to, {"x":name} cancelled. What a submission will come to is on its line, so that a
// changed site file never changes the past.
#include "orchestrator/backend/simulated/cluster.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"

namespace kneepoint::simulated {

using Json = nlohmann::json;

// Found by nlohmann-json, by its argument.
static void from_json(const Json& json, Fate& fate) {
  const auto word = json.get<std::string>();
  for (const Fate one : {Fate::succeeds, Fate::exits, Fate::loses_node, Fate::runs_out_of_time}) {
    if (word == to_string(one)) return static_cast<void>(fate = one);
  }
  throw std::invalid_argument("'" + word + "' is no fate of a step");
}

namespace {

constexpr std::size_t kMostJournalBytes = std::numeric_limits<std::size_t>::max();

// The fields of a step in the order in which they stand in its array.
template <typename StepType, typename Visit>
void each_field(StepType& step, Visit visit) {
  visit(step.attempt);
  visit(step.seconds);
  visit(step.fate);
  visit(step.lasts);
  visit(step.nodes);
  visit(step.ranks);
  visit(step.ranks_per_node);
  visit(step.threads_per_rank);
}

SimulatedJob job_of(const Json& line) {
  SimulatedJob job;
  line.at("s").get_to(job.name);
  line.at("n").get_to(job.nodes);
  line.at("w").get_to(job.wait);
  line.at("l").get_to(job.limit);
  for (const Json& fields : line.at("steps")) {
    std::size_t next = 0;
    each_field(job.steps.emplace_back(), [&](auto& field) { fields.at(next++).get_to(field); });
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

std::string line_of(const JsonWriter& w) {
  return w.text() + "\n";
}

}  // namespace

std::string header_line(int nodes) {
  return line_of(JsonWriter().begin_object().put("v", 1).put("nodes", nodes).end_object());
}

std::string submit_line(const SimulatedJob& job) {
  JsonWriter w;
  w.begin_object().put("s", job.name).put("n", job.nodes).put("w", job.wait).put("l", job.limit);
  w.key("steps").begin_array();
  for (const SimulatedStep& step : job.steps) {
    w.begin_array();
    each_field(step, [&w](const auto& field) { put(w, field); });
    w.end_array();
  }
  return line_of(w.end_array().end_object());
}

std::string clock_line(Nanoseconds now) {
  return line_of(JsonWriter().begin_object().put("t", now).end_object());
}

std::string cancel_line(const std::string& name) {
  return line_of(JsonWriter().begin_object().put("x", name).end_object());
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

Result<Opened> open_journal(const std::string& path, int nodes) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) return system_error("make folder '" + folder.string() + "'", failure.value());
  Journal journal(Fd(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644)));
  const int descriptor = journal.file_.get();
  if (descriptor < 0) return system_error("open '" + path + "'", errno);
  TRY_ASSIGN(const auto stored, read_file_if_there(path, kMostJournalBytes));
  const std::string text = stored.value_or("");
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
