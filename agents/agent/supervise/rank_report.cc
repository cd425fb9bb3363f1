// SPDX-License-Identifier: Apache-2.0
//
// Lines of words; a report goes from its "kneepoint-..." line to "end" and counts only if that end
// is there.
#include "agents/agent/supervise/profile.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "agents/agent/file.h"

namespace kneepoint::agent {
namespace {

constexpr std::size_t kMostBytes = 256 << 20;
constexpr std::size_t kMostIterations = 65536;
constexpr int kMostRanks = 1 << 20;
constexpr std::size_t kMostWord = 1024;

using Words = std::vector<std::string_view>;

Words words_of(std::string_view line) {
  Words words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

bool read_number(std::string_view word, std::int64_t& to,
                 std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), to);
  return error == std::errc() && end == word.data() + word.size() && to >= 0 && to <= most;
}

bool read_number(std::string_view word, int& to, int most) {
  std::int64_t value = 0;
  if (!read_number(word, value, most)) return false;
  to = static_cast<int>(value);
  return true;
}

std::string plain(std::string_view word) {
  return word == "-" ? "" : std::string(word.substr(0, kMostWord));
}

bool is_call_name(std::string_view name) {
  return name.starts_with("MPI_") && name.size() < 64 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

std::int64_t* time_in(record::RankProfile& times, std::string_view kind) {
  if (kind == "collective") return &times.collective_ns;
  if (kind == "point_to_point") return &times.point_to_point_ns;
  if (kind == "wait") return &times.wait_ns;
  if (kind == "one_sided") return &times.one_sided_ns;
  if (kind == "other") return &times.other_ns;
  return nullptr;
}

bool read_profile_line(const Words& w, RankProfileReport& report) {
  record::RankProfile& times = report.times;
  if (w[0] == "rank" && w.size() == 3) {
    return read_number(w[1], times.rank, kMostRanks) && read_number(w[2], report.ranks, kMostRanks);
  }
  if (w[0] == "call" && w.size() == 6) {
    CallTotal call{std::string(w[1]), std::string(w[2])};
    if (!is_call_name(w[1]) || time_in(times, w[2]) == nullptr || !read_number(w[3], call.calls) ||
        !read_number(w[4], call.bytes) || !read_number(w[5], call.ns)) {
      return false;
    }
    report.calls.push_back(std::move(call));
    return true;
  }
  if (w[0] == "in" && w.size() == 3) {
    std::int64_t* const time = time_in(times, w[1]);
    return time != nullptr && read_number(w[2], *time);
  }
  if (w.size() != 2) return false;
  if (w[0] == "host") return report.host = plain(w[1]), true;
  if (w[0] == "cpus") return report.cpus = plain(w[1]), true;
  if (w[0] == "window") return read_number(w[1], times.window_ns);
  if (w[0] == "threads") return read_number(w[1], times.threads, 1 << 20);
  if (w[0] == "other_threads") return read_number(w[1], times.other_threads_ns);
  if (w[0] == "complete") return times.complete = w[1] == "1", true;
  return false;
}

bool read_probe_line(const Words& w, ProbeReport& report) {
  if (w[0] == "i" && w.size() == 3 && report.kept.size() < kMostIterations) {
    ProbeIteration one;
    if (!read_number(w[1], one.ns)) return false;
    if (w[2] != "-1" && !read_number(w[2], one.mpi_ns)) return false;
    report.kept.push_back(one);
    return true;
  }
  if (w[0] == "rank" && w.size() == 2) return read_number(w[1], report.rank, kMostRanks);
  if (w[0] == "iterations" && w.size() == 2) return read_number(w[1], report.iterations);
  if (w[0] == "region" && w.size() == 4) {
    ProbeReport::Region region{plain(w[1])};
    if (!read_number(w[2], region.calls) || !read_number(w[3], region.ns)) return false;
    report.regions.push_back(std::move(region));
    return true;
  }
  if (w[0] == "metric" && w.size() == 4) {
    record::Metric metric{plain(w[1]), 0, plain(w[3])};
    const std::string text(w[2]);
    char* end = nullptr;
    metric.value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !std::isfinite(metric.value)) return false;
    if (metric.name == "time" || metric.name.empty()) return true;  // T has other sources
    report.metrics.push_back(std::move(metric));
    return true;
  }
  return false;
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names;
  DIR* const directory = opendir(folder.c_str());
  if (directory == nullptr) return names;
  while (const dirent* const entry = readdir(directory)) {
    const std::string name = entry->d_name;
    struct stat status {};  // a pipe in its place must not hold the agent up
    if (!name.ends_with(".txt") || lstat((folder + "/" + name).c_str(), &status) != 0) continue;
    if (S_ISREG(status.st_mode)) names.push_back(name);
  }
  closedir(directory);
  // "ranks.txt" holds all ranks and comes before what single ones left.
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a != "ranks.txt", a) < std::pair(b != "ranks.txt", b);
  });
  return names;
}

}  // namespace

void read_reports(std::string_view text, Reports& reports) {
  enum class Part { none, profile, probe } part = Part::none;
  RankProfileReport profile;
  ProbeReport probe;
  bool good = false;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    const Words words = words_of(text.substr(0, newline));
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    if (words.empty()) continue;
    const bool opens = words[0] == "kneepoint-profile" || words[0] == "kneepoint-probe";
    const bool ends = words[0] == "end" && words.size() == 1 && newline != std::string_view::npos;
    if (opens || ends) {
      if (part != Part::none && (!good || opens)) {
        ++reports.unreadable;
      } else if (part == Part::profile) {
        reports.profiles.emplace(profile.times.rank, std::move(profile));
      } else if (part == Part::probe) {
        reports.probes.emplace(probe.rank, std::move(probe));
      }
      profile = {};
      probe = {};
      good = true;
      part = ends ? Part::none : words[0] == "kneepoint-profile" ? Part::profile : Part::probe;
    } else if (part == Part::profile) {
      good = read_profile_line(words, profile) && good;
    } else if (part == Part::probe) {
      good = read_probe_line(words, probe) && good;
    }
  }
  if (part != Part::none) ++reports.unreadable;  // cut
}

Reports collect_reports(const std::string& profile_folder, const std::string& probe_folder) {
  Reports reports;
  for (const std::string& folder : {profile_folder, probe_folder}) {
    for (const std::string& name : files_in(folder)) {
      read_reports(read_small(folder + "/" + name, kMostBytes), reports);
    }
  }
  return reports;
}

}  // namespace kneepoint::agent
