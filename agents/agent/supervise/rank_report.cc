// SPDX-License-Identifier: Apache-2.0
//
// Lines of words; a report goes from its "kneepoint-..." line to "end" and counts only if that end
// is there.
#include "agents/agent/supervise/profile.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "agents/agent/file.h"
#include "agents/agent/text.h"

namespace kneepoint::agent {
namespace {

constexpr std::size_t kMostBytes = 256 << 20;
constexpr std::size_t kMostIterations = 65536;
constexpr int kMostRanks = 1 << 20;
constexpr std::size_t kMostWord = 1024;

using Words = std::vector<std::string_view>;

bool read_word(std::string_view word, std::int64_t& to) {
  const auto value = whole_number<std::int64_t>(word);
  to = value.value_or(0);
  return value && to >= 0;
}
bool read_word(std::string_view word, int& to) {
  const auto value = whole_number<int>(word);
  to = value.value_or(0);
  return value && to >= 0 && to <= kMostRanks;
}
bool read_word(std::string_view word, double& to) {
  const auto value = whole_number<double>(word);
  to = value.value_or(0);
  return value && std::isfinite(to);
}
bool read_word(std::string_view word, bool& to) {
  to = word == "1";
  return true;
}
bool read_word(std::string_view word, std::string& to) {
  to = word == "-" ? "" : word.substr(0, kMostWord);
  return true;
}

// What follows the first word, each into its field; false: not as many words, or a wrong one.
template <typename... Fields>
bool read_words(const Words& words, Fields&... fields) {
  std::size_t at = 0;
  return words.size() == 1 + sizeof...(fields) && (read_word(words[++at], fields) && ...);
}

bool is_call_name(std::string_view name) {
  return name.starts_with("MPI_") && name.size() < 64 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

constexpr std::pair<std::string_view, std::int64_t record::RankProfile::*> kKinds[] = {
    {"collective", &record::RankProfile::collective_ns},
    {"point_to_point", &record::RankProfile::point_to_point_ns},
    {"wait", &record::RankProfile::wait_ns},
    {"one_sided", &record::RankProfile::one_sided_ns},
    {"other", &record::RankProfile::other_ns}};

std::int64_t* time_in(record::RankProfile& times, std::string_view kind) {
  for (const auto& [word, member] : kKinds) {
    if (word == kind) return &(times.*member);
  }
  return nullptr;
}

// How a line with this first word is read.
template <typename Report>
using Reader = std::pair<std::string_view, bool (*)(const Words&, Report&)>;

const Reader<RankProfileReport> kProfileLines[] = {
    {"rank", [](auto& w, auto& r) { return read_words(w, r.times.rank, r.ranks); }},
    {"host", [](auto& w, auto& r) { return read_words(w, r.host); }},
    {"cpus", [](auto& w, auto& r) { return read_words(w, r.cpus); }},
    {"window", [](auto& w, auto& r) { return read_words(w, r.times.window_ns); }},
    {"threads", [](auto& w, auto& r) { return read_words(w, r.times.threads); }},
    {"other_threads", [](auto& w, auto& r) { return read_words(w, r.times.other_threads_ns); }},
    {"complete", [](auto& w, auto& r) { return read_words(w, r.times.complete); }},
    {"in",
     [](auto& w, auto& r) {
       std::string kind;
       std::int64_t ns = 0;
       if (!read_words(w, kind, ns) || time_in(r.times, kind) == nullptr) return false;
       *time_in(r.times, kind) = ns;
       return true;
     }},
    {"call", [](auto& w, auto& r) {
       record::Operation& call = r.calls.emplace_back();
       return read_words(w, call.name, call.kind, call.calls, call.bytes, call.time_ns) &&
              is_call_name(call.name) && time_in(r.times, call.kind) != nullptr;
     }}};

const Reader<ProbeReport> kProbeLines[] = {
    {"rank", [](auto& w, auto& r) { return read_words(w, r.rank); }},
    {"iterations", [](auto& w, auto& r) { return read_words(w, r.iterations); }},
    {"i",
     [](auto& w, auto& r) {
       if (r.kept.size() >= kMostIterations) return false;
       ProbeIteration& one = r.kept.emplace_back();
       if (w.size() == 3 && w[2] == "-1") return read_word(w[1], one.ns);
       return read_words(w, one.ns, one.mpi_ns);
     }},
    {"region",
     [](auto& w, auto& r) {
       ProbeReport::Region& region = r.regions.emplace_back();
       return read_words(w, region.name, region.calls, region.ns);
     }},
    {"metric", [](auto& w, auto& r) {
       record::Metric metric;
       const bool good = read_words(w, metric.name, metric.value, metric.unit);
       const bool counts = metric.name != "time" && !metric.name.empty();  // T has other sources
       if (good && counts) r.metrics.push_back(metric);
       return good;
     }}};

template <typename Report, std::size_t n>
bool read_line(const Reader<Report> (&readers)[n], const Words& words, Report& report) {
  const auto reader = std::find_if(std::begin(readers), std::end(readers),
                                   [&](const auto& one) { return one.first == words[0]; });
  return reader != std::end(readers) && reader->second(words, report);
}

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> names = names_in(folder);
  std::erase_if(names, [&](const std::string& name) {
    struct stat status {};  // a pipe in its place must not hold the agent up
    return !name.ends_with(".txt") || lstat((folder + "/" + name).c_str(), &status) != 0 ||
           !S_ISREG(status.st_mode);
  });
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
      good = read_line(kProfileLines, words, profile) && good;
    } else if (part == Part::probe) {
      good = read_line(kProbeLines, words, probe) && good;
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
