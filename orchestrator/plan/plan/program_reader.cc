// SPDX-License-Identifier: Apache-2.0
//
// What a workload says of its program beyond the command line: metrics, sanity rules, files kept
// and files staged. A pattern is compiled and a JSON path parsed here, so that the agent, hours
// later on some node, has nothing to refuse. Whether an input is there is for whoever may look
// (answers/loading).
#include <algorithm>
#include <regex>
#include <sstream>

#include "orchestrator/base/json_path.h"
#include "orchestrator/plan/plan/formula.h"
#include "orchestrator/plan/plan/parts.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMaxPattern = 500;
constexpr std::size_t kMaxPath = 1000;
constexpr std::size_t kMostEntries = 100;  // of keep, inputs and sanity
constexpr double kMostNumber = 1e300;

// Number of groups; nothing (and a problem) if it is no regular expression.
std::optional<unsigned> read_pattern(const YamlView& view, std::string& pattern) {
  const auto text = view.text();
  if (!text) return std::nullopt;
  pattern = *text;
  if (text->size() > kMaxPattern) {
    view.fail("longer than " + std::to_string(kMaxPattern) + " characters");
    return std::nullopt;
  }
  try {
    return static_cast<unsigned>(std::regex(*text).mark_count());
  } catch (const std::regex_error&) {
    view.fail("not a regular expression: '" + *text + "'");
    return std::nullopt;
  }
}

std::optional<std::string> read_inside(const YamlView& view, const char* what,
                                       const std::vector<std::string>& known) {
  const auto path = view.text();
  if (!path) return std::nullopt;
  if (!is_inside(*path)) {
    view.expected(std::string(what) + " in the run's own folder, relative and without '..'");
  }
  check_placeholders(view, *path, known);
  return path;
}

const std::vector<std::string> kStreams = {"stdout", "stderr"};
// Only T can come from what the agent's libraries saw.
const std::vector<std::string> kTimeSources = {"stdout", "stderr", "mpi", "probe"};

// `from` or `file`: where the text comes from.
void read_source(const YamlView& view, const std::vector<std::string>& known,
                 const std::vector<std::string>& words, std::string& from, std::string& file) {
  read_into(view["from"].word(words), from);
  if (view.has("from")) view.fail_at_keys({"file"}, "give either 'from' or 'file'");
  if (const auto path = read_inside(view["file"], "a file", known)) {
    from = "file";
    file = *path;
  }
}

const Keys<MetricSpec> kMetric = {
    {"pattern", as("regular expression (ECMAScript)"), "this or `json`",
     "one group in parentheses: the number; the last match counts"},
    {"json", as("path"), "this or `pattern`",
     "a value of a JSON document: the whole text, or the last line of it that is one"},
    {"unit", as("text"), "`s` for `time`", "`time` takes `s`, `ms`, `us`, `ns`"},
    {"from", as("`stdout`, `stderr`; for `time` also `mpi`, `probe`"), "`stdout`",
     "`mpi` and `probe` take neither pattern, path nor file"},
    {"file", as("path in the run's folder"), "",
     "instead of `from`; of more than 16 MiB only the first and last 8 MiB are searched"},
    {"better", word(&MetricSpec::better, {"lower", "higher"}), "`lower` for `time`",
     "which way is better; shown by `explain`, part of the series' hash"},
};

