// SPDX-License-Identifier: Apache-2.0
//
// Reading: what slurmrestd answers, of any version. Nothing here throws out; what can't be read is
// not there.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "orchestrator/backend/slurm/rest_text.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/node_list.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

using Json = nlohmann::json;

Json json_in(std::string_view body) {
  return Json::parse(body.begin(), body.end(), nullptr, false);
}

const Json& member(const Json& object, const char* key) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto found = object.find(key);
  return found == object.end() ? nothing : *found;
}

const Json& items_of(const Json& value) {
  static const Json none = Json::array();
  return value.is_array() ? value : none;
}

// A word, or the first of a list of words.
std::string word(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_array() && !value.empty()) return word(value.front());
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  return "";
}

// Several words with commas between.
std::string words(const Json& value) {
  if (!value.is_array()) return word(value);
  std::string all;
  for (const Json& one : value) all += (all.empty() ? "" : ",") + word(one);
  return all;
}

// 7, or {"set": true, "infinite": false, "number": 7}; what is unset or endless is 0.
std::int64_t number(const Json& value) {
  if (value.is_object()) {
    const Json& set = member(value, "set");
    const Json& infinite = member(value, "infinite");
    if ((set.is_boolean() && !set.get<bool>()) || (infinite.is_boolean() && infinite.get<bool>())) {
      return 0;
    }
    return number(member(value, "number"));
  }
  if (!value.is_number()) return 0;
  const auto plain = value.is_number_float() ? static_cast<std::int64_t>(value.get<double>())
                                             : value.get<std::int64_t>();
  return plain < 0 || plain >= 0xFFFFFFFE ? 0 : plain;  // NO_VAL and INFINITE of older versions
}

Nanoseconds rest_time_of(const Json& value) {
  return number(value) * kSecond;
}

bool has_word(const Json& list, std::string_view wanted) {
  if (!list.is_array()) return word(list) == wanted;
  return std::any_of(list.begin(), list.end(),
                     [&](const Json& one) { return word(one) == wanted; });
}

// A wait status as a number (jobs up to v0.0.39), or {"return_code":, "signal": {"id":}}.
void read_exit(const Json& value, SlurmJob& job) {
  if (!value.is_object() || value.contains("number")) {
    const auto status = static_cast<int>(number(value));
    job.exit_code = status >> 8;
    job.signal = status & 0x7F;
    return;
  }
  job.exit_code = static_cast<int>(number(member(value, "return_code")));
  const Json& signal = member(value, "signal");
  const Json& id = member(signal, "id");
  job.signal = static_cast<int>(number(id.is_null() ? member(signal, "signal_id") : id));
}

SlurmJob rest_job_of(const Json& from) {
  SlurmJob job;
  job.id = word(member(from, "job_id"));
  job.name = word(member(from, "name"));
  job.directory = word(member(from, "current_working_directory"));
  const Json& state = member(from, "job_state");
  job.state = word(state);
  job.completing = has_word(state, "COMPLETING") || has_word(member(from, "flags"), "COMPLETING");
  job.reason = slurm_fields::present(word(member(from, "state_reason")));
  const Json& nodes = member(from, "nodes");
  job.nodes = word(nodes.is_object() ? member(nodes, "list") : nodes);
  job.failed_node = word(member(from, "failed_node"));
  job.submitted = rest_time_of(member(from, "submit_time"));
  job.started = rest_time_of(member(from, "start_time"));
  const bool over = job.state != SlurmState::pending && job.state != SlurmState::running &&
                    job.state != SlurmState::suspended && job.state != SlurmState::configuring;
  // Of a job that runs, Slurm tells when it would be ended.
  if (over) job.ended = rest_time_of(member(from, "end_time"));
  // One that was cancelled in the queue is told to have started when it ended.
  if (over && job.nodes.empty()) job.started = 0;
  read_exit(member(from, "exit_code"), job);
  return job;
}

SlurmJob past_job_of(const Json& from) {
  SlurmJob job;
  job.id = word(member(from, "job_id"));
  job.name = word(member(from, "name"));
  job.directory = word(member(from, "working_directory"));
  job.state = word(member(member(from, "state"), "current"));
  job.reason = slurm_fields::present(word(member(member(from, "state"), "reason")));
  job.nodes = slurm_fields::present(word(member(from, "nodes")));
  job.failed_node = word(member(from, "failed_node"));
  job.ended_by = word(member(from, "kill_request_user"));
  const Json& time = member(from, "time");
  job.submitted = rest_time_of(member(time, "submission"));
  job.started = rest_time_of(member(time, "start"));
  job.ended = rest_time_of(member(time, "end"));
  read_exit(member(from, "exit_code"), job);
  return job;
}

