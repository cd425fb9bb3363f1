// SPDX-License-Identifier: Apache-2.0
//
// The pure part of spread: arguments, variables, shell text.
#include "agents/agent/provenance/spread.h"
#include "agents/agent/text.h"

namespace kneepoint::agent {
namespace {

constexpr char kMasterPort[] = "29500";  // torchrun's own default
constexpr int kMost = 100'000;

Result<int> count(const std::string& text, const char* what) {
  const auto value = whole_number<int>(text);
  if (!value || *value < 1 || *value > kMost) {
    return Error{ErrorCode::invalid, std::string(what) + " is '" + text + "'", false};
  }
  return *value;
}

}  // namespace

Result<Spread> parse_spread(const std::vector<std::string>& arguments) {
  Spread spread;
  if (arguments.empty()) return Error{ErrorCode::invalid, "how many pods?", false};
  TRY_ASSIGN(spread.pods, count(arguments[0], "the number of pods"));
  std::size_t at = 1;
  for (; at + 1 < arguments.size() && arguments[at] != "--"; at += 2) {
    if (arguments[at] == "-r") {
      TRY_ASSIGN(spread.ranks_per_pod, count(arguments[at + 1], "-r"));
    } else if (arguments[at] == "-x") {
      spread.passed.push_back(arguments[at + 1]);
    } else {
      return Error{ErrorCode::invalid, "unknown option '" + arguments[at] + "'", false};
    }
  }
  if (at + 1 >= arguments.size() || arguments[at] != "--") {
    return Error{ErrorCode::invalid, "-- and a command are missing", false};
  }
  spread.argv.assign(arguments.begin() + static_cast<std::ptrdiff_t>(at) + 1, arguments.end());
  return spread;
}

Variables rank_variables(const Spread& spread, const std::string& master, int rank) {
  const std::string pod = std::to_string(rank / spread.ranks_per_pod);
  const std::string local = std::to_string(rank % spread.ranks_per_pod);
  const std::string pods = std::to_string(spread.pods);
  const std::string world = std::to_string(spread.pods * spread.ranks_per_pod);
  return {{"RANK", std::to_string(rank)},
          {"WORLD_SIZE", world},
          {"LOCAL_RANK", local},
          {"LOCAL_WORLD_SIZE", std::to_string(spread.ranks_per_pod)},
          {"NODE_RANK", pod},
          {"GROUP_RANK", pod},
          {"MASTER_ADDR", master},
          {"MASTER_PORT", kMasterPort},
          {"PET_NNODES", pods},
          {"PET_NODE_RANK", pod},
          {"PET_MASTER_ADDR", master},
          {"PET_MASTER_PORT", kMasterPort},
          {"KNEEPOINT_RANK", std::to_string(rank)},
          {"KNEEPOINT_RANKS", world}};
}

std::string shell_quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string shell_text(const Variables& variables, const std::vector<std::string>& argv) {
  std::string text;
  for (const auto& [name, value] : variables) {
    text += "export " + name + "=" + shell_quoted(value) + "; ";
  }
  text += "exec";
  for (const std::string& argument : argv) text += " " + shell_quoted(argument);
  return text;
}

}  // namespace kneepoint::agent
