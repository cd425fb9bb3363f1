// SPDX-License-Identifier: Apache-2.0
//
// A command as a value: its words, flags and examples, and the function that carries it out. The
// parser, the help text, the manual pages, the completion scripts and docs/reference/cli.md's test
// all read this one description, so none of them can know a flag that the others don't.
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/result.h"

namespace kneepoint::cli {

// All that a command may know of the process it runs in. Commands never look at argv, the
// environment or the terminal themselves, so that tests can be the process.
struct Session : Context {
  std::ostream& out;  // answers
  std::ostream& err;  // everything else
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  bool in_is_terminal = false;
  int (*terminal_width)() = nullptr;  // of stderr or stdout, now

  // Global flags.
  std::string log_level;   // as given; "" = default
  std::string log_format;  // as given; "" = default
  bool json = false;
  bool no_color = false;  // --no-color or NO_COLOR

  bool color(bool is_terminal) const { return is_terminal && !no_color; }
  int width() const { return terminal_width == nullptr ? 100 : terminal_width(); }
};

// What docs/reference/cli.md says of exit codes.
enum ExitCode : int {
  kExitDone = 0,
  kExitNegative = 1,
  kExitUsage = 2,
  kExitUnreachable = 3,
  kExitRunsFailed = 4,
  kExitBug = 70,
  kExitInterrupted = 130,
};

// What a shell may offer in this place.
enum class Completes { nothing, files, studies, workloads };

struct Flag {
  std::string name;                       // "--site"
  std::string value = {};                 // how help calls its value: "FILE"; empty: a switch
  std::string help = {};                  // one line
  std::vector<std::string> choices = {};  // the only values allowed
  bool is_count = false;                  // a whole number of at least 1
  Completes completes = Completes::nothing;
  bool many = false;  // may be given several times
};

struct Positional {
  std::string name;  // "PLAN"
  std::string help;
  bool required = true;
  std::vector<std::string> choices = {};
  Completes completes = Completes::nothing;
  bool many = false;  // the last one only: one or more of them
};

// Flags and arguments as many commands have them.
inline Flag file_flag(std::string name, std::string help, std::string value = "FILE") {
  return {std::move(name), std::move(value), std::move(help), {}, false, Completes::files};
}
inline Flag count_flag(std::string name, std::string help) {
  return {std::move(name), "N", std::move(help), {}, true};
}
inline Flag choice_flag(std::string name, std::string value, std::string help,
                        std::vector<std::string> choices) {
  return {std::move(name), std::move(value), std::move(help), std::move(choices)};
}
inline Flag mode_flag(std::string help) {
  return choice_flag("--mode", "MODE", std::move(help), {"strong", "weak"});
}
inline Positional file_argument(std::string name, std::string help, bool required = true) {
  return {std::move(name), std::move(help), required, {}, Completes::files};
}
inline Positional study_argument(std::string name = "STUDY",
                                 std::string help = "Id, unique prefix or name",
                                 bool required = true) {
  return {std::move(name), std::move(help), required, {}, Completes::studies};
}
inline Positional study_or_newest() {
  const char* const help = "Id, unique prefix or name (default: the newest study)";
  return {"STUDY", help, false, {}, Completes::studies};
}

inline Positional run_argument() {
  return study_argument("RUN", "STUDY/r17, or r17 for the newest study; r17-a2 picks an attempt");
}

// What the user typed for one command, by the names of its description.
class Arguments {
 public:
  explicit Arguments(std::map<std::string, std::string> given) : given_(std::move(given)) {}
  bool has(const std::string& name) const { return given_.count(name) > 0; }
  std::string text(const std::string& name) const;               // "" if not given
  int count(const std::string& name) const;                      // 0 if not given
  std::vector<std::string> list(const std::string& name) const;  // of a name with `many`

 private:
  std::map<std::string, std::string> given_;
};

struct CommandSpec {
  std::string name;
  std::string summary;      // one line, shown by `kneepoint --help`
  std::string description;  // sentences, wrapped by the writer
  std::vector<Positional> positionals;
  std::vector<Flag> flags;
  std::vector<std::string> examples;
  // The exit code, or the error that main prints and turns into one.
  Result<int> (*run)(Session&, const Arguments&);
};

// The commands; commands.cc lists them.
CommandSpec check_command();
CommandSpec run_command();
CommandSpec list_command();
CommandSpec status_command();
CommandSpec watch_command();
CommandSpec logs_command();
CommandSpec doctor_command();
CommandSpec explain_command();
CommandSpec cancel_command();
CommandSpec delete_command();
CommandSpec report_command();
CommandSpec recommend_command();
CommandSpec gate_command();
CommandSpec baseline_command();
CommandSpec nightly_command();
CommandSpec prune_command();
CommandSpec size_command();
CommandSpec compare_command();
CommandSpec audit_command();
CommandSpec export_command();
CommandSpec verify_command();
CommandSpec import_command();
CommandSpec predict_command();
CommandSpec workloads_command();
CommandSpec serve_command();
CommandSpec version_command();
CommandSpec completion_command();
CommandSpec man_command();

// The commands under the headings of the help text: what people do with them, in the order in which
// they come to it.
struct CommandGroup {
  std::string title;
  std::vector<CommandSpec> commands;
};
const std::vector<CommandGroup>& command_groups();
// Every command, in that order.
const std::vector<CommandSpec>& all_commands();
// Flags that every command takes.
const std::vector<Flag>& global_flags();
// Those of the command, then the global ones.
std::vector<Flag> flags_of(const CommandSpec& command);

// What help and manual page say of the program as a whole; sentences without a line's end.
std::string program_summary();
std::string program_description();
std::string study_words();
std::string exit_codes_text();
std::vector<std::string> main_examples();

// "Usage: ..." and all the rest, ending in a newline.
std::string help_text(const CommandSpec& command);
std::string main_help_text();

// Manual pages in roff: kneepoint(1) and kneepoint-COMMAND(1); "kneepoint-run.1", of no command
// "kneepoint.1".
std::string main_man_page(const std::vector<CommandSpec>& commands);
std::string man_page(const CommandSpec& command);
std::string man_page_file(const std::string& command);

std::string bash_completion(const std::vector<CommandSpec>& commands);
std::string zsh_completion(const std::vector<CommandSpec>& commands);
std::string fish_completion(const std::vector<CommandSpec>& commands);

struct ParsedLine {
  const CommandSpec* command = nullptr;      // null: nothing to do but to print `answer`
  std::map<std::string, std::string> given;  // by the names of flags and positionals
  std::map<std::string, std::string> global;
  std::string answer;  // help text
};

// `words` without the program's name. Errors say what to type instead.
Result<ParsedLine> parse_command_line(const std::vector<std::string>& words,
                                      const std::vector<CommandSpec>& commands);

int exit_code_of(const Error& error);

}  // namespace kneepoint::cli
