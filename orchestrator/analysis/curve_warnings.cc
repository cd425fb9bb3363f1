// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/analysis/parts.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "orchestrator/analysis/curves.h"
#include "orchestrator/analysis/statistics/intervals.h"
#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/base/numbers.h"
#include "orchestrator/model/provenance.h"

namespace kneepoint {
namespace {

constexpr std::size_t kNamed = 8;             // of a list; the rest is counted
constexpr int kFullLevelRuns = 5;             // fewer: the bootstrap's intervals are too narrow
constexpr std::size_t kDistributionFree = 4;  // 4 against 4 runs have a 95% interval by ranks

std::string listed(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < kNamed; ++i)
    text += (i > 0 ? ", " : "") + items[i];
  if (items.size() > kNamed) text += " and " + std::to_string(items.size() - kNamed) + " more";
  return text;
}

// "K=1, K=8": those that hold.
std::string ks_where(const Times& times, const std::function<bool(const TimesAtK&)>& holds) {
  std::vector<std::string> ks;
  for (const TimesAtK& at : times) {
    if (holds(at)) ks.push_back("K=" + std::to_string(at.k));
  }
  return listed(ks);
}

class Warnings {
 public:
  Warnings(const StudyEvidence& evidence, const CurveMembers& members, const Curve& curve,
           const CurveAnalysis& analysis)
      : evidence_(evidence), members_(members), curve_(curve), a_(analysis) {}

  std::vector<Warning> all() {
    of_runs();
    if (a_.times.empty()) {
      add(WarningCode::no_valid_run, "no run of this curve gave a valid time: nothing is computed");
      return std::move(warnings_);
    }
    of_baseline();
    of_work();
    of_repeats();
    of_models();
    of_knees();
    of_predictions();
    of_decomposition();
    return std::move(warnings_);
  }

 private:
  void add(WarningCode code, std::string message) {
    warnings_.push_back({code, std::move(message)});
  }

  void of_runs() {
    if (curve_.stand_in) add(WarningCode::stand_in, std::string("this curve ") + kStandInCaveat);
    for (const std::string& sentence : members_.apart) add(WarningCode::mixed_provenance, sentence);
    const std::vector<std::string> unusable = unusable_times(members_, evidence_);
    for (std::size_t i = 0; i < unusable.size() && i < kNamed; ++i)
      add(WarningCode::invalid_time, unusable[i]);
    if (unusable.size() > kNamed) {
      add(WarningCode::invalid_time, std::to_string(unusable.size() - kNamed) +
                                         " more runs have times that are not positive and finite");
    }
    for (const PointSummary& p : curve_.points) {
      if (p.outliers > 0) add(WarningCode::outliers, outliers_of(p));
    }
  }

  // "K=4: r7 (3.2 s) is far from the median of 1.1 s".
  std::string outliers_of(const PointSummary& p) const {
    std::vector<double> distances;
    const auto runs = valid_runs(members_, evidence_.points[p.index]);
    for (const RunEvidence* run : runs) distances.push_back(std::abs(run->seconds - p.seconds));
    const double limit = 5 * 1.4826 * median(distances);
    std::vector<std::string> named;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (distances[i] > limit) {
        named.push_back("r" + std::to_string(runs[i]->number) + " (" +
                        number_text(runs[i]->seconds) + " s)");
      }
    }
    return "K=" + std::to_string(p.point.k) + ": " + listed(named) +
           (named.size() == 1 ? " is" : " are") + " far from the median of " +
           number_text(p.seconds) + " s; flagged and kept";
  }

  void of_baseline() {
    if (curve_.k0 != 1) {
      add(WarningCode::relative_baseline,
          "no run at K=1: speedup and efficiency are relative to K0=" + std::to_string(curve_.k0) +
              ", which flatters; T(1) is the model's");
    }
    if (a_.times.size() == 1) {
      add(WarningCode::one_k, "only K=" + std::to_string(a_.times[0].k) +
                                  " has a valid run: no speedup, model or knee; add " + next_k());
    }
  }

  std::string next_k() const {
    const std::vector<int> ks = suggest_k(curve_.mode, a_.times, 4);
    std::vector<std::string> words;
    for (const int k : ks) words.push_back("K=" + std::to_string(k));
    return listed(words);
  }

  void of_work() {
    if (!curve_.uneven_work.empty()) add(WarningCode::work_not_constant, curve_.uneven_work);
  }

