// SPDX-License-Identifier: Apache-2.0
//
// Free text (names, folders) stands last in a line, so that a bar in it can't shift the fields.
#include "orchestrator/backend/slurm/text.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "orchestrator/backend/allocation.h"

namespace kneepoint {

namespace slurm_fields {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<std::string_view> fields_of(std::string_view line, std::size_t most) {
  std::vector<std::string_view> fields;
  while (fields.size() + 1 < most) {
    const std::size_t bar = line.find('|');
    if (bar == std::string_view::npos) break;
    fields.push_back(line.substr(0, bar));
    line.remove_prefix(bar + 1);
  }
  fields.push_back(line);
  return fields;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string present(std::string_view text) {
  static constexpr std::string_view kNothing[] = {"None",          "(null)", "N/A", "Unknown",
                                                  "None assigned", "n/a",    ""};
  const bool is_nothing = std::ranges::find(kNothing, text) != std::end(kNothing);
  return is_nothing ? std::string() : std::string(text);
}

int leading_number(std::string_view text) {
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Nanoseconds limit_of(std::string_view text) {
  std::int64_t days = 0;
  if (const std::size_t dash = text.find('-'); dash != std::string_view::npos) {
    days = leading_number(text.substr(0, dash));
    text.remove_prefix(dash + 1);
  }
  std::int64_t seconds = 0;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    if (part.empty() || part.front() < '0' || part.front() > '9') return 0;
    seconds = seconds * 60 + leading_number(part);
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  return (days * 86'400 + seconds) * kSecond;
}

}  // namespace slurm_fields

using namespace slurm_fields;

int gpus_of(std::string_view gres) {
  int gpus = 0;
  while (!gres.empty()) {
    const std::size_t comma = gres.find(',');
    std::string_view one = gres.substr(0, comma);
    one = one.substr(0, one.find('('));
    if (one == "gpu") ++gpus;
    if (one.starts_with("gpu:")) {
      const std::string_view last = one.substr(one.rfind(':') + 1);
      const bool is_count = !last.empty() && last.front() >= '0' && last.front() <= '9';
      gpus += is_count ? leading_number(last) : 1;
    }
    if (comma == std::string_view::npos) break;
    gres.remove_prefix(comma + 1);
  }
  return gpus;
}

namespace {

// "1794840519" -> ns; "N/A", "Unknown", "None" -> 0.
Nanoseconds time_of(std::string_view text) {
  std::int64_t seconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return 0;
  return seconds * kSecond;
}

bool is_job_id(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || c == '_' || c == '+';
  });
}

// "CANCELLED by 1000" -> the uid; flags of newer versions ("RUNNING,SIGNALING") are cut off.
void read_state(std::string_view text, SlurmJob& job) {
  constexpr std::string_view kBy = " by ";
  if (const std::size_t by = text.find(kBy); by != std::string_view::npos) {
    job.ended_by = text.substr(by + kBy.size());
    text = text.substr(0, by);
  }
  if (text.ends_with('+')) text.remove_suffix(1);
  job.completing = text.find("COMPLETING") != std::string_view::npos;
  job.state = text.substr(0, text.find(','));
}

// The lines of squeue and sacct are alike, but that sacct has an exit code after the times.
std::vector<SlurmJob> parse_jobs(std::string_view text, bool with_exit_code) {
  const std::size_t count = with_exit_code ? 10 : 9;
  std::vector<SlurmJob> jobs;
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line, count);
    if (fields.size() != count || !is_job_id(fields[0])) continue;
    SlurmJob& job = jobs.emplace_back();
    job.id = fields[0];
    read_state(fields[1], job);
    job.submitted = time_of(fields[2]);
    job.started = time_of(fields[3]);
    job.ended = time_of(fields[4]);
    if (with_exit_code) {
      job.exit_code = leading_number(fields[5]);
      const std::size_t colon = fields[5].find(':');
      if (colon != std::string_view::npos) job.signal = leading_number(fields[5].substr(colon + 1));
    }
    job.reason = present(fields[count - 4]);
    job.nodes = present(fields[count - 3]);
    job.name = fields[count - 2];
    job.directory = fields[count - 1];
  }
  return jobs;
}

// "1-infinite", "2-8", "1" of sinfo: the largest job in nodes; 0: no limit.
int most_nodes_of(std::string_view range) {
  return leading_number(range.substr(range.find('-') + 1));
}

bool can_run(std::string_view state) {
  for (const std::string_view bad :
       {"down", "drain", "fail", "unk", "error", "maint", "no_respond", "inval"}) {
    if (state.find(bad) != std::string_view::npos) return false;
  }
  return !state.ends_with('*');
}

}  // namespace

const char* const kSqueueFormat = "%i|%T|%V|%S|%e|%r|%N|%j|%Z";
const char* const kSacctFields =
    "JobID,State,Submit,Start,End,ExitCode,Reason,NodeList,JobName,WorkDir";
const char* const kSinfoFormat = "%P|%D|%c|%X|%Y|%G|%l|%s|%T";

std::string gpu_argument(const SlurmSite& site, const std::string& count) {
  return (site.gpu_option == "gres" ? "--gres=gpu:" : "--gpus-per-node=") + count;
}

std::string batch_script(const SlurmSite& site, const std::string& agent_path,
                         const std::string& allocation_path) {
  // Where there are modules, a login shell knows the function `module`.
  std::string text = site.modules.empty() ? "#!/bin/bash\n" : "#!/bin/bash -l\n";
  for (const std::string& module : site.modules) {
    const std::string name = shell_quoted(module);
    text += "module load " + name + " || { echo \"kneepoint: module load \"" + name +
            "\" failed; see slurm.modules of the site\" >&2; exit 72; }\n";
  }
  for (const std::string& line : site.prologue) text += line + "\n";
  text += "exec " + shell_quoted(agent_path) + " run " + shell_quoted(allocation_path) + "\n";
  return text;
}

