// SPDX-License-Identifier: Apache-2.0
//
// kneepoint compare: two or more studies of one plan against each other.
#include <algorithm>
#include <ostream>

#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/prices.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/compare_text.h"
#include "orchestrator/cli/flags.h"
#include "orchestrator/cli/report_options.h"
#include "orchestrator/cli/terminal.h"

namespace kneepoint::cli {
namespace {

constexpr std::size_t kMostStudies = 16;

struct Analysed {
  StudyEvidence evidence;
  StudyAnalysis analysis;
  std::vector<CostCurve> costs;
};

const CostPoint* cost_at(const Analysed& study, const Curve& curve, int k) {
  for (const CostCurve& one : study.costs) {
    if (one.build != curve.build || one.case_name != curve.case_name || one.mode != curve.mode ||
        one.shape_name != curve.shape_name) {
      continue;
    }
    for (const CostPoint& point : one.points) {
      if (point.k == k) return &point;
    }
  }
  return nullptr;
}

std::vector<double> runs_at(const CurveAnalysis& analysis, int k) {
  for (const TimesAtK& at : analysis.times) {
    if (at.k == k) return at.seconds;
  }
  return {};
}

ComparedCost cost_of(const CurveComparison& curve, const Analysed& a, const Analysed& b,
                     const Prices& price_a, const Prices& price_b, bool same_currency) {
  ComparedCost out;
  const auto left = static_cast<std::size_t>(curve.curve_a);
  const auto right = static_cast<std::size_t>(curve.curve_b);
  for (const ComparedPoint& at : curve.points) {
    const CostPoint* here = cost_at(a, a.analysis.summary.curves[left], at.k);
    const CostPoint* there = cost_at(b, b.analysis.summary.curves[right], at.k);
    out.a.push_back(here == nullptr ? std::nullopt : std::optional<CostPoint>(*here));
    out.b.push_back(there == nullptr ? std::nullopt : std::optional<CostPoint>(*there));
    auto& below = out.below.emplace_back();
    if (!at.ratio || here == nullptr || there == nullptr || !same_currency) continue;
    BootstrapOptions bootstrap = analysis_options().bootstrap;
    bootstrap.seed = a.evidence.seed;
    below = break_even_price(
        at.k, price_a.item,
        {here->use, here->results, here->success, runs_at(a.analysis.curves[left], at.k)},
        price_b.item,
        {there->use, there->results, there->success, runs_at(b.analysis.curves[right], at.k)},
        price_a.book.currency, bootstrap);
  }
  const Curve& curve_a = a.analysis.summary.curves[left];
  if (!curve_a.points.empty()) out.result_name = curve_a.points.front().point.result_name;
  return out;
}

void keep_only(const CompareRequest& request, StudyEvidence& evidence) {
  std::erase_if(evidence.points, [&](const PointEvidence& at) {
    return at.point.mode != request.mode.value_or(at.point.mode) ||
           at.point.case_name != request.case_name.value_or(at.point.case_name);
  });
}

Result<Analysed> analysed(StudyStore& store, const CompareRequest& request,
                          const std::string& words, const Prices& price,
                          std::optional<double>& floor) {
  Analysed out;
  TRY_ASSIGN(const StudyRow row, find_study(store, words));
  TRY_ASSIGN(out.evidence, store.evidence(row.row));
  if (!floor) floor = out.evidence.knee_floor;  // A's holds for all
  out.evidence.knee_floor = *floor;
  keep_only(request, out.evidence);
  if (out.evidence.points.empty()) {
    return Error{ErrorCode::not_found, out.evidence.id + " has no such curve"};
  }
  AnalysisOptions options = analysis_options();
  options.bootstrap.seed = out.evidence.seed;
  out.analysis = analyse(out.evidence, options);
  if (!is_relative(out.evidence)) {
    out.costs = cost_curves(out.evidence, out.analysis, price.book, price.item, options.bootstrap);
  }
  return out;
}

Result<int> run_compare(Session& session, const Arguments& arguments) {
  CompareRequest request{.studies = {arguments.text("A")},
                         .prices = arguments.text("--prices"),
                         .items = arguments.text("--item"),
                         .mode = parse_mode(arguments.text("--mode"))};
  for (const std::string& word : arguments.list("B")) request.studies.push_back(word);
  if (arguments.has("--case")) request.case_name = arguments.text("--case");
  if (arguments.has("--floor")) {
    TRY_ASSIGN(request.floor, positive_number("--floor", arguments.text("--floor"), true));
    if (*request.floor >= 1) return wrong_flag("--floor", "expected a share below 1");
  }
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const CompareAnswer answer, compare(*store, request));
  if (!answer.problems.empty()) return report_problems(session, answer.problems);
  session.out << (session.json ? compare_json(answer) + "\n"
                               : compare_text(answer, predict_width(session)));
  const bool any = std::any_of(answer.pairs.begin(), answer.pairs.end(),
                               [](const ComparePair& pair) { return pair.comparison.anything(); });
  return any ? kExitDone : kExitNegative;
}

}  // namespace

