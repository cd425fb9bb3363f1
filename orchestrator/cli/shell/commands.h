// SPDX-License-Identifier: Apache-2.0
//
// The commands by name; each is one file. commands.cc lists them.
#pragma once

#include "orchestrator/cli/shell/command.h"

namespace kneepoint::cli {

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

}  // namespace kneepoint::cli