void read_metric(const YamlView& entry, const std::vector<std::string>& known,
                 WorkloadSpec& workload) {
  MetricSpec metric;
  metric.name = entry.name();
  if (!is_plain_name(metric.name)) {
    entry.fail_at_key("expected a name of letters, digits, '_' and '-'");
  }
  const bool is_time = metric.name == "time";
  if (is_time) metric.better = "lower";
  if (!kMetric.read(entry, metric)) return;
  read_source(entry, known, is_time ? kTimeSources : kStreams, metric.from, metric.file);
  const bool by_itself = metric.from == "mpi" || metric.from == "probe";
  const YamlView pattern = entry["pattern"];
  const YamlView json = entry["json"];
  if (by_itself) {
    for (const char* key : {"pattern", "json"}) {
      entry.fail_at_keys({key},
                         "from: " + metric.from + " needs no " + key + "; drop one of the two");
    }
  } else if (pattern.present() && json.present()) {
    json.fail_at_key("give either 'pattern' or 'json'");
  } else if (!pattern.present() && !json.present()) {
    pattern.fail(
        "missing; expected a regular expression such as \"t=([0-9.]+)\", or json: $.timing.total");
  }
  if (const auto groups = read_pattern(pattern, metric.pattern); groups && *groups != 1) {
    pattern.fail("expected one group in parentheses around the number, found " +
                 std::to_string(*groups) + "; groups that only group are written (?:...)");
  }
  if (const auto path = json.text()) {
    metric.json = *path;
    if (const auto steps = parse_json_path(*path); !steps) {
      json.fail("'" + *path +
                "' is not a path into JSON such as $.timing.total or runs[-1].time: " +
                steps.error().message);
    }
  }
  static const std::vector<std::string> units = {"s", "ms", "us", "ns"};
  if (is_time) metric.unit = "s";
  read_into(is_time ? entry["unit"].word(units) : entry["unit"].text(), metric.unit);
  if (is_time && metric.better == "higher") {
    entry["better"].fail("of 'time' lower is better; a rate is a metric of its own");
  }
  workload.metrics.push_back(std::move(metric));
}

void read_metrics(const YamlView& view, const std::vector<std::string>& known,
                  WorkloadSpec& workload) {
  const YamlView metrics = view["metrics"];
  const std::vector<YamlView> entries = metrics.entries();
  bool has_time = false;
  for (const YamlView& entry : entries) {
    has_time = has_time || entry.name() == "time";
    read_metric(entry, known, workload);
  }
  if (view["command"].present() && !view["use"].present() && !has_time) {
    metrics.fail(
        "a command needs a 'time' metric, or its T is unknown; e.g. "
        "{time: {pattern: \"elapsed ([0-9.]+) s\"}}");
  }
}

void read_tolerance(const YamlView& view, SanityRule& rule) {
  const auto text = view.is(YamlNode::Kind::scalar) ? view.text() : std::nullopt;
  if (text && !text->empty() && text->back() == '%') {
    rule.relative = true;
    read_into(view.share(), rule.tolerance);
  } else {
    read_into(view.number(0, kMostNumber), rule.tolerance);
  }
}

void read_exit_codes(const YamlView& view, std::vector<int>& codes) {
  const auto code = [](const YamlView& item) { return item.integer(0, 255); };
  read_distinct(view, code, "exit codes such as [0, 3]", codes);
}

const Keys<SanityRule> kSanity = {
    {"must_match"},
    {"must_not_match"},
    {"from"},
    {"file"},
    {"exit_codes", by(&SanityRule::exit_codes, read_exit_codes)},
    {"metric", text(&SanityRule::metric)},
    {"at_least", number(&SanityRule::at_least, -kMostNumber, kMostNumber)},
    {"at_most", number(&SanityRule::at_most, -kMostNumber, kMostNumber)},
    {"equals", number(&SanityRule::equals, -kMostNumber, kMostNumber)},
    {"tolerance", by(read_tolerance)},
};

void check_bounds(const YamlView& view, const WorkloadSpec& workload, const SanityRule& rule) {
  std::vector<std::string> names;
  for (const MetricSpec& metric : workload.metrics) names.push_back(metric.name);
  // One of our own workloads reports others too.
  if (!workload.catalog && !rule.metric.empty() &&
      std::find(names.begin(), names.end(), rule.metric) == names.end()) {
    view["metric"].fail("'" + rule.metric + "': " + unknown_word("metric", rule.metric, names));
  }
  const bool has_equals = view.has("equals");
  const bool has_range = view.has("at_least") || view.has("at_most");
  if (!has_equals && !has_range) {
    view["metric"].fail_at_key("what should hold? add at_most, at_least, or equals with tolerance");
  } else if (has_equals && has_range) {
    view["equals"].fail_at_key("give either 'equals' or 'at_least' and 'at_most'");
  } else if (!has_equals && view.has("tolerance")) {
    view["tolerance"].fail_at_key("a tolerance is around 'equals', which is missing");
  } else if (has_equals && !view.has("tolerance")) {
    view["equals"].fail_at_key("numbers are rarely equal; add a tolerance such as 1e-3 or 0.1%");
  } else if (rule.at_least && rule.at_most && *rule.at_least > *rule.at_most) {
    view["at_most"].fail("below 'at_least': nothing would pass");
  }
}

