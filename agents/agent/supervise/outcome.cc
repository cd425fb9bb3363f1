// SPDX-License-Identifier: Apache-2.0
//
// The order of the rules is the order of certainty: what the agent did itself comes first, then a
// wrong answer or a failure that the program names, then how the program ended, then what its
// records lack.
#include "agents/agent/supervise/outcome.h"

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstring>

#include "agents/agent/text.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/json_text.h"

namespace kneepoint::agent {

// A number that is not there breaks its rule: silence is no proof of a right answer.

namespace {

std::string bounds_text(const SanityRule& rule) {
  std::string text;
  if (rule.equals) {
    text = "must be " + json_number(*rule.equals) + " within " +
           (rule.relative ? json_number(rule.tolerance * 100) + "%" : json_number(rule.tolerance));
  }
  if (rule.at_least) text = "must be at least " + json_number(*rule.at_least);
  if (rule.at_most) {
    text +=
        (text.empty() ? "must be" : " and") + std::string(" at most ") + json_number(*rule.at_most);
  }
  return text;
}

bool holds(const SanityRule& rule, double value) {
  if (rule.at_least && !(value >= *rule.at_least)) return false;
  if (rule.at_most && !(value <= *rule.at_most)) return false;
  if (!rule.equals) return true;
  const double room = rule.relative ? rule.tolerance * std::abs(*rule.equals) : rule.tolerance;
  return std::abs(value - *rule.equals) <= room;
}

}  // namespace

std::string name_of(const SanityRule& rule, int number) {
  const std::string opening = "sanity rule " + std::to_string(number) + ": ";
  const std::string where = rule.from == "file" ? "'" + rule.file + "'" : rule.from;
  switch (rule.kind) {
    case SanityRule::Kind::must_match:
      return opening + where + " must match '" + rule.pattern + "'";
    case SanityRule::Kind::must_not_match:
      return opening + where + " must not match '" + rule.pattern + "'";
    case SanityRule::Kind::exit_codes:
      return opening + "exit codes";
    case SanityRule::Kind::metric:
      return opening + rule.metric + " " + bounds_text(rule);
  }
  return opening;
}

std::optional<std::string> broken_by_text(const SanityRule& rule, int number,
                                          const std::optional<std::string>& found) {
  constexpr std::size_t kQuoted = 160;
  if (rule.kind == SanityRule::Kind::must_match && !found) {
    return name_of(rule, number) + ", but no line does";
  }
  if (rule.kind == SanityRule::Kind::must_not_match && found) {
    return name_of(rule, number) + ", but a line does: " + json_quote(found->substr(0, kQuoted));
  }
  return std::nullopt;
}

std::vector<std::string> broken_by_values(const std::vector<SanityRule>& rules,
                                          const std::vector<record::Metric>& metrics) {
  std::vector<std::string> broken;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const SanityRule& rule = rules[i];
    if (rule.kind != SanityRule::Kind::metric) continue;
    const std::string name = name_of(rule, static_cast<int>(i) + 1);
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const auto& metric) { return metric.name == rule.metric; });
    if (found == metrics.end()) {
      broken.push_back(name + ", but the program gave none");
    } else if (!holds(rule, found->value)) {
      broken.push_back(name + ", found " + json_number(found->value));
    }
  }
  return broken;
}

std::vector<int> allowed_exit_codes(const std::vector<SanityRule>& rules) {
  for (const SanityRule& rule : rules) {
    if (rule.kind == SanityRule::Kind::exit_codes) return rule.exit_codes;
  }
  return {0};
}