std::string minutes_text(Nanoseconds limit) {
  return std::to_string(std::max<Nanoseconds>(1, (limit + kMinute - 1) / kMinute));
}

std::vector<std::string> sbatch_arguments(const SlurmSubmission& job, const SlurmSite& site) {
  std::vector<std::string> argv = {"sbatch",
                                   "--parsable",
                                   "--job-name=" + job.name,
                                   "--chdir=" + job.directory,
                                   "--output=" + job.output_path,
                                   "--open-mode=append",
                                   "--no-requeue",
                                   "--nodes=" + std::to_string(job.nodes),
                                   "--ntasks=" + std::to_string(job.tasks),
                                   "--ntasks-per-node=" + std::to_string(job.tasks_per_node),
                                   "--cpus-per-task=" + std::to_string(job.cpus_per_task)};
  if (job.limit > 0) argv.push_back("--time=" + minutes_text(job.limit));
  if (job.overcommit) argv.emplace_back("--overcommit");
  if (job.gpus_per_node > 0) {
    const std::string type = site.gpu_type.empty() ? "" : site.gpu_type + ":";
    argv.push_back(gpu_argument(site, type + std::to_string(job.gpus_per_node)));
  }
  if (site.exclusive) argv.emplace_back("--exclusive");
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) argv.push_back(option + value);
  };
  add("--partition=", site.partition);
  add("--account=", site.account);
  add("--qos=", site.qos);
  add("--reservation=", site.reservation);
  add("--constraint=", site.constraint);
  std::string excluded;
  for (const std::string& node : job.exclude) excluded += (excluded.empty() ? "" : ",") + node;
  add("--exclude=", excluded);
  argv.insert(argv.end(), site.options.begin(), site.options.end());
  argv.push_back(job.script_path);
  return argv;
}

std::string parse_job_id(std::string_view parsable) {
  // sbatch may warn on the lines before; the id is on the last one.
  std::string id;
  for (const std::string_view line : lines_of(parsable)) {
    const std::string_view word = trimmed(line.substr(0, line.find(';')));
    if (is_job_id(word)) id = word;
  }
  return id;
}

std::vector<SlurmJob> parse_squeue(std::string_view text) {
  return parse_jobs(text, false);
}

std::vector<SlurmJob> parse_sacct(std::string_view text) {
  return parse_jobs(text, true);
}

SlurmCluster parse_cluster(std::string_view config, std::string_view sinfo,
                           const std::string& wanted) {
  SlurmCluster cluster;
  for (const std::string_view line : lines_of(config)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = trimmed(line.substr(0, equals));
    const std::string_view value = trimmed(line.substr(equals + 1));
    if (key == "SLURM_VERSION") cluster.version = value;
    if (key == "AccountingStorageType") {
      // Only slurmdbd can be asked by sacct; "(null)" since 23.11 where it was ".../none" before.
      cluster.has_accounting = value.find("slurmdbd") != std::string_view::npos;
    }
  }
  // A partition has a line for each kind and state of its nodes.
  std::string standard;
  std::map<std::string, SlurmPartition> all;
  for (const std::string_view line : lines_of(sinfo)) {
    const auto fields = fields_of(line, 9);
    if (fields.size() != 9) continue;
    std::string name(fields[0]);
    if (name.ends_with('*')) {
      name.pop_back();
      standard = name;
    }
    if (all.count(name) == 0) cluster.partitions.push_back(name);
    SlurmPartition& one = all[name];
    const int nodes = leading_number(fields[1]);
    if (nodes == 0) continue;
    const auto least = [&](int& value, int other) {
      value = one.nodes == 0 ? other : std::min(value, other);
    };
    least(one.cores_per_node, leading_number(fields[3]) * leading_number(fields[4]));
    least(one.gpus_per_node, gpus_of(fields[5]));
    one.nodes += nodes;
    if (can_run(fields[8])) one.nodes_up += nodes;
    one.time_limit = limit_of(fields[6]);
    one.most_nodes = most_nodes_of(fields[7]);
  }
  cluster.partition = wanted.empty() ? standard : wanted;
  static_cast<SlurmPartition&>(cluster) = all[cluster.partition];
  return cluster;
}

std::vector<std::string> parse_down_nodes(std::string_view text) {
  std::vector<std::string> nodes;
  for (const std::string_view line : lines_of(text)) {
    const auto fields = fields_of(line, 2);
    if (fields.size() != 2 || can_run(fields[1])) continue;
    const std::string name(fields[0]);
    if (std::find(nodes.begin(), nodes.end(), name) == nodes.end()) nodes.push_back(name);
  }
  return nodes;
}

std::string parse_ping(std::string_view text) {
  std::string down;
  for (const std::string_view line : lines_of(text)) {
    if (trimmed(line).ends_with(" is UP")) return "";
    if (down.empty() && trimmed(line).ends_with(" is DOWN")) down = trimmed(line);
  }
  return down;
}

std::string parse_rehearsal(std::string_view text) {
  for (std::string_view line : lines_of(text)) {
    const std::size_t at = line.find(" to start at ");
    if (at != std::string_view::npos) return "would start at " + std::string(line.substr(at + 13));
  }
  return std::string(trimmed(text));
}

}  // namespace kneepoint
