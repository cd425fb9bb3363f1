// SPDX-License-Identifier: Apache-2.0
//
// CLI11's only home. Commands are described as values (command.h); here they become its options.
#include "orchestrator/cli/shell/command.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <deque>

#include "orchestrator/base/text.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr int kMostWords = 64;  // of a positional that takes many

struct Bound {
  std::string name;
  CLI::Option* option;
};

struct HelpTable {
  std::deque<std::string> values;  // what CLI11 writes into; unused, results() is read instead
  std::map<const CLI::App*, const CommandSpec*> commands;
  std::map<const CLI::App*, std::vector<Bound>> own;
  std::vector<Bound> global;
};

std::string not_a_count(const std::string& text) {
  int number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool good = end.ec == std::errc() && end.ptr == text.data() + text.size() && number >= 1;
  return good ? "" : "expected a whole number of at least 1, got '" + text + "'";
}

std::string not_a_choice(const std::string& text, const std::vector<std::string>& choices) {
  const bool is_one = std::find(choices.begin(), choices.end(), text) != choices.end();
  return is_one ? "" : "'" + text + "' is none of " + joined(choices, ", ");
}

void restrict_choices(CLI::Option* option, const std::vector<std::string>& choices) {
  if (choices.empty()) return;
  option->check([choices](const std::string& text) { return not_a_choice(text, choices); });
}

CLI::Option* add_flag(CLI::App& app, const Flag& flag, HelpTable& table) {
  if (flag.value.empty()) return app.add_flag(flag.name);
  CLI::Option* option = app.add_option(flag.name, table.values.emplace_back());
  option->expected(1);
  if (flag.many) option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (flag.is_count) option->check(not_a_count);
  restrict_choices(option, flag.choices);
  return option;
}

void add_global_flags(CLI::App& app, HelpTable& table) {
  app.set_help_flag("-h,--help");
  for (const Flag& flag : global_flags()) {
    if (flag.name != "--help") table.global.push_back({flag.name, add_flag(app, flag, table)});
  }
}

void add_command(CLI::App& app, const CommandSpec& spec, HelpTable& table) {
  CLI::App* sub = app.add_subcommand(spec.name);
  table.commands[sub] = &spec;
  add_global_flags(*sub, table);
  std::vector<Bound>& own = table.own[sub];
  for (const Flag& flag : spec.flags) own.push_back({flag.name, add_flag(*sub, flag, table)});
  for (const Positional& positional : spec.positionals) {
    CLI::Option* option = sub->add_option(positional.name, table.values.emplace_back());
    option->expected(1)->required(positional.required);
    if (positional.many) {
      option->expected(1, kMostWords)->allow_extra_args();
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    restrict_choices(option, positional.choices);
    own.push_back({positional.name, option});
  }
}

void take(const std::vector<Bound>& bound, std::map<std::string, std::string>& into) {
  for (const Bound& b : bound) {
    if (b.option->count() == 0) continue;
    std::string& value = into[b.name];
    for (const std::string& word : b.option->results()) value += (value.empty() ? "" : "\n") + word;
  }
}

Error usage(const std::string& message, const CommandSpec* command) {
  const std::string help =
      "'kneepoint " + (command == nullptr ? "" : command->name + " ") + "--help'";
  return Error{ErrorCode::invalid, message + (message.back() == '?' ? " See " : "; see ") + help};
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::string near = nearest_word(word, known);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

// What CLI11 could not place, in our words.
Error explain_extra(const std::string& word, const CommandSpec* command,
                    const std::vector<CommandSpec>& commands) {
  std::vector<std::string> known;
  if (word.rfind("-", 0) == 0) {
    for (const Flag& flag : command == nullptr ? global_flags() : flags_of(*command)) {
      known.push_back(flag.name);
    }
    const std::string name = word.substr(0, word.find('='));
    return usage("unknown flag " + name + did_you_mean(name, known), command);
  }
  if (command == nullptr) {
    if (word.ends_with(".yaml") || word.ends_with(".yml")) {
      return usage("'" + word + "' is no command; a plan is run with 'kneepoint run " + word + "'",
                   nullptr);
    }
    for (const CommandSpec& c : commands) known.push_back(c.name);
    return usage("unknown command '" + word + "'" + did_you_mean(word, known), nullptr);
  }
  return usage(command->name + ": one argument too many: '" + word + "'", command);
}

}  // namespace

Result<ParsedLine> parse_command_line(const std::vector<std::string>& words,
                                      const std::vector<CommandSpec>& commands) {
  std::vector<std::string> line = words;
  if (!line.empty() && line.front() == "help") {  // `help check` as well as `check --help`
    line.erase(line.begin());
    line.push_back("--help");
  }
  if (!line.empty() && line.front() == "--version") line.front() = "version";
  if (line.empty()) {
    return Error{ErrorCode::invalid, "a command is missing; see 'kneepoint --help'"};
  }

  CLI::App app("", "kneepoint");
  HelpTable table;
  app.require_subcommand(1);
  add_global_flags(app, table);
  for (const CommandSpec& spec : commands) add_command(app, spec, table);

  const auto chosen = [&]() -> const CommandSpec* {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? nullptr : table.commands.at(parsed.front());
  };
  ParsedLine result;
  try {
    std::reverse(line.begin(), line.end());  // CLI11 takes words from the back
    app.parse(line);
  } catch (const CLI::CallForHelp&) {
    const CommandSpec* command = chosen();
    result.answer = command == nullptr ? main_help_text() : help_text(*command);
    return result;
  } catch (const CLI::ParseError& error) {
    const CommandSpec* command = chosen();
    const std::vector<std::string> rest = app.remaining(true);
    if (!rest.empty()) return explain_extra(rest.front(), command, commands);
    if (command == nullptr) return usage("a command is missing", nullptr);
    return usage(command->name + ": " + error.what(), command);
  }
  result.command = chosen();
  take(table.own.at(app.get_subcommands().front()), result.given);
  take(table.global, result.global);
  return result;
}

}  // namespace kneepoint::cli