namespace {

struct Verdict {
  const char* outcome;
  std::string reason;
  std::string detail;
};

std::string signal_text(int number) {
  const char* name = sigabbrev_np(number);
  return name != nullptr ? "SIG" + std::string(name) : "signal " + std::to_string(number);
}

std::string with_last_line(std::string text, const Observed& seen) {
  if (!seen.last_error_line.empty()) text += "; last line of stderr: " + seen.last_error_line;
  return text;
}

bool is_allowed(const Observed& seen, int exit_code) {
  return std::find(seen.exit_codes.begin(), seen.exit_codes.end(), exit_code) !=
         seen.exit_codes.end();
}

// Which would have been good, when the plan says so.
std::string only_allowed(const Observed& seen) {
  if (seen.exit_codes == std::vector<int>{0}) return "";
  std::vector<std::string> codes;
  for (const int code : seen.exit_codes) codes.push_back(std::to_string(code));
  return "; its sanity rule allows " + joined(codes, ", ");
}

Verdict killed(const Observed& seen, int number, const std::string& who) {
  if (number == SIGKILL && seen.oom_seen) {
    return {"failed", "oom", who + " was killed for want of memory"};
  }
  return {"failed", "killed_by_signal",
          with_last_line(who + " was killed by " + signal_text(number), seen)};
}

Verdict judge_records(const Observed& seen, const record::Records& records) {
  if (seen.bad_lines > 0) {
    const std::string more =
        seen.bad_lines > 1 ? " (and " + std::to_string(seen.bad_lines - 1) + " more)" : "";
    return {"invalid", "bad_record", seen.first_bad + more};
  }
  const auto timed = std::count_if(records.samples.begin(), records.samples.end(),
                                   [](const record::Sample& sample) { return !sample.warmup; });
  if (seen.own_harness && !records.done) {
    return {"invalid", "no_end_record",
            "'" + seen.program + "' exited with 0 but did not report its end"};
  }
  if (records.done && records.done->iterations != timed) {
    return {"invalid", "bad_record",
            "the program reports " + std::to_string(records.done->iterations) +
                " timed iterations, but sent " + std::to_string(timed) + " samples"};
  }
  const bool has_time = std::any_of(records.metrics.begin(), records.metrics.end(),
                                    [](const auto& metric) { return metric.name == "time"; });
  const std::string missing = joined(seen.metric_problems, "; ");
  if (timed == 0 && !has_time) {
    return {"failed", "no_time", missing.empty() ? "no samples and no metric 'time'" : missing};
  }
  return {"succeeded", "none", missing};
}

Verdict judge(const Observed& seen, const record::Records& records, record::End& end) {
  if (!seen.start_problem.empty()) {
    end.exit_code = 127;  // as shells say it
    return {"failed", "not_started", seen.start_problem};
  }
  const std::string who = "'" + seen.program + "'";
  if (WIFSIGNALED(seen.wait_status)) {
    end.signal = WTERMSIG(seen.wait_status);
    end.exit_code = 128 + end.signal;
  } else {
    end.exit_code = WEXITSTATUS(seen.wait_status);
  }
  // A program that had ended well by then did not need the pod any more.
  const bool ended_well = seen.wait_status == 0 && !seen.cancelled && !seen.stopped_for_records;
  if (!seen.lost_pod.empty() && !ended_well) return {"lost", "node_failed", seen.lost_pod};
  if (seen.cancelled) return {"cancelled", "user_cancelled", "cancelled on request"};
  if (seen.limit_passed) {
    return {"timed_out", "time_limit", "took longer than " + to_duration_text(seen.limit_ns)};
  }
  if (seen.stopped_for_records) return judge_records(seen, records);
  if (records.check && !records.check->passed) {
    return {"failed", "wrong_answer", records.check->detail};
  }
  if (records.failure) {
    return {"failed", records.failure->reason, records.failure->detail};
  }
  if (end.signal != 0) return killed(seen, end.signal, who);
  if (!is_allowed(seen, end.exit_code) && !seen.starter_refusal.empty()) {
    return {"failed", "not_started", seen.starter_refusal};
  }
  if (is_starter(seen.program) && end.exit_code > 128 && end.exit_code <= 128 + SIGRTMAX &&
      !is_allowed(seen, end.exit_code)) {
    end.signal = end.exit_code - 128;
    return killed(seen, end.signal, "a rank");
  }
  if (end.exit_code == 128 + SIGKILL && seen.oom_seen) {  // a shell tells so of what it ran
    return {"failed", "oom", "a process of " + who + " was killed for want of memory"};
  }
  if (!is_allowed(seen, end.exit_code)) {
    return {"failed", "exit_code",
            with_last_line(
                who + " exited with " + std::to_string(end.exit_code) + only_allowed(seen), seen)};
  }
  if (!seen.broken.empty()) return {"failed", "wrong_answer", joined(seen.broken, "; ")};
  return judge_records(seen, records);
}

}  // namespace

bool is_starter(const std::string& program) {
  const std::string name = program.substr(program.rfind('/') + 1);
  static constexpr std::array<const char*, 8> kStarters = {
      "mpirun", "mpiexec",       "orterun",        "prterun",
      "srun",   "mpiexec.hydra", "mpirun.openmpi", "kneepoint-agent"};  // as `spread`
  return std::find(kStarters.begin(), kStarters.end(), name) != kStarters.end();
}

std::string starter_refusal(const std::string& stderr_text) {
  static constexpr std::array<std::pair<const char*, const char*>, 3> kRefusals = {{
      {"was unable to find the specified executable", "could not find the program"},
      {"was unable to launch the specified application", "could not execute the program"},
      {"There are not enough slots available", "there are not enough slots for the ranks"},
  }};
  for (const auto& [words, meaning] : kRefusals) {
    if (stderr_text.find(words) == std::string::npos) continue;
    std::string text = std::string("the starter launched nothing: ") + meaning;
    const std::size_t at = stderr_text.find("Executable: ");
    if (at != std::string::npos) {
      const std::size_t end = stderr_text.find('\n', at);
      text += " '" + stderr_text.substr(at + 12, std::min(end, at + 212) - at - 12) + "'";
    }
    return text;
  }
  return "";
}

record::End decide_outcome(const Observed& seen, const record::Records& records) {
  record::End end;
  const Verdict verdict = judge(seen, records, end);
  end.outcome = verdict.outcome;
  end.reason = verdict.reason;
  end.detail = verdict.detail;
  const auto note = [&](const std::string& text) {
    end.detail += (end.detail.empty() ? "" : "; ") + text;
  };
  if (seen.leftovers > 0)
    note(std::to_string(seen.leftovers) + " processes left behind were killed");
  if (!seen.output_problem.empty()) note("output not kept: " + seen.output_problem);
  if (!seen.leftovers_gone) note("some processes could not be killed");
  return end;
}

}  // namespace kneepoint::agent
