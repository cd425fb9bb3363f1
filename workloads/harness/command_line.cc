// SPDX-License-Identifier: Apache-2.0
//
// Reading the command line. Every refusal names the flag, the value and what was expected.
#include "workloads/harness/command_line.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "orchestrator/base/text.h"

namespace kneepoint::workloads {
namespace {

Error wrong(const std::string& flag, const std::string& value, const std::string& expected) {
  return {ErrorCode::invalid, flag + " '" + value + "': expected " + expected, false};
}

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

Result<double> read_number(const std::string& flag, const std::string& value, double least,
                           double most, bool whole) {
  const std::string expected = std::string(whole ? "a whole number" : "a number") + " from " +
                               text_of(least) + " to " + text_of(most);
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  const bool complete = !value.empty() && end == value.c_str() + value.size();
  if (!complete || !std::isfinite(number) || number < least || number > most ||
      (whole && number != std::floor(number))) {
    return wrong(flag, value, expected);
  }
  return number;
}

constexpr char kSeed[] = "seed";  // whose numbers are too large for a double

Result<void> check_seed(const std::string& value) {
  const bool digits = !value.empty() && value.size() <= 20 &&
                      value.find_first_not_of("0123456789") == std::string::npos;
  errno = 0;
  if (std::strtoull(value.c_str(), nullptr, 10); !digits || errno != 0) {
    return wrong("--seed", value, "a whole number from 0 to 18446744073709551615");
  }
  return {};
}

Result<void> check_parameter(const ParameterRule& rule, const std::string& value) {
  const std::string flag = "--" + rule.name;
  if (rule.name == kSeed) return check_seed(value);
  if (rule.words.empty()) {
    TRY(read_number(flag, value, rule.least, rule.most, rule.whole));
    return {};
  }
  if (std::find(rule.words.begin(), rule.words.end(), value) != rule.words.end()) return {};
  std::string list;
  for (const auto& word : rule.words) list += (list.empty() ? "" : " or ") + word;
  return wrong(flag, value, list);
}

// Of all workloads, then this one's own. What a default says here is what its text reads as.
std::vector<ParameterRule> rules_of(const Description& description) {
  constexpr double kMost = 1e9;
  const bool sized = !description.default_size.empty();
  std::vector<ParameterRule> rules = {
      {"size",
       description.default_size,
       description.size_meaning,
       sized ? description.least_size : 0,
       sized ? description.most_size : 1e300,
       sized,
       {},
       "N"},
      {"mode",
       "strong",
       "strong or weak; a label, sizes are always global",
       0,
       0,
       false,
       {"strong", "weak"},
       "M"},
      {"workers", "the ranks", "number of workers", 1, kMost, true, {}, "K"},
      {"warmup", "1", "iterations before the timed ones", 0, kMost, true, {}, "N"},
      {"iterations", "5", "timed iterations", 1, kMost, true, {}, "N"},
      {"min-time",
       "",
       "seconds; as many iterations as it takes, instead of --iterations",
       1e-9,
       1e6,
       false,
       {},
       "S"},
      {kSeed, "1", "of the data and the noise", 0, 0, true, {}, "N"}};
  rules.insert(rules.end(), description.parameters.begin(), description.parameters.end());
  return rules;
}

Error unknown_flag(const Description& description, const std::string& flag) {
  std::vector<std::string> known;
  for (const auto& rule : rules_of(description)) known.push_back(rule.name);
  const std::string bare = flag.starts_with("--") ? flag.substr(2) : flag;
  const std::string nearest = nearest_word(bare, known);
  return {ErrorCode::invalid,
          "unknown argument '" + flag + "'; " +
              (nearest.empty() ? "kp-" + description.name + " --help lists them"
                               : "did you mean '--" + nearest + "'?"),
          false};
}

}  // namespace

const std::string& Options::word(const std::string& name) const {
  const auto found = values.find(name);
  ENSURE(found != values.end(), "a workload asked for a parameter that it did not declare");
  return found->second;
}

double Options::number(const std::string& name) const {
  return std::strtod(word(name).c_str(), nullptr);
}

Result<Options> parse_command_line(const Description& description,
                                   const std::vector<std::string>& arguments) {
  const std::vector<ParameterRule> rules = rules_of(description);
  Options options;
  for (const auto& rule : rules) options.values[rule.name] = rule.default_value;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    std::string flag = arguments[i];
    if (flag == "--help" || flag == "-h") {
      options.help = true;
      return options;
    }
    if (flag == "--break-answer") {
      options.break_answer = true;
      continue;
    }
    std::optional<std::string> value;
    if (const auto equals = flag.find('='); flag.starts_with("--") && equals != flag.npos) {
      value = flag.substr(equals + 1);
      flag.resize(equals);
    }
    const auto rule = std::find_if(rules.begin(), rules.end(),
                                   [&](const ParameterRule& r) { return flag == "--" + r.name; });
    if (rule == rules.end()) return unknown_flag(description, flag);
    if (!value) {
      if (i + 1 == arguments.size()) {
        return Error{ErrorCode::invalid, flag + " needs a value after it", false};
      }
      value = arguments[++i];
    }
    TRY(check_parameter(*rule, *value));
    options.values[rule->name] = *value;
  }
  options.size = options.number("size");
  options.weak = options.word("mode") == "weak";
  options.workers = static_cast<int>(options.number("workers"));
  options.warmup = static_cast<int>(options.number("warmup"));
  options.iterations = static_cast<int>(options.number("iterations"));
  options.min_time = from_seconds(options.number("min-time"));
  options.seed = std::strtoull(options.word(kSeed).c_str(), nullptr, 10);
  return options;
}

std::string help_text(const Description& description) {
  std::string text = "kp-" + description.name + ": " + description.summary + "\n\n";
  text += "Common to all workloads:\n";
  bool is_own = false;
  for (const auto& rule : rules_of(description)) {
    if (rule.placeholder.empty() && !std::exchange(is_own, true)) {
      text += "Parameters of this one:\n";
    }
    const std::string flag = "--" + rule.name + (is_own ? "" : " ") + rule.placeholder;
    const std::string& value = rule.default_value;
    char row[256];
    std::snprintf(row, sizeof row, "  %-18s %s%s\n", flag.c_str(), rule.meaning.c_str(),
                  value.empty() ? "" : (" (default " + value + ")").c_str());
    text += row;
  }
  text +=
      "\nStart it with the site's mpirun or srun. Threads per rank: OMP_NUM_THREADS. With\n"
      "KNEEPOINT_RECORDS=FILE rank 0 appends records to FILE; without it prints a table.\n"
      "Exit status: 0 done, 2 bad arguments, 3 the answer was wrong";
  text += description.uses_gpu ? ", 4 no GPU or one that failed.\n" : ".\n";
  return text;
}

}  // namespace kneepoint::workloads
