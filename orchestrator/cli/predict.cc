// SPDX-License-Identifier: Apache-2.0
//
// kneepoint predict: what a scaling law with given parameters implies. It reads no study.
#include <algorithm>
#include <charconv>
#include <ostream>

#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/predict_text.h"
#include "orchestrator/cli/table.h"

namespace kneepoint::cli {
namespace {

constexpr int kLargestTo = 1'048'576;
constexpr std::size_t kMostCombinations = 100;
constexpr double kLargestCoefficient = 1000;  // of T(1) at each doubling: far past any use
constexpr double kSmallest = 1e-12;  // above 0: below it 1/s and the fastest K mean nothing
constexpr int kWidth = 100;

Error wrong(const std::string& flag, const std::string& why) {
  return Error{ErrorCode::invalid, flag + ": " + why};
}

// "0.01,0.05" as numbers from 0 to `most`, each once.
Result<std::vector<double>> numbers(const std::string& flag, const std::string& text, double most) {
  std::vector<double> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    double value = 0;
    const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || read.ec != std::errc() || read.ptr != word.data() + word.size()) {
      return wrong(flag, "'" + word +
                             "' is not a number; write numbers with commas between them, "
                             "such as 0.01,0.05");
    }
    if (!(value >= 0 && value <= most)) {  // NaN as well
      return wrong(flag, "'" + word + "' is not between 0 and " + number_text(most));
    }
    if (value > 0 && value < kSmallest) {
      return wrong(flag, "'" + word + "' is too small to tell from 0; write 0");
    }
    if (std::find(values.begin(), values.end(), value) != values.end()) {
      return wrong(flag, "'" + word + "' is there twice");
    }
    values.push_back(value + 0.0);  // -0 becomes 0
  }
  return values;
}

Result<int> last_k(const std::string& text) {
  int k = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), k);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || k < 1 || k > kLargestTo) {
    return wrong("--to",
                 "'" + text + "' is not a whole number from 1 to " + std::to_string(kLargestTo));
  }
  return k;
}

Result<int> run_predict(Session& session, const Arguments& arguments) {
  if (!arguments.has("--serial")) {
    return wrong("--serial", "missing; give the serial fractions to look at, such as 0.01,0.05");
  }
  PredictRequest request;
  TRY_ASSIGN(request.serials, numbers("--serial", arguments.text("--serial"), 1));
  request.log_coefficients = {0};
  if (arguments.has("--log-coefficient")) {
    TRY_ASSIGN(
        request.log_coefficients,
        numbers("--log-coefficient", arguments.text("--log-coefficient"), kLargestCoefficient));
  }
  if (request.serials.size() * request.log_coefficients.size() > kMostCombinations) {
    return wrong("--serial and --log-coefficient",
                 "more than " + std::to_string(kMostCombinations) + " combinations");
  }
  request.mode = arguments.text("--mode") == "weak" ? Mode::weak : Mode::strong;
  if (arguments.has("--to")) {
    TRY_ASSIGN(request.to, last_k(arguments.text("--to")));
  }
  TRY_ASSIGN(const PredictAnswer answer, predict(request));
  if (session.json) {
    session.out << predict_json(answer) << "\n";
  } else {
    const int width = session.out_is_terminal ? std::min(session.width(), kWidth) : kWidth;
    session.out << predict_text(answer, width);
  }
  return kExitDone;
}

}  // namespace

CommandSpec predict_command() {
  return {"predict",
          "Tell what a scaling law implies, from its parameters",
          "Predicts from parameters alone, without a study: time, speedup and efficiency by "
          "T(K)=s+(1-s)/K+c*log2(K), or weak T(K)=s+(1-s)+c*log2(K), with T(1)=1, for every "
          "serial fraction with every log coefficient. Shows the ceiling 1/s and the share of it "
          "reached, the largest serial fraction that keeps E >= 0.8 at each K, the fastest K, and "
          "the last K at which E is 0.8 and 0.5.",
          {},
          {{"--serial", "LIST", "Serial fractions s from 0 to 1, with commas between; needed"},
           {"--log-coefficient", "LIST", "Costs c of each doubling of K, from 0 (default: 0)"},
           {"--to", "K", "The last K, at most 1048576 (default: 512)"},
           {"--mode", "MODE", "What is held fixed (default: strong)", {"strong", "weak"}}},
          {"kneepoint predict --serial .01,.05,.10 --log-coefficient .005,.02 --to 512",
           "kneepoint predict --serial .05 --log-coefficient .01 --to 128 --mode weak",
           "kneepoint predict --serial .05 --json"},
          run_predict};
}

}  // namespace kneepoint::cli
