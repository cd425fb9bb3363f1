// SPDX-License-Identifier: Apache-2.0
//
// Names are docs/reference/api.md's and those that deploy/grafana/kneepoint.json draws.
#include "orchestrator/server/dashboard/metrics_text.h"

#include <utility>

#include "orchestrator/base/json_text.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostPoints = 2000;  // of all series together

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
  void family(const char* name, const char* type, const char* help) {
    name_ = name;
    text_ += std::string("# HELP ") + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
  }
  void value(const Labels& labels, double number) {
    text_ += name_ + labels_text(labels) + " " + json_number(number) + "\n";
  }
  std::string take() { return std::move(text_); }

 private:
  std::string name_, text_;
};

template <typename Value>
void write_points(Writer& writer, const MetricValues& values, Value value) {
  std::size_t points = 0;
  for (const SeriesMetrics& one : values.series) {
    for (std::size_t c = 0; c < one.curves->summary.curves.size(); ++c) {
      const Curve& curve = one.curves->summary.curves[c];
      for (const PointSummary& at : curve.points) {
        if (at.valid == 0 || points == kMostPoints) continue;
        ++points;
        value(writer,
              Labels{{"series", one.series.id()},
                     {"curve", one.curves->labels[c]},
                     {"mode", to_string(curve.mode)},
                     {"k", std::to_string(at.point.k)},
                     {"point", at.point.key()}},
              at);
      }
    }
  }
}

}  // namespace

std::string label_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string metrics_text(const MetricValues& values) {
  Writer w;
  w.family("kneepoint_build_info", "gauge", "Always 1; the version is its label.");
  w.value({{"version", KNEEPOINT_VERSION}}, 1);
  w.family("kneepoint_studies", "gauge", "Studies in the database by state.");
  for (const char* state : {"running", "interrupted", "finished", "cancelled"}) {
    const auto found = values.studies.find(state);
    w.value({{"state", state}},
            found == values.studies.end() ? 0 : static_cast<double>(found->second));
  }
  w.family("kneepoint_runs", "gauge", "Runs in the database by outcome.");
  for (const char* outcome : {"open", "succeeded", "failed"}) {
    const auto found = values.runs.find(outcome);
    w.value({{"outcome", outcome}},
            found == values.runs.end() ? 0 : static_cast<double>(found->second));
  }
  w.family("kneepoint_series_studies", "gauge", "Studies of a series.");
  for (const SeriesMetrics& one : values.series) {
    w.value({{"series", one.series.id()}}, one.series.studies);
  }
  w.family("kneepoint_series_running", "gauge",
           "1 while a controller works on the newest study of a series.");
  for (const SeriesMetrics& one : values.series) {
    w.value({{"series", one.series.id()}}, one.is_live ? 1 : 0);
  }
  w.family("kneepoint_series_created_seconds", "gauge",
           "When the newest study of a series was begun, in seconds since 1970.");
  for (const SeriesMetrics& one : values.series) {
    w.value({{"series", one.series.id()}}, to_seconds(one.newest.created_ns));
  }
  w.family("kneepoint_series_runs", "gauge", "Runs of the newest study of a series by outcome.");
  for (const SeriesMetrics& one : values.series) {
    const StudyLine& line = one.newest;
    w.value({{"series", one.series.id()}, {"outcome", "open"}},
            line.runs - line.succeeded - line.failed);
    w.value({{"series", one.series.id()}, {"outcome", "succeeded"}}, line.succeeded);
    w.value({{"series", one.series.id()}, {"outcome", "failed"}}, line.failed);
  }
  w.family("kneepoint_point_seconds", "gauge",
           "Median T of a point in the newest study of its series.");
  write_points(w, values, [](Writer& to, const Labels& labels, const PointSummary& at) {
    to.value(labels, at.seconds);
  });
  w.family("kneepoint_point_efficiency", "gauge",
           "Efficiency of a point in the newest study of its series; by work where that is not "
           "constant per worker.");
  write_points(w, values, [](Writer& to, const Labels& labels, const PointSummary& at) {
    if (at.efficiency > 0) to.value(labels, at.efficiency);
  });
  w.family("kneepoint_point_efficiency_plain", "gauge",
           "Its efficiency by time, whatever the work.");
  write_points(w, values, [](Writer& to, const Labels& labels, const PointSummary& at) {
    if (at.efficiency > 0) to.value(labels, at.efficiency_plain);
  });
  w.family("kneepoint_curve_recommended_k", "gauge",
           "The K to use by the plan's knee rule, of a curve of the newest study of its series.");
  for (const SeriesMetrics& one : values.series) {
    const StudySummary& summary = one.curves->summary;
    for (std::size_t c = 0; c < summary.curves.size(); ++c) {
      if (!summary.to_use[c].k) continue;
      w.value({{"series", one.series.id()},
               {"curve", one.curves->labels[c]},
               {"mode", to_string(summary.curves[c].mode)}},
              *summary.to_use[c].k);
    }
  }
  w.family("kneepoint_series_left_out", "gauge", "Series that this answer has no room for.");
  w.value({}, static_cast<double>(values.series_left_out));
  w.family("kneepoint_http_connections", "gauge", "Open connections of the dashboard.");
  w.value({}, static_cast<double>(values.web.connections));
  w.family("kneepoint_event_streams", "gauge", "Open event streams of the dashboard.");
  w.value({}, static_cast<double>(values.web.streams));
  w.family("kneepoint_http_answers_total", "counter", "Answers of the dashboard by status.");
  for (const auto& [status, count] : values.web.answers) {
    w.value({{"status", std::to_string(status)}}, static_cast<double>(count));
  }
  w.family("kneepoint_wrong_tokens_total", "counter", "Requests with a wrong token.");
  w.value({}, static_cast<double>(values.wrong_tokens));
  return w.take();
}

}  // namespace kneepoint
