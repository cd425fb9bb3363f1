// SPDX-License-Identifier: Apache-2.0
//
// Each question is one function over the curves; equal answers are gathered, so that a study of
// many curves stays readable.
#include "orchestrator/report/answers.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/report/text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kNamed = 4;
constexpr std::size_t kShown = 6;
constexpr double kSeen = 5e-5;  // a serial fraction below it is printed as none

void add(Question& question, const std::string& about, bool known, const std::string& text) {
  for (QuestionAnswer& answer : question.answers) {
    if (answer.known != known || answer.text != text) continue;
    if (std::find(answer.about.begin(), answer.about.end(), about) == answer.about.end()) {
      answer.about.push_back(about);
    }
    return;
  }
  question.answers.push_back(
      {about.empty() ? std::vector<std::string>{} : std::vector<std::string>{about}, known, text});
}

std::string k_list(const std::vector<int>& ks) {
  std::vector<std::string> texts;
  for (const int k : ks) texts.push_back(std::to_string(k));
  return "K=" + joined(texts, ", ");
}

bool comparable(const CurveView& view) {
  return view.floor_knee->place != KneePlace::none;
}

// ---- 1

std::string percent_range(const Bounds& bounds) {
  return " (" + percent_text(bounds.low) + " to " + percent_text(bounds.high) + ")";
}

std::string by_model(const CurveView& view, const ModelFit& best) {
  const double s = *best.serial_fraction;
  std::string text = s < kSeen ? "none seen" : percent_text(s);
  const auto& bounds = view.analysis->best_intervals;
  if (bounds && bounds->serial_fraction) text += percent_range(*bounds->serial_fraction);
  text += " by the model " + best.name;
  if (best.ceiling && s >= kSeen) {
    text += ": no speedup above " + significant_text(*best.ceiling, 3);
    if (best.ceiling_reached) text += ", " + percent_text(*best.ceiling_reached) + " of it reached";
  }
  return text;
}

std::string by_karp_flatt(const CurveView& view, const PointSummary& p) {
  std::string text = percent_text(*p.karp_flatt);
  if (const auto bounds = bounds_of(p.karp_flatt_interval)) text += percent_range(*bounds);
  text += " by Karp-Flatt at K=" + std::to_string(p.point.k);
  const auto& waiting = view.analysis->models.not_fitted;
  const auto amdahl = std::find_if(waiting.begin(), waiting.end(), [](const NotFitted& n) {
    return n.terms == (kOne | kInverseK);
  });
  if (amdahl != waiting.end() && !amdahl->add_k.empty()) {
    return text + "; serial work and overhead cannot be separated with these K; add " +
           k_list(amdahl->add_k);
  }
  const Adequacy found = adequacy(view.analysis->models);
  const bool rejected = found == Adequacy::misfit || found == Adequacy::lack_of_fit;
  return text + ", overhead included" + (rejected ? "; no model is adequate" : "");
}

Question serial_fraction(const std::vector<CurveView>& views) {
  Question question{"What is the serial fraction?", {}};
  bool strong = false;
  for (const CurveView& view : views) {
    if (view.curve->mode != Mode::strong) continue;
    strong = true;
    const PointSummary* last = view.largest();
    if (const ModelFit* model = model_of_serial_fraction(view.analysis->models)) {
      add(question, view.label, true, by_model(view, *model));
    } else if (last != nullptr && last->karp_flatt) {
      add(question, view.label, true, by_karp_flatt(view, *last));
    } else {
      add(question, view.label, false, "measure a second K");
    }
  }
  if (!strong) {
    add(question, "", false, "a problem that grows can't show it; measure mode strong");
  }
  return question;
}

// ---- 2

std::string holds_to(const CurveView& view) {
  const std::optional<int> k = view.to_use->k;
  const PointSummary* last = view.largest();
  if (!k) return "nowhere";
  return std::string(last != nullptr && *k == last->point.k ? "up to the largest, K=" : "to K=") +
         std::to_string(*k);
}

// The same case, build, shape and provenance in the other mode.
const CurveView* partner_of(const CurveView& view, const std::vector<CurveView>& views) {
  for (const CurveView& other : views) {
    const Curve &a = *view.curve, &b = *other.curve;
    if (a.mode != b.mode && a.is_same_case(b) && comparable(other)) return &other;
  }
  return nullptr;
}

std::string both_modes(const CurveView& strong, const CurveView& weak) {
  const std::optional<int> fixed = strong.to_use->k, grown = weak.to_use->k;
  const int a = fixed.value_or(0), b = grown.value_or(0);
  if (a == b) {
    return "measured both ways: strong and weak scaling both pay " + holds_to(strong);
  }
  return "measured both ways: strong scaling pays " + holds_to(strong) + ", weak scaling " +
         holds_to(weak) +
         (b > a ? "; growing the problem is the way to use more workers"
                : "; growing the problem does not help");
}

Question growth(const std::vector<CurveView>& views) {
  Question question{"Does the problem grow with the cluster?", {}};
  for (const CurveView& view : views) {
    const CurveView* partner = partner_of(view, views);
    const bool strong = view.curve->mode == Mode::strong;
    std::string name = view.label;  // without the mode
    name.erase(plain(view.curve->case_name).size(), strong ? 7 : 5);
    if (partner != nullptr && comparable(view)) {
      if (strong) add(question, name, true, both_modes(view, *partner));
    } else if (comparable(view) && strong) {
      add(question, name, false,
          "only a fixed problem was measured; if yours grows, measure mode weak");
    } else if (comparable(view)) {
      add(question, name, false,
          "only a problem that grows was measured; if yours is fixed, measure mode strong");
    }
  }
  if (question.answers.empty()) add(question, "", false, "measure two K or more in both modes");
  return question;
}