  void of_repeats() {
    const auto with = [&](std::size_t n) {
      return ks_where(a_.times, [&](const TimesAtK& at) { return at.seconds.size() == n; });
    };
    if (const std::string ks = with(1); !ks.empty()) {
      add(WarningCode::one_repeat,
          "one run at " + ks + ": no interval there, and none of the knee");
    }
    for (std::size_t n = 2; n < kFullLevelRuns; ++n) {
      const std::string ks = with(n);
      if (ks.empty()) continue;
      add(WarningCode::few_repeats,
          "n=" + std::to_string(n) + " at " + ks + ": " +
              (n < kDistributionFree
                   ? "no distribution-free 95% interval exists, Welch's t on logs stands in; "
                   : "") +
              "intervals of knees and parameters are too narrow for 95%");
    }
    const bool repeated = fewest_runs(a_.times) >= 2;
    const bool equal = std::all_of(a_.times.begin(), a_.times.end(), [](const TimesAtK& at) {
      return std::all_of(at.seconds.begin(), at.seconds.end(),
                         [&](double t) { return t == at.seconds.front(); });
    });
    if (repeated && equal) {
      add(WarningCode::equal_times,
          "the repeats at every K take exactly the same time: intervals of width 0 say nothing of "
          "the noise");
    }
  }

  void of_models() {
    if (a_.times.size() > 1 && !a_.models.not_fitted.empty()) {
      std::vector<std::string> names;
      for (const NotFitted& no : a_.models.not_fitted) names.push_back(no.name);
      const std::string& least = a_.models.not_fitted.front().why;
      const std::string& most = a_.models.not_fitted.back().why;
      add(WarningCode::few_points,
          "not fitted: " + listed(names) + "; " + least + (least == most ? "" : "; " + most));
    }
    if (!a_.models.fits.empty()) {
      const ModelFit& best = a_.models.fits.front();
      if (best.lacks_fit()) {
        add(WarningCode::lack_of_fit,
            "no model is adequate: what " + best.name +
                " misses is more than the repeats scatter (p=" + number_text(best.lack_of_fit->p) +
                "); don't extrapolate");
      }
      if (a_.models.fits.size() == 1) {
        add(WarningCode::one_model,
            "only the model " + best.name + " could be fitted: it was not chosen among several");
      }
    }
    if (curve_.mode == Mode::weak) {
      add(WarningCode::weak_no_serial_fraction,
          "a weak curve can't identify the serial fraction: measure strong mode for it");
    }
  }

  void of_knees() {
    if (!a_.knees.agree) add(WarningCode::knees_disagree, a_.knees.agreement);
    if (a_.knees.sawtooth) {
      add(WarningCode::sawtooth,
          "K that are no powers of two are slower than the powers around them: see the knee on the "
          "powers of two alone");
    }
  }

  void of_predictions() {
    for (const RefusedPrediction& one : a_.predictions.refused) {
      if (a_.models.fits.empty()) {
        if (a_.times.size() > 1) add(WarningCode::no_prediction, one.why);
        continue;
      }
      add(WarningCode::extrapolation_refused, one.why);
    }
    for (const Prediction& p : a_.predictions.predictions) {
      if (!p.note.empty()) add(WarningCode::models_differ, p.note);
    }
  }

  void of_decomposition() {
    if (a_.work_depth && a_.times.back().k > a_.work_depth->parallelism) {
      add(WarningCode::beyond_parallelism,
          "K=" + std::to_string(a_.times.back().k) +
              " is more workers than the decomposition keeps busy (" +
              number_text(a_.work_depth->parallelism) + ")");
    }
  }

  const StudyEvidence& evidence_;
  const CurveMembers& members_;
  const Curve& curve_;
  const CurveAnalysis& a_;
  std::vector<Warning> warnings_;
};

}  // namespace

const char* to_string(WarningCode code) {
  constexpr const char* kWords[] = {"no_points",
                                    "no_valid_run",
                                    "one_k",
                                    "invalid_time",
                                    "stand_in",
                                    "mixed_provenance",
                                    "outliers",
                                    "relative_baseline",
                                    "work_not_constant",
                                    "one_repeat",
                                    "few_repeats",
                                    "equal_times",
                                    "fewer_replicates",
                                    "few_points",
                                    "one_model",
                                    "lack_of_fit",
                                    "weak_no_serial_fraction",
                                    "knees_disagree",
                                    "sawtooth",
                                    "no_prediction",
                                    "extrapolation_refused",
                                    "models_differ",
                                    "beyond_parallelism",
                                    "profile_window",
                                    "inconsistent_breakdown",
                                    "superlinear",
                                    "utilisation_refused",
                                    "collective",
                                    "collective_not_fitted",
                                    "bad_node"};
  return kWords[static_cast<int>(code)];
}

std::vector<Warning> curve_warnings(const StudyEvidence& evidence, const CurveMembers& members,
                                    const Curve& curve, const CurveAnalysis& analysis) {
  return Warnings(evidence, members, curve, analysis).all();
}

}  // namespace kneepoint
