// SPDX-License-Identifier: Apache-2.0
//
// kneepoint size: how to cut a cluster for a mix of workloads.
#include "orchestrator/answers/study/size.h"

#include "orchestrator/base/files.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/terminal/answers.h"

namespace kneepoint::cli {
namespace {

constexpr double kMostFactor = 1000;

Result<double> factor_flag(const Arguments& arguments, const std::string& flag) {
  if (!arguments.has(flag)) return 1.0;
  TRY_ASSIGN(const double factor, positive_number(flag, arguments.text(flag)));
  if (factor > kMostFactor) return wrong_flag(flag, "expected a factor of at most 1000");
  return factor;
}

Result<void> write_configs(Session& session, const SizeAnswer& answer, const std::string& folder) {
  TRY(claim_folder(folder));
  const auto put = [&](const std::string& name, const std::string& content) -> Result<void> {
    TRY(write_file(folder + "/" + name, content));
    session.err << "wrote " << folder << "/" << name << "\n";
    return {};
  };
  TRY(put("partitions.conf", slurm_config(answer.mix, answer.nodes, *answer.recommended)));
  const auto quotas = kubernetes_config(answer.mix, answer.nodes, *answer.recommended);
  if (quotas) {
    TRY(put("quotas.yaml", *quotas));
  } else {
    session.err << "no quotas.yaml: " << quotas.error().message << "\n";
  }
  return put("size.json", json_text(answer, kIndented) + "\n");
}

Result<int> print_config(Session& session, const Arguments& arguments, const SizeAnswer& answer) {
  if (!answer.recommended) {
    session.err << "kneepoint: no cut does it: " << answer.why << "\n";
    return kExitNegative;
  }
  std::string text = slurm_config(answer.mix, answer.nodes, *answer.recommended);
  if (!arguments.has("--slurm")) {
    TRY_ASSIGN(text, kubernetes_config(answer.mix, answer.nodes, *answer.recommended));
  }
  session.out << text;
  return kExitDone;
}

Result<int> run_size(Session& session, const Arguments& arguments) {
  const int forms = (session.json ? 1 : 0) + (arguments.has("--slurm") ? 1 : 0) +
                    (arguments.has("--kubernetes") ? 1 : 0);
  if (forms > 1) {
    return Error{ErrorCode::invalid,
                 "--json, --slurm and --kubernetes exclude each other; say one"};
  }
  SizeRequest request;
  request.mix = arguments.text("MIX");
  request.modelled = arguments.has("--modelled");
  request.backfill = arguments.has("--backfill");
  TRY_ASSIGN(request.factors.load, factor_flag(arguments, "--load"));
  TRY_ASSIGN(request.factors.price, factor_flag(arguments, "--price"));
  TRY_ASSIGN(const SizeAnswer answer, size_mix(session, request));
  if (!answer.problems.empty()) return report_problems(session, answer.problems);
  if (arguments.has("--output-dir") && answer.recommended) {
    TRY(write_configs(session, answer, arguments.text("--output-dir")));
  }
  if (arguments.has("--slurm") || arguments.has("--kubernetes")) {
    return print_config(session, arguments, answer);
  }
  show(session, answer, kIndented);
  return answer.recommended ? kExitDone : kExitNegative;
}

}  // namespace

CommandSpec size_command() {
  return {
      "size",
      "Cut a cluster into partitions for a mix of workloads",
      "Which K to run each workload of a mix at, and how many workers to set aside for it: the "
      "most results for the money such that 95% of its jobs (or the mix's in_time) keep its "
      "deadline, wait and "
      "run together. Waits and utilisation come from a simulated queue. The usual cuts stand "
      "beside it. Exit code 1 if "
      "no cut does it.",
      {file_argument("MIX", "Mix file (docs/reference/mix.md)")},
      {{"--load", "FACTOR", "Every workload runs so many times as often"},
       {"--price", "FACTOR", "Every price is so many times as high"},
       {"--modelled", "", "Also K that were not measured, marked *"},
       {"--backfill", "", "Small jobs may overtake where they delay nobody"},
       {"--slurm", "", "Print the partition lines of slurm.conf"},
       {"--kubernetes", "", "Print quotas and Kueue queues"},
       file_flag("--output-dir", "Also write partitions.conf, quotas.yaml and size.json", "DIR")},
      {"kneepoint size plans/mixes/vendor.yaml",
       "kneepoint size plans/mixes/vendor.yaml --load 1.5",
       "kneepoint size plans/mixes/vendor.yaml --slurm"},
      run_size};
}

}  // namespace kneepoint::cli