// ---- 3

Question bound(const StudyAnalysis& analysis, const std::vector<CurveView>& views) {
  Question question{"Is it compute or memory bound?", {}};
  for (const CurveView& view : views) {
    const CurveAnalysis& found = *view.analysis;
    const PointDetail* last = nullptr;
    int k = 0;
    for (std::size_t i = 0; i < found.points.size(); ++i) {
      if (!found.points[i].roofline) continue;
      last = &found.points[i];
      k = view.curve->points[i].point.k;
    }
    if (last != nullptr) {
      const RooflinePoint& r = *last->roofline;
      std::string text = std::string(to_string(r.bound)) + " bound at K=" + std::to_string(k) +
                         ": " + significant_text(r.intensity, 2) +
                         " flops per byte, the limits meet at " + significant_text(r.ridge, 2);
      if (found.cores_until_memory_bound) {
        text += "; the node's memory is the limit from " +
                count_text(std::ceil(*found.cores_until_memory_bound)) + " cores on";
      }
      add(question, view.label, true, text);
    } else if (view.curve->emulated) {
      add(question, view.label, false, "the ranks sleep; measure a real workload");
    } else if (found.intensity) {
      add(question, view.label, false,
          significant_text(*found.intensity, 2) +
              " flops per byte; measure the machine's peak and bandwidth to compare");
    } else {
      add(question, view.label, false,
          "flops and bytes of this program are not stated; measure one of the catalog");
    }
  }
  if (views.empty() || analysis.curves.empty()) add(question, "", false, "measure any K");
  return question;
}

// ---- 4

Question collectives(const StudyAnalysis& analysis, const std::vector<CurveView>& views) {
  Question question{"What do the collectives cost?", {}};
  for (const CurveView& view : views) {
    const PointSummary* last = view.largest();
    if (last == nullptr || last->baseline) {
      add(question, view.label, false, "measure a second K");
      continue;
    }
    if (last->communication_share <= 0 && last->compute_share <= 0) {
      add(question, view.label, false,
          "the ranks reported no split of their time; measure a program that does");
      continue;
    }
    const auto at = static_cast<std::size_t>(last - view.curve->points.data());
    std::string text = percent_text(last->communication_share) +
                       " of T is communication at K=" + std::to_string(last->point.k);
    const auto& points = view.analysis->points;
    if (at < points.size() && points[at].comm_ratio_efficiency) {
      text += "; with no other loss, efficiency would be " +
              fixed_text(*points[at].comm_ratio_efficiency, 2);
    }
    add(question, view.label, true, text);
  }
  for (const CollectiveAnswer& answer : analysis.collectives) {
    if (answer.predictions.empty()) continue;
    add(question, plain(answer.case_name), true, answer.predictions.back().sentence);
  }
  if (question.answers.empty()) add(question, "", false, "measure the workload allreduce");
  return question;
}

// ---- 5

Question money(const std::vector<CurveView>& views) {
  Question question{"Does the efficiency justify the money?", {}};
  for (const CurveView& view : views) {
    const PointSummary* last = view.largest();
    const std::optional<int> k = view.to_use->k;
    if (!comparable(view) || last == nullptr || !k) {
      add(question, view.label, false, "measure a second K");
      continue;
    }
    const std::string base = std::to_string(view.curve->k0);
    std::string text;
    for (const PointSummary& p : view.curve->points) {
      const bool named = p.point.k == *k || &p == last;
      if (!named || p.baseline || p.valid == 0) continue;
      const std::string cost = change_text(1 / p.efficiency);
      const std::string at = "at K=" + std::to_string(p.point.k);
      text += text.empty() ? at + " each result takes " + cost + " worker-hours than at K=" + base
                           : ", " + at + " " + cost;
    }
    add(question, view.label, true,
        text + "; by the plan's rule it pays up to K=" + std::to_string(*k));
  }
  add(question, "", false,
      "prices; name them with --prices or in the site; worker-hours stand for money");
  question.answers.back().needs_prices = true;
  return question;
}

}  // namespace

std::vector<Question> questions_of(const StudyAnalysis& analysis,
                                   const std::vector<CurveView>& views) {
  return {serial_fraction(views), growth(views), bound(analysis, views),
          collectives(analysis, views), money(views)};
}

void answer_prices(const std::string& currency, std::vector<Question>& questions) {
  for (Question& question : questions) {
    for (QuestionAnswer& answer : question.answers) {
      if (!answer.needs_prices) continue;
      answer.known = true;
      answer.text = "what that is in " + currency + " stands under 'What it costs'";
    }
  }
}

std::string to_line(const QuestionAnswer& answer) {
  std::vector<std::string> names = answer.about;
  if (names.size() > kNamed) {
    const std::size_t more = names.size() - kNamed;
    names.resize(kNamed);
    names.push_back(std::to_string(more) + " more");
  }
  return (names.empty() ? "" : joined(names, ", ") + ": ") + (answer.known ? "" : "not known: ") +
         answer.text;
}

std::vector<std::string> to_lines(const Question& question) {
  std::vector<std::string> lines;
  for (const QuestionAnswer& answer : question.answers) {
    if (lines.size() == kShown) {
      lines.push_back("and " + std::to_string(question.answers.size() - kShown) +
                      " more answers; --json has them all");
      break;
    }
    lines.push_back(to_line(answer));
  }
  return lines;
}

}  // namespace kneepoint
