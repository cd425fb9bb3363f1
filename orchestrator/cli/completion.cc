// SPDX-License-Identifier: Apache-2.0
//
// kneepoint completion: prints the script that makes a shell complete our words.
#include <ostream>

#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/completion_script.h"

namespace kneepoint::cli {
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