Result<CompareAnswer> compare(StudyStore& store, const CompareRequest& request) {
  const std::vector<std::string>& words = request.studies;
  if (words.size() > kMostStudies) {
    return Error{ErrorCode::invalid, "at most " + std::to_string(kMostStudies) + " studies"};
  }
  std::vector<SitePrice> own;
  for (const std::string& word : words) {
    TRY_ASSIGN(const StudyRow row, find_study(store, word));
    own.push_back(row.price);
  }
  TRY_ASSIGN(StudyPrices prices, prices_of_studies(request.prices, request.items, own));
  CompareAnswer answer;
  answer.problems = std::move(prices.problems);
  if (!answer.problems.empty()) return answer;

  answer.priced = prices.known;
  std::optional<double> floor = request.floor;
  std::vector<Analysed> studies;
  for (std::size_t i = 0; i < words.size(); ++i) {
    TRY_ASSIGN(Analysed one, analysed(store, request, words[i], prices.prices[i], floor));
    for (std::size_t j = 0; j < studies.size(); ++j) {
      if (studies[j].evidence.id != one.evidence.id) continue;
      return Error{ErrorCode::invalid, "'" + words[j] + "' and '" + words[i] +
                                           "' are the same study, " + one.evidence.id};
    }
    answer.studies.push_back({one.evidence.id, one.evidence.site, one.evidence.backend,
                              one.evidence.caveats, prices.prices[i].book, prices.prices[i].item});
    studies.push_back(std::move(one));
  }
  answer.floor = *floor;
  for (std::size_t i = 1; i < studies.size(); ++i) {
    ComparePair& pair = answer.pairs.emplace_back();
    pair.other = i;
    pair.comparison = compare_studies({studies[0].evidence, studies[0].analysis},
                                      {studies[i].evidence, studies[i].analysis});
    const std::string& mine = answer.studies[0].book.currency;
    const std::string& theirs = answer.studies[i].book.currency;
    if (mine != theirs) {
      pair.no_money = "the prices are in " + mine + " and " + theirs +
                      ": costs stand side by side, but no break-even price follows";
    }
    for (const CurveComparison& curve : pair.comparison.curves) {
      pair.costs.push_back(cost_of(curve, studies[0], studies[i], prices.prices[0],
                                   prices.prices[i], pair.no_money.empty()));
    }
  }
  return answer;
}

CommandSpec compare_command() {
  return {
      "compare",
      "Compare studies",
      "For every curve that the studies share: T of B over T of A at each K with its interval, "
      "efficiency and knee side by side, what a result costs, and the price below which B is "
      "worth it; then what differs, and what can't be compared and why. Imported tables and "
      "packs compare like any study. Without --prices a node-hour of A stands for money. Exit "
      "code 1 if no time could be compared.",
      {{"A",
        "The study that the others are compared with: id, unique prefix or name",
        true,
        {},
        Completes::studies},
       {"B", "One or more other studies", true, {}, Completes::studies, true}},
      {{"--prices",
        "FILE",
        "Price book; with commas, one for each study (docs/reference/prices.md)",
        {},
        false,
        Completes::files},
       {"--item", "NAME", "Which of its items; with commas, one for each study"},
       {"--floor", "SHARE", "Least efficiency worth paying for (default: A's)"},
       {"--mode", "MODE", "Only this one", {"strong", "weak"}},
       {"--case", "NAME", "Only this case"}},
      {"kneepoint compare old-cluster new-cluster",
       "kneepoint compare ours vendor-a vendor-b --floor 0.8",
       "kneepoint compare ours theirs --prices plans/prices/example.yaml --item c-large,our-own"},
      run_compare};
}

}  // namespace kneepoint::cli
