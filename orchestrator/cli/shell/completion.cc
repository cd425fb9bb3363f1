// SPDX-License-Identifier: Apache-2.0
//
// kneepoint completion: prints the script that makes a shell complete our words, written from the
// commands' descriptions. Studies and workloads are asked for when the user presses Tab. Help texts
// are ours and hold no quotes that matter, but they are quoted all the same.
#include <ostream>

#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/commands.h"

namespace kneepoint::cli {
namespace {

constexpr const char* kListStudies = "kneepoint list --quiet 2>/dev/null";
constexpr const char* kWorkloads =
    "kneepoint workloads 2>/dev/null | tail -n +2 | cut -d \" \" -f 1";

std::string spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// In single quotes, for any of the three shells' scripts (fish and POSIX shells differ here only in
// how a quote is escaped, so quotes become typographic ones).
std::string single_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("’") : std::string(1, c);
  return out + "'";
}

std::vector<Flag> flags_of(const CommandSpec& command) {
  std::vector<Flag> flags = command.flags;
  flags.insert(flags.end(), global_flags().begin(), global_flags().end());
  return flags;
}

// What to offer for a positional or a flag's value, in bash.
std::string bash_words(const std::vector<std::string>& choices, Completes completes) {
  if (!choices.empty()) return "COMPREPLY=($(compgen -W \"" + spaced(choices) + "\" -- \"$cur\"))";
  switch (completes) {
    case Completes::files:
      return "COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Completes::studies:
      return "COMPREPLY=($(compgen -W \"$(" + std::string(kListStudies) + ")\" -- \"$cur\"))";
    case Completes::workloads:
      return "COMPREPLY=($(compgen -W \"$(" + std::string(kWorkloads) + ")\" -- \"$cur\"))";
    case Completes::nothing:
      break;
  }
  return "COMPREPLY=()";
}

std::string zsh_action(const std::vector<std::string>& choices, Completes completes) {
  if (!choices.empty()) return "(" + spaced(choices) + ")";
  switch (completes) {
    case Completes::files:
      return "_files";
    case Completes::studies:
      return "_kneepoint_studies";
    case Completes::workloads:
      return "_kneepoint_workloads";
    case Completes::nothing:
      break;
  }
  return " ";
}

// zsh reads [ ] and : in a specification.
std::string zsh_help(const std::string& help) {
  std::string out;
  for (const char c : help) {
    if (c == '[' || c == ']' || c == ':') out += '\\';
    out += c;
  }
  return out;
}

std::string fish_arguments(const std::vector<std::string>& choices, Completes completes) {
  if (!choices.empty()) return " -x -a " + single_quoted(spaced(choices));
  switch (completes) {
    case Completes::files:
      return " -r -F";
    case Completes::studies:
      return " -x -a '(" + std::string(kListStudies) + ")'";
    case Completes::workloads:
      return " -x -a '(" + std::string(kWorkloads) + ")'";
    case Completes::nothing:
      break;
  }
  return " -x";
}

}  // namespace

std::string bash_completion(const std::vector<CommandSpec>& commands) {
  std::string names, global, values, cases;
  for (const Flag& flag : global_flags()) global += (global.empty() ? "" : " ") + flag.name;
  for (const CommandSpec& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    std::string flags;
    for (const Flag& flag : flags_of(command)) {
      flags += (flags.empty() ? "" : " ") + flag.name;
      if (flag.value.empty()) continue;
      const std::string pattern = "    " + command.name + ":" + flag.name + ")";
      values += pattern + " " + bash_words(flag.choices, flag.completes) + "; return ;;\n";
    }
    cases += "    " + command.name +
             ")\n      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"" + flags +
             "\" -- \"$cur\")); return; fi\n";
    if (!command.positionals.empty()) {
      const Positional& positional = command.positionals.front();
      cases += "      " + bash_words(positional.choices, positional.completes) + "\n";
    }
    cases += "      ;;\n";
  }
  return "# bash completion of kneepoint: source <(kneepoint completion bash)\n"
         "_kneepoint() {\n"
         "  local cur prev command word i\n"
         "  cur=${COMP_WORDS[COMP_CWORD]}\n"
         "  prev=${COMP_WORDS[COMP_CWORD-1]}\n"
         "  command=\n"
         "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "    word=${COMP_WORDS[i]}\n"
         "    case \" " +
         names +
         " \" in *\" $word \"*) command=$word; break ;; esac\n"
         "  done\n"
         "  if [[ -z $command ]]; then\n"
         "    COMPREPLY=($(compgen -W \"" +
         names + " " + global +
         "\" -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  case $command:$prev in\n" +
         values +
         "  esac\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         "complete -o filenames -F _kneepoint kneepoint\n";
}

