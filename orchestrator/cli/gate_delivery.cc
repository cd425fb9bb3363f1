// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/gate_delivery.h"

#include <filesystem>
#include <fstream>
#include <ostream>

#include "orchestrator/cli/files.h"
#include "orchestrator/cli/gate_machine_text.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

// As a CI system knows it: from the folder in which it was asked, if it is there.
std::string known_path(const std::string& plan_path) {
  const fs::path path(plan_path);
  if (!path.is_absolute()) return path.lexically_normal().generic_string();
  std::error_code problem;
  const fs::path from_here = path.lexically_relative(fs::current_path(problem));
  const bool inside = !problem && !from_here.empty() && *from_here.begin() != "..";
  return inside ? from_here.generic_string() : path.filename().generic_string();
}

// A job's page on GitHub belongs to all steps of the job: what is there stays.
Result<void> write_summary(const Session& session, const std::string& path,
                           const std::string& text) {
  if (session.environment("GITHUB_STEP_SUMMARY").value_or("") != path) {
    return write_file(path, text);
  }
  std::ofstream file(path, std::ios::binary | std::ios::app);
  file << text << std::flush;
  if (!file) return system_error("write " + path, errno);
  return {};
}

Flag file_flag(const char* name, const char* help) {
  return {name, "FILE", help, {}, false, Completes::files};
}

}  // namespace

std::vector<Flag> with_gate_outputs(std::vector<Flag> flags) {
  const std::vector<Flag> outputs = {
      file_flag("--junit", "Write the verdict as JUnit XML too"),
      file_flag("--summary",
                "Write it as Markdown too, for a job's page; appended if it is the file "
                "GITHUB_STEP_SUMMARY names"),
      {"--github-annotations", "", "Print it as annotations of GitHub Actions too, on stderr"},
      file_flag("--code-quality", "Write it as a code quality report of GitLab too"),
      file_flag("--prometheus",
                "Write it for the textfile collector of node_exporter too (NAME.prom)"),
      file_flag("--webhook-file", "Post it to the address in FILE, in Slack's form"),
      file_flag("--webhook-ca",
                "Certificates that may vouch for that server, in PEM (default: the "
                "system's)")};
  flags.insert(flags.end(), outputs.begin(), outputs.end());
  return flags;
}

Result<GateOutputs> gate_outputs(const Arguments& arguments) {
  GateOutputs outputs;
  outputs.junit = arguments.text("--junit");
  outputs.summary = arguments.text("--summary");
  outputs.code_quality = arguments.text("--code-quality");
  outputs.prometheus = arguments.text("--prometheus");
  outputs.github_annotations = arguments.has("--github-annotations");
  if (arguments.has("--webhook-file")) {
    TRY_ASSIGN(outputs.webhook,
               read_webhook(arguments.text("--webhook-file"), arguments.text("--webhook-ca")));
  } else if (arguments.has("--webhook-ca")) {
    return Error{ErrorCode::invalid, "--webhook-ca is of no use without --webhook-file"};
  }
  return outputs;
}

bool deliver(Session& session, const GateOutputs& outputs, const GateReport& report,
             const std::string& plan_path) {
  bool good = true;
  const auto said = [&](const Result<void>& done) {
    if (done) return;
    session.err << "kneepoint: " << done.error().message
                << "; the verdict stands, this output is missing\n";
    good = false;
  };
  if (!outputs.junit.empty()) said(write_file(outputs.junit, gate_junit(report)));
  if (!outputs.summary.empty()) {
    said(write_summary(session, outputs.summary, gate_markdown(report)));
  }
  if (!outputs.code_quality.empty()) {
    said(write_file(outputs.code_quality, gate_code_quality(report, known_path(plan_path))));
  }
  if (!outputs.prometheus.empty()) {
    said(write_file(outputs.prometheus, gate_prometheus(report, session.clock.wall())));
  }
  if (outputs.github_annotations) session.err << gate_annotations(report);
  if (outputs.webhook) {
    const auto posted = post_webhook(*outputs.webhook, gate_message(report), session.clock);
    if (!posted) {
      session.err << "kneepoint: the webhook was not told: " << posted.error().message
                  << "; the verdict stands\n";
    }
  }
  session.err << std::flush;
  return good;
}

int exit_code_after(bool delivered, int verdict_code) {
  return delivered || verdict_code != kExitDone ? verdict_code : kExitUnreachable;
}

}  // namespace kneepoint::cli
