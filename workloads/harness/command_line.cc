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

Result<int> read_count(const std::string& flag, const std::string& value, int least, int most) {
  TRY_ASSIGN(const double number, read_number(flag, value, least, most, true));
  return static_cast<int>(number);
}

Result<std::uint64_t> read_seed(const std::string& value) {
  const bool digits = !value.empty() && value.size() <= 20 &&
                      value.find_first_not_of("0123456789") == std::string::npos;
  errno = 0;
  const std::uint64_t seed = std::strtoull(value.c_str(), nullptr, 10);
  if (!digits || errno != 0) {
    return wrong("--seed", value, "a whole number from 0 to 18446744073709551615");
  }
  return seed;
}

Result<void> check_parameter(const ParameterRule& rule, const std::string& value) {
  const std::string flag = "--" + rule.name;
  if (rule.words.empty()) {
    TRY(read_number(flag, value, rule.least, rule.most, rule.whole));
    return {};
  }
  if (std::find(rule.words.begin(), rule.words.end(), value) != rule.words.end()) return {};
  std::string list;
  for (const auto& word : rule.words) list += (list.empty() ? "" : " or ") + word;
  return wrong(flag, value, list);
}

std::size_t place_of(const Description& description, const std::string& name) {
  for (std::size_t i = 0; i < description.parameters.size(); ++i) {
    if (description.parameters[i].name == name) return i;
  }
  ensure_failed("place_of", "a workload asked for a parameter that it did not declare", __FILE__,
                __LINE__);
}

const std::vector<std::string> kCommonFlags = {"size",       "mode",     "workers", "warmup",
                                               "iterations", "min-time", "seed"};

Error unknown_flag(const Description& description, const std::string& flag) {
  std::vector<std::string> known = kCommonFlags;
  for (const auto& rule : description.parameters) known.push_back(rule.name);
  const std::string bare = flag.rfind("--", 0) == 0 ? flag.substr(2) : flag;
  const std::string nearest = nearest_word(bare, known);
  return {ErrorCode::invalid,
          "unknown argument '" + flag + "'; " +
              (nearest.empty() ? "kp-" + description.name + " --help lists them"
                               : "did you mean '--" + nearest + "'?"),
          false};
}

// False if `flag` is none of the common ones.
Result<bool> read_common(const Description& description, const std::string& flag,
                         const std::string& value, Options& options) {
  constexpr int kMost = 1'000'000'000;
  if (flag == "--size") {
    const bool sized = !description.default_size.empty();
    TRY_ASSIGN(options.size, read_number(flag, value, sized ? description.least_size : 0,
                                         sized ? description.most_size : 1e300, sized));
  } else if (flag == "--mode") {
    if (value != "strong" && value != "weak") return wrong(flag, value, "strong or weak");
    options.weak = value == "weak";
  } else if (flag == "--workers") {
    TRY_ASSIGN(options.workers, read_count(flag, value, 1, kMost));
  } else if (flag == "--warmup") {
    TRY_ASSIGN(options.warmup, read_count(flag, value, 0, kMost));
  } else if (flag == "--iterations") {
    TRY_ASSIGN(options.iterations, read_count(flag, value, 1, kMost));
  } else if (flag == "--min-time") {
    TRY_ASSIGN(const double seconds, read_number(flag, value, 1e-9, 1e6, false));
    options.min_time = from_seconds(seconds);
  } else if (flag == "--seed") {
    TRY_ASSIGN(options.seed, read_seed(value));
  } else {
    return false;
  }
  return true;
}

}  // namespace

double Options::number(const Description& description, const std::string& name) const {
  return std::strtod(values[place_of(description, name)].c_str(), nullptr);
}

const std::string& Options::word(const Description& description, const std::string& name) const {
  return values[place_of(description, name)];
}

Result<Options> parse_command_line(const Description& description,
                                   const std::vector<std::string>& arguments) {
  Options options;
  for (const auto& rule : description.parameters) options.values.push_back(rule.default_value);
  if (!description.default_size.empty()) {
    options.size = std::strtod(description.default_size.c_str(), nullptr);
  }
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
    if (const auto equals = flag.find('='); flag.rfind("--", 0) == 0 && equals != flag.npos) {
      value = flag.substr(equals + 1);
      flag.resize(equals);
    }
    const auto rule = std::find_if(description.parameters.begin(), description.parameters.end(),
                                   [&](const ParameterRule& r) { return flag == "--" + r.name; });
    const bool common =
        flag.rfind("--", 0) == 0 &&
        std::find(kCommonFlags.begin(), kCommonFlags.end(), flag.substr(2)) != kCommonFlags.end();
    if (!common && rule == description.parameters.end()) return unknown_flag(description, flag);
    if (!value) {
      if (i + 1 == arguments.size()) {
        return Error{ErrorCode::invalid, flag + " needs a value after it", false};
      }
      value = arguments[++i];
    }
    if (common) {
      TRY(read_common(description, flag, *value, options));
    } else {
      TRY(check_parameter(*rule, *value));
      options.values[static_cast<std::size_t>(rule - description.parameters.begin())] = *value;
    }
  }
  return options;
}

std::string help_text(const Description& description) {
  std::string text = "kp-" + description.name + ": " + description.summary + "\n\n";
  const auto line = [&text](const std::string& flag, const std::string& meaning,
                            const std::string& fallback) {
    char row[256];
    std::snprintf(row, sizeof row, "  %-18s %s%s\n", flag.c_str(), meaning.c_str(),
                  fallback.empty() ? "" : (" (default " + fallback + ")").c_str());
    text += row;
  };
  text += "Common to all workloads:\n";
  line("--size N", description.size_meaning, description.default_size);
  line("--mode M", "strong or weak; a label, sizes are always global", "strong");
  line("--workers K", "number of workers", "the ranks");
  line("--warmup N", "iterations before the timed ones", "1");
  line("--iterations N", "timed iterations", "5");
  line("--min-time S", "seconds; as many iterations as it takes, instead of --iterations", "");
  line("--seed N", "of the data and the noise", "1");
  if (!description.parameters.empty()) text += "Parameters of this one:\n";
  for (const auto& rule : description.parameters) {
    line("--" + rule.name, rule.meaning, rule.default_value);
  }
  text +=
      "\nStart it with the site's mpirun or srun. Threads per rank: OMP_NUM_THREADS. With\n"
      "KNEEPOINT_RECORDS=FILE rank 0 appends records to FILE; without it prints a table.\n"
      "Exit status: 0 done, 2 bad arguments, 3 the answer was wrong";
  text += description.uses_gpu ? ", 4 no GPU or one that failed.\n" : ".\n";
  return text;
}

}  // namespace kneepoint::workloads
