// SPDX-License-Identifier: Apache-2.0
//
// The one table of commands, and what is common to them.
#include "orchestrator/cli/shell/command.h"

#include <charconv>
#include <sstream>

namespace kneepoint::cli {

const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> groups = {
      {"Measure",
       {check_command(), run_command(), status_command(), watch_command(), logs_command(),
        cancel_command(), workloads_command(), doctor_command()}},
      {"Understand",
       {report_command(), explain_command(), list_command(), compare_command(), predict_command()}},
      {"Decide", {recommend_command(), size_command(), audit_command()}},
      {"Gate", {nightly_command(), gate_command(), baseline_command()}},
      {"Share", {import_command(), export_command(), verify_command()}},
      {"Operate",
       {serve_command(), prune_command(), delete_command(), version_command(), completion_command(),
        man_command()}},
  };
  return groups;
}

const std::vector<CommandSpec>& all_commands() {
  static const std::vector<CommandSpec> commands = [] {
    std::vector<CommandSpec> all;
    for (const CommandGroup& group : command_groups()) {
      all.insert(all.end(), group.commands.begin(), group.commands.end());
    }
    return all;
  }();
  return commands;
}

std::vector<Flag> flags_of(const CommandSpec& command) {
  std::vector<Flag> flags = command.flags;
  flags.insert(flags.end(), global_flags().begin(), global_flags().end());
  return flags;
}

std::string Arguments::text(const std::string& name) const {
  const auto found = given_.find(name);
  return found == given_.end() ? "" : found->second;
}

std::vector<std::string> Arguments::list(const std::string& name) const {
  std::vector<std::string> words;
  std::istringstream lines(text(name));
  for (std::string word; std::getline(lines, word);) words.push_back(word);
  return words;
}

int Arguments::count(const std::string& name) const {
  const std::string value = text(name);
  int number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

int exit_code_of(const Error& error) {
  switch (error.code) {
    case ErrorCode::invalid:
    case ErrorCode::not_found:
    case ErrorCode::exists:
    case ErrorCode::conflict:
    case ErrorCode::permission:
    case ErrorCode::unsupported:
      return kExitUsage;
    case ErrorCode::unavailable:
    case ErrorCode::timeout:
    case ErrorCode::io:
    case ErrorCode::corrupt:
      return kExitUnreachable;
    case ErrorCode::interrupted:
      return kExitInterrupted;
  }
  return kExitBug;
}

}  // namespace kneepoint::cli
