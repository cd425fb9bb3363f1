// SPDX-License-Identifier: Apache-2.0
//
// kneepoint predict: what-ifs in five forms, each chosen by its own flag or by a study.
#include "orchestrator/answers/study/predict.h"

#include <algorithm>

#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/terminal/answers.h"

namespace kneepoint::cli {
namespace {

constexpr std::size_t kMostCombinations = 100;
constexpr double kLargestCoefficient = 1000;  // of T(1) at each doubling: far past any use
constexpr int kUsualTo = 512;

Result<int> last_k(const Arguments& arguments) {
  if (!arguments.has("--to")) return kUsualTo;
  return last_worker(arguments.text("--to"));
}

Result<int> run_law(Session& session, const Arguments& arguments) {
  PredictRequest request;
  TRY_ASSIGN(request.serials, share_list("--serial", arguments.text("--serial"), 1));
  request.log_coefficients = {0};
  if (arguments.has("--log-coefficient")) {
    TRY_ASSIGN(
        request.log_coefficients,
        share_list("--log-coefficient", arguments.text("--log-coefficient"), kLargestCoefficient));
  }
  if (request.serials.size() * request.log_coefficients.size() > kMostCombinations) {
    return wrong_flag("--serial and --log-coefficient",
                      "more than " + std::to_string(kMostCombinations) + " combinations");
  }
  request.mode = arguments.text("--mode") == "weak" ? Mode::weak : Mode::strong;
  TRY_ASSIGN(request.to, last_k(arguments));
  TRY_ASSIGN(const PredictAnswer answer, predict(request));
  show(session, answer);
  return kExitDone;
}

Result<int> run_isoefficiency(Session& session, const Arguments& arguments) {
  const std::string wanted = arguments.text("--isoefficiency");
  TRY_ASSIGN(const double efficiency, positive_number("--isoefficiency", wanted, true));
  if (efficiency >= 1) {
    return wrong_flag("--isoefficiency", "'" + wanted + "' is not an efficiency below 1");
  }
  std::vector<double> serials = {0};
  if (arguments.has("--serial")) {
    TRY_ASSIGN(serials, share_list("--serial", arguments.text("--serial"), 1));
  }
  std::vector<IsoLaw> costs;
  for (const auto& [flag, growth] : {std::pair{"--log-coefficient", Growth::logarithmic},
                                     {"--linear-coefficient", Growth::linear}}) {
    if (!arguments.has(flag)) continue;
    TRY_ASSIGN(const auto values, share_list(flag, arguments.text(flag), kLargestCoefficient));
    for (const double value : values) costs.push_back({0, value, growth});
  }
  if (costs.empty()) {
    return wrong_flag("--isoefficiency",
                      "needs --log-coefficient or --linear-coefficient: without communication "
                      "there is nothing to outgrow");
  }
  std::vector<IsoLaw> laws;
  for (const double serial : serials) {
    for (const IsoLaw& cost : costs) laws.push_back({serial, cost.coefficient, cost.growth});
  }
  if (laws.size() > kMostCombinations) {
    return wrong_flag("--serial and its costs",
                      "more than " + std::to_string(kMostCombinations) + " combinations");
  }
  TRY_ASSIGN(const int to, last_k(arguments));
  TRY_ASSIGN(const IsoPrediction answer, predict_iso(efficiency, to, laws));
  show(session, answer);
  return kExitDone;
}

Result<int> run_training(Session& session, const Arguments& arguments) {
  TrainingRequest request;
  TRY_ASSIGN(request.critical_batch,
             positive_number("--critical-batch", arguments.text("--critical-batch")));
  if (!arguments.has("--micro")) {
    return wrong_flag("--micro", "missing; give the samples that one replica takes at a time");
  }
  if (!arguments.has("--gpus")) {
    return wrong_flag("--gpus", "missing; give the numbers of GPUs to look at, such as 128,1024");
  }
  request.micro = arguments.count("--micro");
  if (arguments.has("--accumulation")) request.accumulation = arguments.count("--accumulation");
  if (arguments.has("--sequence")) request.sequence = arguments.count("--sequence");
  TRY_ASSIGN(request.gpus, worker_list("--gpus", arguments.text("--gpus")));
  if (arguments.has("--comm-ratio")) {
    TRY_ASSIGN(const auto ratios,
               share_list("--comm-ratio", arguments.text("--comm-ratio"), kLargestCoefficient));
    if (ratios.size() != 1) return wrong_flag("--comm-ratio", "one number is expected");
    request.comm_ratio = ratios.front();
  }
  TRY_ASSIGN(const TrainingAnswer answer, predict_training(request));
  show(session, answer);
  return kExitDone;
}

Result<UtilisationAnswer> from_rates(const Arguments& arguments,
                                     const std::vector<AtWorkers>& rates) {
  for (const char* flag : {"--parameters", "--peak"}) {
    if (!arguments.has(flag)) return wrong_flag(flag, "missing; --tokens-per-second needs it");
  }
  TRY_ASSIGN(const double parameters,
             positive_number("--parameters", arguments.text("--parameters")));
  TRY_ASSIGN(const double peak, positive_number("--peak", arguments.text("--peak")));
  auto answer = predict_utilisation(rates, parameters, peak);
  if (!answer) return answer.error().in("--tokens-per-second");
  return answer;
}

Result<int> run_utilisation(Session& session, const Arguments& arguments) {
  const bool shares = arguments.has("--mfu");
  const char* flag = shares ? "--mfu" : "--tokens-per-second";
  TRY_ASSIGN(const auto values, values_at_workers(flag, arguments.text(flag), shares));
  const auto answer = shares ? predict_utilisation(values) : from_rates(arguments, values);
  if (!answer) return shares ? answer.error().in(flag) : answer.error();
  show(session, *answer);
  return kExitDone;
}

Result<int> run_study(Session& session, const Arguments& arguments) {
  StudyPredictRequest request;
  request.beyond = arguments.has("--beyond");
  request.case_name = arguments.text("--case");
  request.mode = parse_mode(arguments.text("--mode"));
  if (arguments.has("--to")) {
    TRY_ASSIGN(request.to, worker_list("--to", arguments.text("--to")));
  }
  request.study = arguments.text("STUDY");
  TRY_ASSIGN(const StudyPrediction answer, predict_study(session, request));
  session.out << (session.json ? to_json(answer) + "\n" : to_text(answer, predict_width(session)));
  return answer.any() ? kExitDone : kExitUsage;
}

// What is predicted from: the first form whose flag (or STUDY) was given.
struct Form {
  const char* key;
  std::vector<std::string> others;  // flags that it takes besides
  Result<int> (*run)(Session&, const Arguments&);
};

const std::vector<Form>& forms() {
  static const std::vector<Form> table = {
      {"STUDY", {"--to", "--mode", "--case", "--beyond"}, run_study},
      {"--isoefficiency",
       {"--serial", "--log-coefficient", "--linear-coefficient", "--to"},
       run_isoefficiency},
      {"--critical-batch",
       {"--micro", "--accumulation", "--sequence", "--gpus", "--comm-ratio"},
       run_training},
      {"--mfu", {}, run_utilisation},
      {"--tokens-per-second", {"--parameters", "--peak"}, run_utilisation},
      {"--serial", {"--log-coefficient", "--to", "--mode"}, run_law},
  };
  return table;
}

CommandSpec spec();

Result<int> run_predict(Session& session, const Arguments& arguments) {
  for (const Form& form : forms()) {
    if (!arguments.has(form.key)) continue;
    for (const Flag& flag : spec().flags) {
      const bool known = flag.name == form.key || std::find(form.others.begin(), form.others.end(),
                                                            flag.name) != form.others.end();
      if (arguments.has(flag.name) && !known) {
        return wrong_flag(flag.name, std::string("does not go with ") +
                                         (form.key[0] == '-' ? form.key : "a study"));
      }
    }
    return form.run(session, arguments);
  }
  return wrong_flag("--serial",
                    "missing; give the serial fractions to look at, such as 0.01,0.05; or name a "
                    "STUDY, or say --isoefficiency, --critical-batch, --mfu or "
                    "--tokens-per-second");
}

CommandSpec spec() {
  return {
      "predict",
      "Predict performance at more workers",
      "With a STUDY: time, speedup and efficiency at K that were not measured, by all models that "
      "its runs leave plausible, up to 4 times the largest K measured. With --serial: what "
      "T(K)=s+(1-s)/K+c*log2(K), or weak T(K)=s+(1-s)+c*log2(K), with T(1)=1, implies for every "
      "serial fraction with every log coefficient: the ceiling 1/s and the share of it reached, "
      "the largest serial fraction that keeps E >= 0.8 at each K, the fastest K, and the last K "
      "at which E is 0.8 and 0.5. With --isoefficiency: how the work must grow to hold E. With "
      "--critical-batch: how far replicas carry data-parallel training. With --mfu or "
      "--tokens-per-second: what a sagging utilisation means.",
      {study_argument("STUDY", "Predict from its runs: id, unique prefix or name", false)},
      {{"--to", "K", "The last K (default: 512); with a STUDY a list (default: 2 and 4 times)"},
       mode_flag("What is held fixed (default: strong; of a STUDY: both)"),
       {"--case", "NAME", "STUDY: this case only"},
       {"--beyond", "", "STUDY: up to 10 times the largest K measured"},
       {"--serial", "LIST", "Serial fractions s from 0 to 1, with commas between"},
       {"--log-coefficient", "LIST", "Costs c of each doubling of K, from 0 (default: 0)"},
       {"--linear-coefficient", "LIST", "--isoefficiency: costs of each further worker"},
       {"--isoefficiency", "E", "How must the work grow to hold E? From --serial and costs"},
       {"--critical-batch", "B", "Batch beyond which more data buys little (tokens, or samples)"},
       count_flag("--micro", "--critical-batch: samples that one replica takes at a time"),
       count_flag("--accumulation", "--critical-batch: steps accumulated (default: 1)"),
       count_flag("--sequence", "--critical-batch: tokens of a sample (default: 1)"),
       {"--gpus", "LIST", "--critical-batch: numbers of GPUs to look at"},
       {"--comm-ratio", "R", "--critical-batch: communication / compute of a split model"},
       {"--mfu", "LIST", "Utilisation at K, such as 256:50%,2048:30%"},
       {"--tokens-per-second", "LIST", "Rate of all GPUs at K, such as 256:1.2e6,2048:5e6"},
       {"--parameters", "N", "--tokens-per-second: of the model; 6N flops for each token"},
       {"--peak", "FLOPS", "--tokens-per-second: of one GPU, per second"}},
      {"kneepoint predict vendor --to 512",
       "kneepoint predict --serial .01,.05,.10 --log-coefficient .005,.02 --to 512",
       "kneepoint predict --serial .05 --log-coefficient .01 --to 128 --mode weak",
       "kneepoint predict --isoefficiency 0.8 --serial .01 --log-coefficient .005",
       "kneepoint predict --critical-batch 4e6 --micro 4 --sequence 4096 --gpus 128,1024",
       "kneepoint predict --mfu 256:50%,2048:30%"},
      run_predict};
}

}  // namespace

CommandSpec predict_command() {
  return spec();
}

}  // namespace kneepoint::cli