void read_rule(const YamlView& view, const std::vector<std::string>& known,
               WorkloadSpec& workload) {
  using Kind = SanityRule::Kind;
  static const Words<Kind> kinds = {{"must_match", Kind::must_match},
                                    {"must_not_match", Kind::must_not_match},
                                    {"exit_codes", Kind::exit_codes},
                                    {"metric", Kind::metric}};
  SanityRule rule;
  if (!kSanity.read(view, rule)) return;
  std::vector<std::string> given;
  for (const auto& [word, kind] : kinds) {
    if (!view.has(word)) continue;
    given.push_back(word);
    rule.kind = kind;
  }
  if (given.size() != 1) {
    view.fail(given.empty() ? "expected one of must_match, must_not_match, exit_codes, metric"
                            : "one rule each: '" + given[0] + "' and '" + given[1] +
                                  "' belong into two entries");
    return;
  }
  if (rule.kind == Kind::must_match || rule.kind == Kind::must_not_match) {
    static_cast<void>(read_pattern(view[given[0]], rule.pattern));
    read_source(view, known, kStreams, rule.from, rule.file);
  } else {
    view.fail_at_keys({"from", "file"}, "goes with must_match and must_not_match only");
  }
  if (rule.kind == Kind::metric) {
    check_bounds(view, workload, rule);
  } else {
    view.fail_at_keys({"at_least", "at_most", "equals", "tolerance"}, "goes with 'metric' only");
  }
  workload.program.sanity.push_back(std::move(rule));
}

void check_length(const YamlView& view, const std::vector<YamlView>& items) {
  if (items.size() > kMostEntries) {
    view.fail("more than " + std::to_string(kMostEntries) + " entries");
  }
}

void read_sanity(const YamlView& view, const std::vector<std::string>& known,
                 WorkloadSpec& workload) {
  const YamlView sanity = view["sanity"];
  const std::vector<YamlView> rules = sanity.one_or_many();
  check_length(sanity, rules);
  for (const YamlView& rule : rules) read_rule(rule, known, workload);
  const auto is_exit = [](const SanityRule& rule) {
    return rule.kind == SanityRule::Kind::exit_codes;
  };
  const auto& read = workload.program.sanity;
  if (std::count_if(read.begin(), read.end(), is_exit) > 1) {
    sanity.fail("'exit_codes' twice; write one list");
  }
}

void read_files(const YamlView& view, const std::vector<std::string>& known, ProgramSpec& program) {
  const YamlView keep = view["keep"], inputs = view["inputs"];
  const std::vector<YamlView> patterns = keep.one_or_many(), paths = inputs.one_or_many();
  check_length(keep, patterns);
  for (const YamlView& item : patterns) {
    if (const auto pattern = read_inside(item, "a file or a pattern such as out/*.log", known)) {
      program.keep.push_back(*pattern);
    }
  }
  check_length(inputs, paths);
  for (const YamlView& item : paths) {
    const auto path = item.text();
    if (!path) continue;
    if (path->empty() || path->size() > kMaxPath || *path == "." || *path == "/") {
      item.fail("expected a file or a folder, relative to the plan's own");
    }
    program.inputs.push_back(*path);
  }
}

}  // namespace

bool is_inside(const std::string& path) {
  if (path.empty() || path[0] == '/' || path.size() > kMaxPath) return false;
  std::string part;
  for (std::istringstream parts(path + "/"); std::getline(parts, part, '/');) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return std::none_of(path.begin(), path.end(),
                      [](unsigned char c) { return c < ' ' || c == 127; });
}

void read_program_files(const YamlView& view, const std::vector<std::string>& known,
                        WorkloadSpec& workload) {
  read_metrics(view, known, workload);
  read_sanity(view, known, workload);
  ProgramSpec& program = workload.program;
  read_files(view, known, program);
  const auto reads_file = [](const auto& one) { return !one.file.empty(); };
  program.own_folder = !program.keep.empty() || !program.inputs.empty() ||
                       std::any_of(workload.metrics.begin(), workload.metrics.end(), reads_file) ||
                       std::any_of(program.sanity.begin(), program.sanity.end(), reads_file);
}

const KeySet& metric_keys() {
  return kMetric;
}

const KeySet& sanity_keys() {
  return kSanity;
}

}  // namespace kneepoint
