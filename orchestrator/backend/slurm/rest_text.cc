// SPDX-License-Identifier: Apache-2.0
//
// Writing: field by field as the API's version wants it. What only the plan and the site know is
// never guessed: a field that isn't needed isn't sent, since an unknown key refuses the whole job.
#include "orchestrator/backend/slurm/rest_text.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "orchestrator/base/json_put.h"

namespace kneepoint {
namespace {

// Slurm counts in whole minutes.
std::int64_t minutes_of(Nanoseconds limit) {
  return std::max<std::int64_t>(1, (limit + kMinute - 1) / kMinute);
}

bool has_lists(int api) {
  return api >= 39;
}

void put_gpus(JsonWriter& w, const SlurmSubmission& job, const SlurmSite& site, int api) {
  if (job.gpus_per_node == 0) return;
  const std::string count =
      (site.gpu_type.empty() ? "" : site.gpu_type + ":") + std::to_string(job.gpus_per_node);
  if (has_lists(api)) {
    w.put("tres_per_node", "gres/gpu:" + count);
  } else if (site.gpu_option == "gres") {
    w.put("gres", "gpu:" + count);
  } else {
    w.put("gpus_per_node", count);
  }
}

std::string in_quotes(const std::string& word) {
  return "'" + word + "'";
}

bool is_in_list(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

}  // namespace

int parse_api_word(std::string_view word) {
  constexpr std::string_view kPrefix = "v0.0.";
  int number = 0;
  if (!word.starts_with(kPrefix)) return 0;
  word.remove_prefix(kPrefix.size());
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  return problem == std::errc() && end == word.data() + word.size() ? number : 0;
}

RestApi parse_rest_api(std::string_view openapi) {
  RestApi api;
  // The description of a new server has megabytes: only its paths are looked for.
  for (const bool accounting : {false, true}) {
    int& newest = accounting ? api.slurmdb : api.slurm;
    const std::string_view folder = accounting ? "slurmdb" : "slurm";
    for (const std::string_view slash : {"/", "\\/"}) {
      const std::string start = std::string(slash) + std::string(folder) + std::string(slash);
      for (std::size_t at = 0; (at = openapi.find(start, at)) != std::string_view::npos;) {
        at += start.size();
        const std::size_t end = std::min(openapi.find_first_of("/\\\"", at), openapi.size());
        const int found = parse_api_word(openapi.substr(at, end - at));
        if (found >= kOldestRestApi && found <= kNewestRestApi) newest = std::max(newest, found);
      }
    }
  }
  return api;
}

std::string rest_submission(const SlurmSubmission& job, const SlurmSite& site, int api) {
  // slurmrestd refuses a job without an environment. The agent's own PATH is the site's prologue's
  // business.
  static const std::map<std::string, std::string> environment = {
      {"PATH", "/usr/local/bin:/usr/bin:/bin"}};
  const bool lists = has_lists(api);
  JsonWriter w;
  w.begin_object();
  if (!lists) w.put("script", job.script);
  w.key("job").begin_object();
  if (lists) w.put("script", job.script);
  w.put("name", job.name).put("current_working_directory", job.directory);
  w.put("standard_output", job.output_path);
  if (lists) {
    w.put("environment", std::vector{"PATH=" + environment.at("PATH")});
    w.put("minimum_nodes", job.nodes).put("maximum_nodes", job.nodes);
  } else {
    w.put("environment", environment);
    w.put("nodes", std::to_string(job.nodes));  // a list of two numbers has no effect there
  }
  // More tasks than CPUs on purpose: one CPU a node is asked for, and the step says the rest.
  w.put("tasks", job.overcommit ? job.nodes : job.tasks);
  w.put("tasks_per_node", job.overcommit ? 1 : job.tasks_per_node);
  w.put("cpus_per_task", job.overcommit ? 1 : job.cpus_per_task);
  put_gpus(w, job, site, api);
  w.put("time_limit", minutes_of(job.limit)).put("requeue", false);
  if (site.exclusive && lists) w.put("shared", std::vector{"none"});
  if (site.exclusive && !lists) w.put("exclusive", "exclusive");
  w.put_if_any("partition", site.partition).put_if_any("account", site.account);
  w.put_if_any("qos", site.qos).put_if_any("reservation", site.reservation);
  w.put_if_any("constraints", site.constraint);
  if (rest_excludes_nodes(api)) w.put_if_any("excluded_nodes", job.exclude);
  return w.end_object().end_object().text();
}

Result<void> check_rest_site(const SlurmSite& site) {
  if (site.options.empty()) return {};
  return Error{ErrorCode::unsupported,
               "slurm.options are options of sbatch, which slurmrestd has no words for; use "
               "transport: commands",
               false};
}

bool rest_excludes_nodes(int api) {
  return has_lists(api);
}

std::string why_refused(const SlurmSubmission& job, const SlurmSite& site,
                        const std::vector<RestPartition>& partitions,
                        const SlurmAccounting& accounting) {
  const auto found =
      std::find_if(partitions.begin(), partitions.end(), [&](const RestPartition& one) {
        return site.partition.empty() ? one.is_default : one.name == site.partition;
      });
  if (found == partitions.end()) {
    std::string names;
    for (const RestPartition& one : partitions) names += (names.empty() ? "" : ", ") + one.name;
    return (site.partition.empty() ? std::string("no default partition is told")
                                   : "there is no partition " + in_quotes(site.partition)) +
           "; set slurm.partition in the site to one of: " + names;
  }
  const std::string place = "partition " + in_quotes(found->name);
  if (!found->state.empty() && found->state != "UP") {
    return place + " is " + found->state + "; set slurm.partition in the site to one that is up";
  }
  const int most = found->most_nodes > 0 ? std::min(found->most_nodes, found->nodes) : found->nodes;
  if (job.nodes > most) {
    return place + " gives at most " + std::to_string(most) + " nodes to a job, asked for " +
           std::to_string(job.nodes) +
           "; lower `scale` of the plan, or name a larger slurm.partition in the site";
  }
  if (found->most_time > 0 && minutes_of(job.limit) * kMinute > found->most_time) {
    return place + " allows " + to_duration_text(found->most_time) + ", asked for " +
           to_duration_text(minutes_of(job.limit) * kMinute) +
           "; lower limits.timeout of the plan (or packing.limit of the site), or name a partition "
           "that allows more";
  }
  if (!site.qos.empty() && !found->allowed_qos.empty() &&
      !is_in_list(found->allowed_qos, site.qos)) {
    return place + " takes QOS " + found->allowed_qos + " and not " + in_quotes(site.qos) +
           "; set slurm.qos in the site";
  }
  if (!site.account.empty() && !found->allowed_accounts.empty() &&
      !is_in_list(found->allowed_accounts, site.account)) {
    return place + " is for accounts " + found->allowed_accounts + " and not " +
           in_quotes(site.account) + "; set slurm.account in the site";
  }
  return why_not_allowed(accounting, site, job);
}

}  // namespace kneepoint