// "idle", "IDLE", ["IDLE","DRAIN"]; flags apart or not.
bool is_up(const Json& node) {
  std::string all = words(member(node, "state")) + "," + words(member(node, "state_flags"));
  all = ascii_lower(all);
  // A node that sleeps to save power wakes when it is wanted.
  for (const std::string_view asleep : {"powered_down", "powering_down", "power_down"}) {
    if (const std::size_t found = all.find(asleep); found != std::string::npos) {
      all.erase(found, asleep.size());
    }
  }
  for (const char* bad : {"down", "drain", "fail", "not_responding", "unknown", "invalid"}) {
    if (all.find(bad) != std::string::npos) return false;
  }
  return true;
}

// [{"type": "node", "count": 2}, ...] -> 2
int rest_nodes_in(const Json& tres) {
  for (const Json& one : items_of(tres)) {
    if (word(member(one, "type")) == "node") return static_cast<int>(number(member(one, "count")));
  }
  return 0;
}

// Of the alphabet for URLs, without its padding.
Json json_in_base64(std::string text) {
  std::replace(text.begin(), text.end(), '-', '+');
  std::replace(text.begin(), text.end(), '_', '/');
  text.resize((text.size() + 3) / 4 * 4, '=');
  std::string bytes;
  return base64_decoded(text, bytes) ? json_in(bytes) : Json();
}

// The jobs of an answer, or none where it has no list of them.
std::optional<std::vector<SlurmJob>> jobs_in(const Json& answer, SlurmJob (*read)(const Json&),
                                             const std::string& user = "") {
  const Json& list = member(answer, "jobs");
  if (!list.is_array()) return std::nullopt;
  std::vector<SlurmJob> jobs;
  for (const Json& one : list) {
    const std::string whose = word(member(one, "user_name"));
    if (!user.empty() && !whose.empty() && whose != user) continue;
    SlurmJob job = read(one);
    if (!job.id.empty() && !job.state.word.empty()) jobs.push_back(std::move(job));
  }
  return jobs;
}

RestErrors errors_of(const Json& answer) {
  RestErrors found;
  found.is_json = answer.is_object();
  for (const Json& one : items_of(member(answer, "errors"))) {
    std::string said = word(member(one, "error"));
    const std::string description = word(member(one, "description"));
    if (said.empty() || said == "Unspecified error" || said == "Failure during parsing") {
      if (!description.empty()) said = description;
    } else if (!description.empty() && description.find(said) == std::string::npos) {
      said += " (" + description + ")";
    }
    if (!said.empty()) found.words.push_back(said);
  }
  return found;
}

}  // namespace

RestErrors parse_rest_errors(std::string_view body) {
  return errors_of(json_in(body));
}

std::string parse_rest_job_id(std::string_view body) {
  const Json answer = json_in(body);
  const std::int64_t plain = number(member(answer, "job_id"));
  if (plain > 0) return std::to_string(plain);
  const std::int64_t nested = number(member(member(answer, "result"), "job_id"));
  return nested > 0 ? std::to_string(nested) : "";
}

std::optional<std::vector<SlurmJob>> parse_rest_jobs(std::string_view body, const std::string& user,
                                                     RestErrors* errors) {
  const Json answer = json_in(body);
  if (errors != nullptr) *errors = errors_of(answer);
  return jobs_in(answer, rest_job_of, user);
}

std::optional<std::vector<SlurmJob>> parse_rest_history(std::string_view body) {
  return jobs_in(json_in(body), past_job_of);
}

std::string parse_rest_version(std::string_view body) {
  const Json answer = json_in(body);
  const Json& meta = member(answer, "meta");
  const Json& older = member(meta, "Slurm");
  return word(member(older.is_null() ? member(meta, "slurm") : older, "release"));
}

std::vector<RestPartition> parse_rest_partitions(std::string_view body) {
  std::vector<RestPartition> partitions;
  const Json answer = json_in(body);
  for (const Json& one : items_of(member(answer, "partitions"))) {
    RestPartition& partition = partitions.emplace_back();
    partition.name = word(member(one, "name"));
    // From v0.0.40 on things of a kind are together in an object.
    const auto at = [&one](const char* object, const char* key, const char* before) -> const Json& {
      const Json& found = member(one, object);
      return found.is_object() ? member(found, key) : member(one, before);
    };
    const Json& flags = member(one, "flags");
    partition.state = word(at("partition", "state", "state"));
    partition.is_default = has_word(flags, "default") || has_word(flags, "DEFAULT");
    partition.nodes = static_cast<int>(number(at("nodes", "total", "total_nodes")));
    partition.most_nodes =
        static_cast<int>(number(at("maximums", "nodes", "maximum_nodes_per_job")));
    partition.most_time = number(at("maximums", "time", "max_time_limit")) * kMinute;
    partition.allowed_accounts = words(at("accounts", "allowed", "allowed_accounts"));
    partition.allowed_qos = words(at("qos", "allowed", "allowed_qos"));
  }
  // From v0.0.39 on nobody tells which one is the default; of one alone it is plain.
  if (partitions.size() == 1) partitions.front().is_default = true;
  return partitions;
}