std::string zsh_completion(const std::vector<CommandSpec>& commands) {
  std::string list, cases;
  for (const CommandSpec& command : commands) {
    list += "    " + single_quoted(command.name + ":" + zsh_help(command.summary)) + "\n";
    cases += "    " + command.name + ")\n      _arguments";
    for (const Flag& flag : flags_of(command)) {
      std::string spec = flag.name + "[" + zsh_help(flag.help) + "]";
      if (!flag.value.empty()) {
        spec += ":" + flag.value + ":" + zsh_action(flag.choices, flag.completes);
      }
      cases += " \\\n        " + single_quoted(spec);
    }
    for (std::size_t i = 0; i < command.positionals.size(); ++i) {
      const Positional& positional = command.positionals[i];
      cases +=
          " \\\n        " +
          single_quoted((positional.many ? "*" : std::to_string(i + 1)) +
                        (positional.required || positional.many ? ":" : "::") + positional.name +
                        ":" + zsh_action(positional.choices, positional.completes));
    }
    cases += "\n      ;;\n";
  }
  return "#compdef kneepoint\n"
         "# zsh completion of kneepoint: source <(kneepoint completion zsh)\n"
         "_kneepoint_studies() { compadd -- ${(f)\"$(" +
         std::string(kListStudies) +
         ")\"} }\n"
         "_kneepoint_workloads() { compadd -- ${(f)\"$(" +
         std::string(kWorkloads) +
         ")\"} }\n"
         "_kneepoint() {\n"
         "  local -a commands\n"
         "  commands=(\n" +
         list +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n" +
         cases +
         "  esac\n"
         "}\n"
         // From a folder of fpath this is the function's first call; sourced, it is its definition.
         "if [[ ${funcstack[1]} == _kneepoint ]]; then\n"
         "  _kneepoint \"$@\"\n"
         "else\n"
         "  compdef _kneepoint kneepoint\n"
         "fi\n";
}

std::string fish_completion(const std::vector<CommandSpec>& commands) {
  std::string text =
      "# fish completion of kneepoint: kneepoint completion fish | source\n"
      "complete -c kneepoint -f\n";
  const auto flag_line = [](const std::string& condition, const Flag& flag) {
    return "complete -c kneepoint" + condition + " -l " + flag.name.substr(2) +
           (flag.value.empty() ? "" : fish_arguments(flag.choices, flag.completes)) + " -d " +
           single_quoted(flag.help) + "\n";
  };
  for (const Flag& flag : global_flags()) text += flag_line("", flag);
  for (const CommandSpec& command : commands) {
    text += "complete -c kneepoint -n __fish_use_subcommand -a " + command.name + " -d " +
            single_quoted(command.summary) + "\n";
    const std::string condition = " -n '__fish_seen_subcommand_from " + command.name + "'";
    for (const Flag& flag : command.flags) text += flag_line(condition, flag);
    if (command.positionals.empty()) continue;
    const Positional& positional = command.positionals.front();
    if (positional.completes == Completes::files) {
      text += "complete -c kneepoint" + condition + " -F\n";
    } else {
      text += "complete -c kneepoint" + condition +
              fish_arguments(positional.choices, positional.completes) + "\n";
    }
  }
  return text;
}

namespace {

Result<int> completion(Session& session, const Arguments& arguments) {
  const std::string shell = arguments.text("SHELL");
  const std::string script = shell == "bash"  ? bash_completion(all_commands())
                             : shell == "zsh" ? zsh_completion(all_commands())
                                              : fish_completion(all_commands());
  if (session.json) {
    JsonWriter json;
    json.begin_object().put("shell", shell).put("script", script).end_object();
    session.out << json.text() << "\n";
  } else {
    session.out << script;
  }
  return kExitDone;
}

}  // namespace

CommandSpec completion_command() {
  return {"completion",
          "Print a completion script for a shell",
          "Prints a script that completes commands, flags, files and studies. Load it from the "
          "shell's start-up file.",
          {{"SHELL", "Which shell", true, {"bash", "zsh", "fish"}}},
          {},
          {"source <(kneepoint completion bash)", "kneepoint completion fish | source"},
          completion};
}

}  // namespace kneepoint::cli
