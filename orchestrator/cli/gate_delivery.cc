// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/gate_delivery.h"

#include <fstream>
#include <ostream>

#include "orchestrator/base/files.h"
#include "orchestrator/cli/gate_machine_text.h"
#include "orchestrator/cli/gate_text.h"

namespace kneepoint::cli {
namespace {

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
      file_flag("--prometheus",
                "Write it for the textfile collector of node_exporter too (NAME.prom)")};
  flags.insert(flags.end(), outputs.begin(), outputs.end());
  return flags;
}

GateOutputs gate_outputs(const Arguments& arguments) {
  return {arguments.text("--junit"), arguments.text("--summary"), arguments.text("--prometheus"),
          arguments.has("--github-annotations")};
}

Result<void> remember_verdict(const Session& session, StudyStore& store, const GateReport& report) {
  TRY(store.put_verdict({report.study, to_string(report.answer.verdict), report.answer.why,
                         verdict_line(report), session.clock.wall()}));
  return {};
}

bool deliver(Session& session, const GateOutputs& outputs, const GateReport& report) {
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
  if (!outputs.prometheus.empty()) {
    said(write_file(outputs.prometheus, gate_prometheus(report, session.clock.wall())));
  }
  if (outputs.github_annotations) session.err << gate_annotations(report);
  session.err << std::flush;
  return good;
}

int gate_exit_code(Verdict verdict, bool strict) {
  switch (verdict) {
    case Verdict::pass:
    case Verdict::improved:
      return kExitDone;
    case Verdict::suspect:
    case Verdict::inconclusive:
    case Verdict::env_change:
    case Verdict::no_baseline:
      return strict ? kExitNegative : kExitDone;
    case Verdict::regressed:
      return kExitNegative;
    case Verdict::failed:
      return kExitRunsFailed;
  }
  return kExitBug;
}

int exit_code_after(bool delivered, int verdict_code) {
  return delivered || verdict_code != kExitDone ? verdict_code : kExitUnreachable;
}

}  // namespace kneepoint::cli