SlurmAccounting parse_rest_accounting(std::string_view associations, std::string_view qos,
                                      const std::string& user) {
  SlurmAccounting read;
  const Json mine = json_in(associations);
  for (const Json& one : items_of(member(mine, "associations"))) {
    if (word(member(one, "user")) != user) continue;
    const Json& most = member(one, "max");
    const Json& tres = member(most, "tres");
    SlurmAssociation& added = read.associations.emplace_back();
    added.account = word(member(one, "account"));
    added.partition = word(member(one, "partition"));
    added.default_qos = word(member(member(one, "default"), "qos"));
    // A number up to v0.0.38, then a boolean.
    const Json& is_default = member(one, "is_default");
    added.is_default = is_default.is_boolean() ? is_default.get<bool>() : number(is_default) > 0;
    added.allows = {rest_nodes_in(member(member(tres, "per"), "job")),
                    number(member(member(member(most, "jobs"), "per"), "wall_clock")) * kMinute};
  }
  const Json all = json_in(qos);
  for (const char* key : {"QOS", "qos"}) {
    for (const Json& one : items_of(member(all, key))) {
      const Json& most = member(member(one, "limits"), "max");
      read.qos.push_back(
          {word(member(one, "name")),
           {rest_nodes_in(member(member(member(most, "tres"), "per"), "job")),
            number(member(member(member(most, "wall_clock"), "per"), "job")) * kMinute}});
    }
  }
  return read;
}

SlurmCluster rest_cluster(const std::string& version, const std::vector<RestPartition>& partitions,
                          std::string_view nodes, const std::string& wanted) {
  SlurmCluster cluster;
  cluster.version = version;
  cluster.partition = wanted;  // said even if there is none of that name
  for (const RestPartition& one : partitions) {
    cluster.partitions.push_back(one.name);
    if (wanted.empty() ? !one.is_default : one.name != wanted) continue;
    cluster.partition = one.name;
    cluster.nodes = one.nodes;
    cluster.most_nodes = one.most_nodes;
    cluster.time_limit = one.most_time;
  }
  const Json answer = json_in(nodes);
  bool first = true;
  for (const Json& node : items_of(member(answer, "nodes"))) {
    if (!has_word(member(node, "partitions"), cluster.partition)) continue;
    if (is_up(node)) ++cluster.nodes_up;
    const auto least = [&](int& value, std::int64_t other) {
      value = first ? static_cast<int>(other) : std::min(value, static_cast<int>(other));
    };
    const std::int64_t cores = number(member(node, "cores")) * number(member(node, "sockets"));
    least(cluster.cores_per_node, cores);
    least(cluster.gpus_per_node, gpus_of(word(member(node, "gres"))));
    first = false;
  }
  return cluster;
}

std::vector<std::string> parse_rest_down_nodes(std::string_view body, const std::string& nodes) {
  const std::vector<std::string> asked = expand_node_list(nodes);
  std::vector<std::string> down;
  const Json answer = json_in(body);
  for (const Json& node : items_of(member(answer, "nodes"))) {
    std::string name = word(member(node, "name"));
    if (!is_up(node) && std::find(asked.begin(), asked.end(), name) != asked.end()) {
      down.push_back(std::move(name));
    }
  }
  return down;
}

TokenClaims parse_token(std::string_view token) {
  TokenClaims claims;
  const std::size_t first = token.find('.');
  if (first == std::string_view::npos) return claims;
  const std::size_t second = std::min(token.find('.', first + 1), token.size());
  const Json payload = json_in_base64(std::string(token.substr(first + 1, second - first - 1)));
  const Json& expires = member(payload, "exp");
  if (expires.is_number()) {
    // Some tokens are made to hold for centuries.
    claims.expires = static_cast<Nanoseconds>(std::min(expires.get<double>(), 9e9)) * kSecond;
  }
  claims.user = word(member(payload, "sun"));
  if (claims.user.empty()) claims.user = word(member(payload, "username"));
  return claims;
}

}  // namespace kneepoint
