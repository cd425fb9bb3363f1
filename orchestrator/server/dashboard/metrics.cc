// SPDX-License-Identifier: Apache-2.0
//
// Names are docs/reference/api.md's and those that deploy/grafana/kneepoint.json draws.
#include "orchestrator/server/dashboard/metrics.h"

#include <utility>

#include "orchestrator/base/json_text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostPoints = 2000;  // of all series together
constexpr int kMostMetricSeries = 1000;
constexpr std::size_t kMostShown = 50;
constexpr Nanoseconds kKept = 5 * kSecond;

using Labels = std::vector<std::pair<const char*, std::string>>;

std::string labels_text(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += (text.empty() ? "" : ",") + std::string(name) + "=\"" + label_text(value) + "\"";
  }
  return text.empty() ? "" : "{" + text + "}";
}

class Writer {
 public:
  explicit Writer(const MetricValues& values) : values_(values) {}

  void family(const char* name, const char* help, const char* type = "gauge") {
    name_ = name;
    text_ += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
  }
  void value(const Labels& labels, double number) {
    text_ += name_ + labels_text(labels) + " " + json_number(number) + "\n";
  }
  template <typename Number>
  void single(const char* name, const char* help, Number number, const char* type = "gauge") {
    family(name, help, type);
    value({}, static_cast<double>(number));
  }
  // Words that nothing was counted of have 0.
  void counts(const char* name, const char* help, const char* label,
              std::initializer_list<const char*> words,
              const std::map<std::string, std::int64_t>& counts) {
    family(name, help);
    for (const char* word : words) {
      const auto found = counts.find(word);
      value({{label, word}}, found == counts.end() ? 0 : static_cast<double>(found->second));
    }
  }
  template <typename Of>
  void per_series(const char* name, const char* help, Of of) {
    family(name, help);
    for (const SeriesMetrics& one : values_.series) {
      value({{"series", one.series.id()}}, static_cast<double>(of(one)));
    }
  }
  // `of`: 0: not known of this point.
  void per_point(const char* name, const char* help, double PointSummary::*of,
                 double PointSummary::*known) {
    family(name, help);
    std::size_t points = 0;
    for (const SeriesMetrics& one : values_.series) {
      for (const ApiCurve& curve : one.curves->curves) {
        for (const PointSummary& at : curve.points) {
          if (at.valid == 0 || points == kMostPoints) continue;
          ++points;
          if (!(at.*known > 0)) continue;
          value({{"series", one.series.id()},
                 {"curve", curve.name},
                 {"mode", to_string(curve.mode)},
                 {"k", std::to_string(at.point.k)},
                 {"point", at.point.key()}},
                at.*of);
        }
      }
    }
  }
  std::string take() { return std::move(text_); }

 private:
  const MetricValues& values_;
  std::string name_, text_;
};

}  // namespace

std::string label_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    c == '\n' ? out += "\\n" : out += c;
  }
  return out;
}

std::string metrics_text(const MetricValues& values) {
  Writer w(values);
  w.family("kneepoint_build_info", "Always 1; the version is its label.");
  w.value({{"version", KNEEPOINT_VERSION}}, 1);
  w.counts("kneepoint_studies", "Studies in the database by state.", "state",
           {"running", "interrupted", "finished", "cancelled"}, values.studies);
  w.counts("kneepoint_runs", "Runs in the database by outcome.", "outcome",
           {"open", "succeeded", "failed"}, values.runs);
  w.per_series("kneepoint_series_studies", "Studies of a series.",
               [](const SeriesMetrics& one) { return one.series.studies; });
  w.per_series("kneepoint_series_running",
               "1 while a controller works on the newest study of a series.",
               [](const SeriesMetrics& one) { return one.is_live ? 1 : 0; });
  w.per_series("kneepoint_series_created_seconds",
               "When the newest study of a series was begun, in seconds since 1970.",
               [](const SeriesMetrics& one) { return to_seconds(one.newest.created_ns); });
  w.family("kneepoint_series_runs", "Runs of the newest study of a series by outcome.");
  for (const SeriesMetrics& one : values.series) {
    const StudyLine& line = one.newest;
    const std::pair<const char*, int> counts[] = {
        {"open", line.runs - line.succeeded - line.failed},
        {"succeeded", line.succeeded},
        {"failed", line.failed}};
    for (const auto& [outcome, count] : counts) {
      w.value({{"series", one.series.id()}, {"outcome", outcome}}, count);
    }
  }
  w.per_point("kneepoint_point_seconds", "Median T of a point in the newest study of its series.",
              &PointSummary::seconds, &PointSummary::seconds);
  w.per_point("kneepoint_point_efficiency",
              "Efficiency of a point in the newest study of its series; by work where that is not "
              "constant per worker.",
              &PointSummary::efficiency, &PointSummary::efficiency);
  w.per_point("kneepoint_point_efficiency_plain", "Its efficiency by time, whatever the work.",
              &PointSummary::efficiency_plain, &PointSummary::efficiency);
  w.family("kneepoint_curve_recommended_k",
           "The K to use by the plan's knee rule, of a curve of the newest study of its series.");
  for (const SeriesMetrics& one : values.series) {
    for (const ApiCurve& curve : one.curves->curves) {
      if (!curve.recommended_k) continue;
      w.value({{"series", one.series.id()}, {"curve", curve.name}, {"mode", to_string(curve.mode)}},
              *curve.recommended_k);
    }
  }
  w.single("kneepoint_series_left_out", "Series that this answer has no room for.",
           values.series_left_out);
  w.single("kneepoint_http_connections", "Open connections of the dashboard.",
           values.web.connections);
  w.single("kneepoint_event_streams", "Open event streams of the dashboard.", values.web.streams);
  w.family("kneepoint_http_answers_total", "Answers of the dashboard by status.", "counter");
  for (const auto& [status, count] : values.web.answers) {
    w.value({{"status", std::to_string(status)}}, static_cast<double>(count));
  }
  w.single("kneepoint_wrong_tokens_total", "Requests with a wrong token.", values.wrong_tokens,
           "counter");
  return w.take();
}

Result<void> Metrics::read() {
  if (!view_) {
    TRY_ASSIGN(DashboardView view, DashboardView::open(database_));
    view_.emplace(std::move(view));
  }
  MetricValues values;
  TRY_ASSIGN(values.studies, view_->studies_by_state());
  TRY_ASSIGN(values.runs, view_->runs_by_outcome());
  TRY_ASSIGN(const std::vector<SeriesLine> series, view_->series(kMostMetricSeries));
  for (const SeriesLine& one : series) {
    if (values.series.size() == kMostShown) {
      ++values.series_left_out;
      continue;
    }
    const auto line = view_->study(one.newest);
    const auto curves = watch_.curves(one.newest);
    if (!line || !curves) continue;  // deleted meanwhile
    values.series.push_back({one, *line, line->lease && hooks_.is_live(*line->lease), *curves});
  }
  values_ = std::move(values);
  until_ = clock_.steady() + kKept;
  return {};
}

Result<std::string> Metrics::text(const WebStats& web, std::uint64_t wrong_tokens) {
  const std::lock_guard lock(mutex_);
  if (!values_ || clock_.steady() >= until_) TRY(read());
  values_->web = web;
  values_->wrong_tokens = wrong_tokens;
  return metrics_text(*values_);
}

}  // namespace kneepoint
