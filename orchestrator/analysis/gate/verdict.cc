// SPDX-License-Identifier: Apache-2.0
//
// From what was found to a verdict. What outweighs all times comes last: a failed run, a study that
// is not finished, another environment. And what would make nights conclusive: more of them, more
// repeats, or nothing of the kind. A night's mean over a curve scatters by what its runs do and by
// what the night does to all of them; only the first shrinks with repeats.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "orchestrator/analysis/gate/history.h"
#include "orchestrator/analysis/gate/parts.h"
#include "orchestrator/analysis/statistics/distributions.h"
#include "orchestrator/base/text.h"

namespace kneepoint {
namespace {

// What speaks for slower tonight, and what of it is proven.
struct Case {
  bool suspect = false, proven = false;
  std::string why;
};

Case case_of(const GateAnswer& answer, bool turns) {
  Case found;
  bool nights = false, twice = false, drift = false, drift_twice = false, knee = false;
  for (const auto* list : {&answer.points, &answer.curves}) {
    for (const GateFinding& finding : *list) {
      nights = nights || finding.slower;
      twice = twice || (finding.slower && finding.slower_before);
    }
  }
  for (const Drift& one : answer.drifts) {
    drift = drift || one.drifted;
    drift_twice = drift_twice || (one.drifted && one.drifted_before);
  }
  bool confirmed = std::ranges::any_of(answer.confirmed, &Confirmation::confirmed);
  for (const KneeShift& one : answer.knees) {
    knee = knee || (one.shifted && one.octaves < 0);
    confirmed = confirmed || (one.confirmed && one.octaves < 0);
  }
  found.suspect = nights || drift || knee;
  found.proven = turns ? confirmed : twice || drift_twice;
  found.why = nights  ? "slower than the nights before"
              : drift ? "the last nights are slower than the baseline"
                      : "the knee is at a smaller K than in the nights before";
  if (turns) {
    found.why += found.proven ? ", and than the pinned build in turns"
                              : ", but not than the pinned build in turns";
  } else if (found.proven) {
    found.why += ", as it was the night before";
  } else {
    found.why += "; one night proves nothing yet";
  }
  return found;
}

void answer_without_history(const GateOptions& options, bool turns, GateAnswer& answer) {
  answer.verdict = Verdict::no_baseline;
  answer.why = counted(answer.nights, "night") + " before this one; " +
               std::to_string(options.least_history) + " are needed";
  if (answer.against_baseline.empty()) return;
  const auto slower = std::ranges::count_if(answer.against_baseline, &BaselineRatio::slower);
  answer.why += ". Against the baseline " + std::to_string(slower) + " of " +
                std::to_string(answer.against_baseline.size()) +
                " points took longer, night-to-night variation included";
  const bool proven = std::ranges::any_of(answer.confirmed, &Confirmation::confirmed);
  if (!turns || !proven) return;
  answer.verdict = Verdict::regressed;
  answer.why = "slower than the baseline, and than the pinned build in turns";
}

constexpr int kMostRepeats = 50;

// The largest deviation of `history` nights that is not inconclusive, by the rule of gate().
double deviation_wanted(int history, const GateOptions& options) {
  return std::log1p(options.max_regression) /
         std::log1p(minimal_detectable(1, history, options.curve_alpha)) /
         deviation_at_least(history);
}

// The part of the curve's variance that is of its runs: that of medians of them, over the points.
struct RunPart {
  double variance = 0;
  int repeats = 0;  // fewest of tonight
};

RunPart run_part(const std::vector<GateSeries>& series, const CurveNights& curve) {
  RunPart part;
  for (const std::size_t i : curve.points) {
    const auto runs = static_cast<int>(series[i].runs.size());
    if (runs == 0 || series[i].run_sd <= 0) return {};
    part.variance += std::numbers::pi / 2 * series[i].run_sd * series[i].run_sd / runs;
    part.repeats = part.repeats == 0 ? runs : std::min(part.repeats, runs);
  }
  const auto points = static_cast<double>(curve.points.size());
  part.variance /= points * points;
  return part;
}

std::string nights_text(int nights) {
  return std::to_string(nights) + (nights == 1 ? " more night" : " more nights");
}

GateNeeds needs_of(const std::vector<GateSeries>& series, const CurveNights& curve,
                   const NightTest& test, const GateOptions& options) {
  GateNeeds needs;
  for (int history = test.history + 1; history <= options.most_history; ++history) {
    if (test.sd > deviation_wanted(history, options)) continue;
    needs.nights = history - test.history;
    needs.sentence = nights_text(needs.nights) + " would do";
    return needs;
  }
  const RunPart part = run_part(series, curve);
  const double wanted = deviation_wanted(options.most_history, options);
  const double nightly = std::max(0.0, test.sd * test.sd - part.variance);
  const double left = wanted * wanted - nightly;
  if (part.repeats > 0 && left > 0) {
    const double repeats = std::ceil(part.repeats * part.variance / left);
    if (repeats <= kMostRepeats) {
      needs.repeats = std::max(part.repeats + 1, static_cast<int>(repeats));
      needs.nights = std::max(0, options.most_history - test.history);
      needs.sentence = std::to_string(needs.repeats) + " repeats instead of " +
                       std::to_string(part.repeats) +
                       (needs.nights > 0 ? " and " + nights_text(needs.nights) : "") + " would do";
      return needs;
    }
  }
  needs.sentence =
      "neither more nights nor more repeats would do, since the nights themselves "
      "differ by " +
      format_number("%.1f%%", 100 * std::sqrt(nightly > 0 ? nightly : test.sd * test.sd));
  return needs;
}

}  // namespace

void decide(const GateOptions& options, bool turns, double surely, GateAnswer& answer) {
  const auto any = [&](auto holds) {
    return std::ranges::any_of(answer.points, holds) || std::ranges::any_of(answer.curves, holds);
  };
  if (!any([](const GateFinding& finding) { return !finding.tests.empty(); })) {
    answer_without_history(options, turns, answer);
    return;
  }
  if (const Case found = case_of(answer, turns); found.suspect) {
    answer.verdict = found.proven ? Verdict::regressed : Verdict::suspect;
    answer.why = found.why;
    return;
  }
  if (any([](const GateFinding& finding) { return finding.faster && finding.faster_before; })) {
    answer.verdict = Verdict::improved;
    answer.why = "faster than the nights before, as it was the night before";
    return;
  }
  if (surely > options.max_regression) {
    answer.verdict = Verdict::inconclusive;
    answer.why = "these nights differ so much that a change of a whole curve by less than " +
                 format_number("%.1f%%", 100 * answer.curve_detectable) + " would not be seen; " +
                 format_number("%.1f%%", 100 * options.max_regression) + " should be";
    return;
  }
  answer.verdict = Verdict::pass;
  answer.why = "no point and no curve is slower than the nights before";
}

void add_needs(const std::vector<GateSeries>& series, const std::vector<CurveNights>& curves,
               const GateOptions& options, GateAnswer& answer) {
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const GateFinding& finding = answer.curves[i];
    if (finding.tests.empty() || finding.detectable < answer.curve_detectable) continue;
    answer.needs = needs_of(series, curves[i], finding.tests.front(), options);
    answer.why += "; " + answer.needs->sentence;
    return;
  }
}

