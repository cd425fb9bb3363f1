// SPDX-License-Identifier: Apache-2.0
//
// What became of a step: the numbers in what its program left, the plan's rules for a right answer,
// and a pure function from what the agent saw to outcome, reason and a sentence. The words are
// those of the attempt's states and reasons.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/agent/supervise/supervisor.h"
#include "agents/wire/allocation.h"
#include "agents/wire/record.h"

namespace kneepoint::agent {

// The plan's rules for a right answer, applied to what the program left. Pure: each rule that is
// broken gives one sentence that names it and what was found.

// "sanity rule 2: stderr must not match 'NaN'": how a rule is named in every sentence.
std::string name_of(const SanityRule& rule, int number);

// Of a rule about text: `found` is what matches, nothing if no line does.
std::optional<std::string> broken_by_text(const SanityRule& rule, int number,
                                          const std::optional<std::string>& found);

// The rules about numbers.
std::vector<std::string> broken_by_values(const std::vector<SanityRule>& rules,
                                          const std::vector<record::Metric>& metrics);

// Exit codes that count as a good end; {0} without such a rule.
std::vector<int> allowed_exit_codes(const std::vector<SanityRule>& rules);

// metric_extraction.cc: numbers out of a program's output and files by regular expression, line by
// line (the last line that matches decides, and in it the last match) or by a path into JSON; and
// the sanity rules about text. Patterns come from a plan, and std::regex can take for ever or run
// out of stack: extract_guarded() works in a child process with a deadline.
constexpr std::size_t kMaxMatchedLine = 2048;  // of a longer line, only these bytes are searched
constexpr std::size_t kMaxSearchedFile = 16 * 1024 * 1024;  // of a longer file, head and tail

struct Extraction {
  std::vector<record::Metric> metrics;
  std::vector<std::string> problems;  // "metric 'time': no line of stdout matches"
  std::vector<std::string> broken;    // sanity rules about text that don't hold, a sentence each
};

// What to look for, and where.
struct Search {
  const std::vector<MetricSpec>& metrics;
  const std::vector<SanityRule>& rules;
  const OutputCapture& out;
  const OutputCapture& err;
  std::string folder;  // of files; "": the step has none of its own
};

// A number out of a JSON text by a path. The text is a document, or lines of which some are: then
// the last that is one counts, as programs print a log before their result.
struct JsonNumber {
  std::optional<double> value;
  std::string problem;  // "'timing' has no 'total'; it has 'setup', 'solve'"
};
JsonNumber json_number_at(std::string_view text, const std::string& path);

Extraction extract(const Search& search);
// The same, never longer than `limit`, and alive whatever std::regex does.
Extraction extract_guarded(const Search& search, Nanoseconds limit);

struct Observed {
  std::string program;        // argv[0]
  std::string start_problem;  // could not be started, and why; "" if it was
  bool cancelled = false;
  std::string lost_pod;  // a pod went away meanwhile, and why; "" if none did
  bool limit_passed = false;
  std::int64_t limit_ns = 0;
  int wait_status = 0;    // as waitpid gives it
  bool oom_seen = false;  // the cgroup's count of OOM kills rose
  bool own_harness = false;
  int bad_lines = 0;
  std::string first_bad;
  std::vector<std::string> metric_problems;
  std::vector<int> exit_codes = {0};  // that count as a good end
  std::vector<std::string> broken;    // sanity rules that don't hold, a sentence each
  std::string last_error_line;        // of stderr
  std::string starter_refusal;       // what the starter said when it launched nothing; "" otherwise
  bool stopped_for_records = false;  // the agent ended it: its records can't be followed
  std::string output_problem;        // why stdout.txt or stderr.txt is not whole; "" if it is
  int leftovers = 0;
  bool leftovers_gone = true;
};

// Is the program one that starts ranks? Such a one reports a rank's signal n as exit code 128 + n.
bool is_starter(const std::string& program);

// The sentence by which mpirun says on stderr that it launched nothing; "" if it isn't there.
std::string starter_refusal(const std::string& stderr_text);

// Fills in outcome, reason, exit_code, signal and detail.
record::End decide_outcome(const Observed& seen, const record::Records& records);

}  // namespace kneepoint::agent
