// SPDX-License-Identifier: Apache-2.0
//
// Help texts, written from the commands' descriptions. docs/reference/cli.md holds them word for
// word, and a test compares.
#include <algorithm>

#include "orchestrator/cli/shell/command.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

constexpr int kHelpWidth = 90;
constexpr int kHelpColumn = 24;  // where explanations begin
constexpr char kTie = '~';       // a space at which no line is broken

void append_entry(std::string& out, const std::string& words, const std::string& help) {
  std::string text = wrap(help, kHelpWidth, kHelpColumn);
  const std::string head = "  " + words;
  if (display_width(head) + 2 <= kHelpColumn) {
    text.replace(0, head.size(), head);
    out += text;
  } else {
    out += head + "\n" + text;
  }
}

std::string words_of(const Flag& flag) {
  return flag.name + (flag.value.empty() ? "" : " " + flag.value);
}

std::string with_choices(const std::string& help, const std::vector<std::string>& choices) {
  return choices.empty() ? help : help + ": " + joined(choices, ", ");
}

void append_flags(std::string& out, const std::string& title, const std::vector<Flag>& flags) {
  if (flags.empty()) return;
  out += "\n" + title + ":\n";
  for (const Flag& flag : flags) {
    append_entry(out, words_of(flag), with_choices(flag.help, flag.choices));
  }
}

}  // namespace

const std::vector<Flag>& global_flags() {
  static const std::vector<Flag> flags = {
      file_flag("--db",
                "The database (default: KNEEPOINT_DB, else kneepoint/kneepoint.db under "
                "XDG_STATE_HOME or "
                "~/.local/state)"),
      {"--json", "", "Answer in JSON on stdout"},
      choice_flag("--log-level", "LEVEL", "Least level of log lines on stderr (default: warning)",
                  {"debug", "info", "warning", "error"}),
      {"--log-format", "FORMAT", "Form of log lines (default: text)", {"text", "json"}},
      {"--no-color", "", "No colours, as with NO_COLOR set"},
      {"--help", "", "Show this text"},
  };
  return flags;
}

std::string help_text(const CommandSpec& command) {
  std::string usage = "kneepoint " + command.name;
  for (const Positional& positional : command.positionals) {
    const std::string words = positional.name + (positional.many ? "..." : "");
    usage += positional.required ? " " + words : " [" + words + "]";
  }
  for (const Flag& flag : command.flags) {  // a flag and its value stay on one line
    std::string words = words_of(flag);
    std::replace(words.begin(), words.end(), ' ', kTie);
    usage += " [" + words + "]";
  }
  std::string out = "Usage: ";
  std::string wrapped = wrap(usage, kHelpWidth, 7);
  std::replace(wrapped.begin(), wrapped.end(), kTie, ' ');
  out += wrapped.substr(7) + "\n" + wrap(command.description, kHelpWidth, 0);
  if (!command.positionals.empty()) out += "\nArguments:\n";
  for (const Positional& positional : command.positionals) {
    append_entry(out, positional.name, with_choices(positional.help, positional.choices));
  }
  append_flags(out, "Flags", command.flags);
  append_flags(out, "Global flags", global_flags());
  out += "\nExamples:\n";
  for (const std::string& example : command.examples) out += "  " + example + "\n";
  return out;
}

std::string program_summary() {
  return "measure how far a program scales";
}

std::string program_description() {
  return "Scaling studies: how far a program scales, and up to where more workers pay.";
}

std::string study_words() {
  return "STUDY is an id, a unique prefix of one, or a name (its newest study). RUN is STUDY/r17, "
         "or r17 for the newest study.";
}

std::string exit_codes_text() {
  return "0 done, 1 negative verdict, 2 usage or plan invalid, 3 site or database can't be used "
         "now, 4 runs failed, 70 bug, 130 interrupted (run again to resume)";
}

std::vector<std::string> main_examples() {
  return {"kneepoint check plans/quickstart.yaml", "kneepoint run plans/quickstart.yaml",
          "kneepoint report"};
}

std::string main_help_text() {
  std::string out =
      "Usage: kneepoint COMMAND [ARGUMENTS] [FLAGS]\n\n" + program_description() + "\n";
  for (const CommandGroup& group : command_groups()) {
    out += "\n" + group.title + ":\n";
    for (const CommandSpec& command : group.commands) {
      append_entry(out, command.name, command.summary);
    }
  }
  append_flags(out, "Global flags", global_flags());
  out += "\n" + wrap(study_words(), kHelpWidth, 0) + "\n" +
         wrap("Exit codes: " + exit_codes_text() + ".", kHelpWidth, 0) + "\nExamples:\n";
  for (const std::string& example : main_examples()) out += "  " + example + "\n";
  return out;
}

}  // namespace kneepoint::cli