void hold_on_to_steps(const GateHistory& history, const GateOptions& options, GateAnswer& answer) {
  if (answer.verdict != Verdict::pass && answer.verdict != Verdict::inconclusive) return;
  for (GateFinding& curve : answer.curves) {
    const std::vector<LevelChange> changes = all_changes(history, curve);
    if (curve.tests.empty() || changes.empty()) continue;
    if (changes.back().ratio < 1 + options.min_effect) continue;
    curve.slower = true;
    answer.verdict = Verdict::regressed;
    answer.why = "slower since " + changes.back().first_after.night + ", and still so";
  }
}

bool is_failed(const std::vector<GateSeries>& series, GateAnswer& answer) {
  std::string names;
  for (const GateSeries& one : series) {
    if (one.failed) names += (names.empty() ? "" : ", ") + one.key;
  }
  if (names.empty()) return false;
  answer.verdict = Verdict::failed;
  answer.why = "a run failed at " + names;
  return true;
}

void judge_study(const GateHistory& history, GateAnswer& answer) {
  if (history.state != "finished") {
    answer.verdict = Verdict::inconclusive;
    answer.why = "the study is " + history.state + ": " + std::to_string(history.runs_to_go) +
                 " of " + counted(history.runs, "run") + " to go";
  } else if (!history.changed.empty()) {
    answer.verdict = Verdict::env_change;
    answer.why = "the environment differs from the night before, so a new segment begins: " +
                 history.changed;
  }
}

}  // namespace kneepoint
