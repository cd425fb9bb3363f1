// SPDX-License-Identifier: Apache-2.0
//
// kneepoint completion: prints the script that makes a shell complete our words, written from the
// commands' descriptions. Studies and workloads are asked for when the user presses Tab. Help texts
// are ours and hold no quotes that matter, but they are quoted all the same.
#include <ostream>

#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

// What a script is filled into, at its @NAMES@.
constexpr char kBashScript[] =
    R"sh(# bash completion of kneepoint: source <(kneepoint completion bash)
_kneepoint() {
  local cur prev command word i
  cur=${COMP_WORDS[COMP_CWORD]}
  prev=${COMP_WORDS[COMP_CWORD-1]}
  command=
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case " @COMMANDS@ " in *" $word "*) command=$word; break ;; esac
  done
  if [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "@COMMANDS@ @GLOBAL@" -- "$cur"))
    return
  fi
  case $command:$prev in
@VALUES@  esac
  case $command in
@CASES@  esac
}
complete -o filenames -F _kneepoint kneepoint
)sh";

// From a folder of fpath this is the function's first call; sourced, it is its definition.
constexpr char kZshScript[] =
    R"sh(#compdef kneepoint
# zsh completion of kneepoint: source <(kneepoint completion zsh)
_kneepoint_studies() { compadd -- ${(f)"$(@STUDIES@)"} }
_kneepoint_workloads() { compadd -- ${(f)"$(@WORKLOADS@)"} }
_kneepoint() {
  local -a commands
  commands=(
@COMMANDS@  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
@CASES@  esac
}
if [[ ${funcstack[1]} == _kneepoint ]]; then
  _kneepoint "$@"
else
  compdef _kneepoint kneepoint
fi
)sh";

std::string filled(std::string text,
                   const std::vector<std::pair<std::string, std::string>>& parts) {
  for (const auto& [name, value] : parts) {
    const std::string mark = "@" + name + "@";
    for (std::size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size()) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

// The command whose output is what may stand in this place; "": none.
std::string lister_of(Completes completes) {
  if (completes == Completes::studies) return "kneepoint list --quiet 2>/dev/null";
  if (completes != Completes::workloads) return "";
  return "kneepoint workloads 2>/dev/null | tail -n +2 | cut -d \" \" -f 1";
}

// In single quotes, for any of the three shells' scripts (fish and POSIX shells differ here only in
// how a quote is escaped, so quotes become typographic ones).
std::string single_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' || c == '\\' ? std::string("’") : std::string(1, c);
  return out + "'";
}

// What to offer for a positional or a flag's value, in each shell.
std::string bash_words(const std::vector<std::string>& choices, Completes completes) {
  if (choices.empty() && completes == Completes::nothing) return "COMPREPLY=()";
  if (choices.empty() && completes == Completes::files) {
    return "COMPREPLY=($(compgen -f -- \"$cur\"))";
  }
  const std::string words =
      choices.empty() ? "$(" + lister_of(completes) + ")" : joined(choices, " ");
  return "COMPREPLY=($(compgen -W \"" + words + "\" -- \"$cur\"))";
}

std::string zsh_action(const std::vector<std::string>& choices, Completes completes) {
  if (!choices.empty()) return "(" + joined(choices, " ") + ")";
  return completes == Completes::files       ? "_files"
         : completes == Completes::studies   ? "_kneepoint_studies"
         : completes == Completes::workloads ? "_kneepoint_workloads"
                                             : " ";
}

std::string fish_arguments(const std::vector<std::string>& choices, Completes completes) {
  if (!choices.empty()) return " -x -a " + single_quoted(joined(choices, " "));
  if (completes == Completes::files) return " -r -F";
  const std::string lister = lister_of(completes);
  return lister.empty() ? " -x" : " -x -a '(" + lister + ")'";
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

template <typename Words>
std::string names_of(const std::vector<Words>& all) {
  std::vector<std::string> names;
  for (const Words& one : all) names.push_back(one.name);
  return joined(names, " ");
}

}  // namespace

std::string bash_completion(const std::vector<CommandSpec>& commands) {
  std::string values, cases;
  for (const CommandSpec& command : commands) {
    const std::vector<Flag> flags = flags_of(command);
    for (const Flag& flag : flags) {
      if (flag.value.empty()) continue;
      values += "    " + command.name + ":" + flag.name + ") " +
                bash_words(flag.choices, flag.completes) + "; return ;;\n";
    }
    cases += "    " + command.name +
             ")\n      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"" + names_of(flags) +
             "\" -- \"$cur\")); return; fi\n";
    if (!command.positionals.empty()) {
      const Positional& positional = command.positionals.front();
      cases += "      " + bash_words(positional.choices, positional.completes) + "\n";
    }
    cases += "      ;;\n";
  }
  return filled(kBashScript, {{"COMMANDS", names_of(commands)},
                              {"GLOBAL", names_of(global_flags())},
                              {"VALUES", values},
                              {"CASES", cases}});
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
      const std::string place = positional.many ? "*" : std::to_string(i + 1);
      cases += " \\\n        " +
               single_quoted(place + (positional.required || positional.many ? ":" : "::") +
                             positional.name + ":" +
                             zsh_action(positional.choices, positional.completes));
    }
    cases += "\n      ;;\n";
  }
  return filled(kZshScript, {{"STUDIES", lister_of(Completes::studies)},
                             {"WORKLOADS", lister_of(Completes::workloads)},
                             {"COMMANDS", list},
                             {"CASES", cases}});
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
    const Positional& first = command.positionals.front();
    text += "complete -c kneepoint" + condition +
            (first.completes == Completes::files ? " -F"
                                                 : fish_arguments(first.choices, first.completes)) +
            "\n";
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
