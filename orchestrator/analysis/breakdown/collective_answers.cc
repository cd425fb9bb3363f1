// SPDX-License-Identifier: Apache-2.0
//
// A run sweeps over message sizes. With its metrics alpha and beta the smallest and the largest
// size are two rows; without them its T is one row, at the mean size: every cost is linear in it.
#include "orchestrator/analysis/parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "orchestrator/analysis/breakdown/roofline.h"
#include "orchestrator/analysis/curves.h"

namespace kneepoint {
namespace {

constexpr double kSmallest = 8;                             // bytes: one double
constexpr double kDefaultFactor = 4, kDefaultRepeats = 20;  // as in the catalog
constexpr double kDefaultWidth = 256, kDefaultLayers = 3, kFloat = 4;

// One of our workloads, by its program: a plan may call it anything.
bool is_workload(const Point& point, const std::string& name) {
  if (point.workload == name) return true;
  return std::any_of(
      point.command.argv.begin(), point.command.argv.end(), [&](const std::string& word) {
        const std::size_t slash = word.rfind('/');
        return word.substr(slash == std::string::npos ? 0 : slash + 1) == "kp-" + name;
      });
}

double parameter(const Point& point, const char* name, double fallback) {
  for (const Parameter& p : point.parameters) {
    if (p.name != name) continue;
    const auto value = number_fact({Fact{"", name, p.value}}, name);
    return value.value_or(0) > 0 ? *value : fallback;
  }
  return fallback;
}

// The sizes of the sweep, smallest first.
std::vector<double> sweep(const Point& point) {
  const double factor = std::max(2.0, std::floor(parameter(point, "factor", kDefaultFactor)));
  std::vector<double> sizes;
  for (double bytes = std::floor(point.size); bytes >= kSmallest;
       bytes = std::floor(bytes / factor)) {
    const double whole = std::floor(bytes / 8) * 8;
    if (sizes.empty() || whole < sizes.back()) sizes.push_back(whole);
  }
  std::reverse(sizes.begin(), sizes.end());
  return sizes;
}

void add_rows(const PointEvidence& point, const RunEvidence& run, std::vector<AllreduceRow>& rows) {
  const std::vector<double> sizes = sweep(point.point);
  if (sizes.empty()) return;
  const double k = point.point.shape.ranks;
  const RunDetail* detail = detail_of(point, run);
  if (detail != nullptr) {
    const auto alpha = metric_value(detail->metrics, "alpha");
    const auto beta = metric_value(detail->metrics, "beta");
    if (alpha && beta && *alpha + *beta * sizes.front() > 0 && *beta >= 0) {
      rows.push_back({sizes.front(), k, *alpha + *beta * sizes.front()});
      if (sizes.size() > 1) rows.push_back({sizes.back(), k, *alpha + *beta * sizes.back()});
      return;
    }
  }
  double bytes = 0;
  for (const double size : sizes) bytes += size;
  const auto count = static_cast<double>(sizes.size());
  const double all = count * parameter(point.point, "repeats", kDefaultRepeats);
  rows.push_back({bytes / count, k, run.seconds / point.point.iterations / all});
}

struct Series {
  std::string build, case_name;
  std::vector<AllreduceRow> rows;
};

std::vector<Series> series_of(const StudyEvidence& evidence) {
  using Key = std::tuple<std::string, std::string, std::string>;
  std::vector<Key> order;
  std::map<Key, Series> found;
  for (const PointEvidence& point : evidence.points) {
    if (!is_workload(point.point, "allreduce") || !(point.point.size > 0)) continue;
    for (const RunEvidence& run : point.runs) {
      if (!counts(run)) continue;
      const Key key{point.point.build, point.point.case_name, run.provenance};
      const auto [series, fresh] =
          found.try_emplace(key, Series{point.point.build, point.point.case_name, {}});
      if (fresh) order.push_back(key);
      add_rows(point, run, series->second.rows);
    }
  }
  std::vector<Series> all;
  all.reserve(order.size());
  for (const Key& key : order) all.push_back(std::move(found[key]));
  return all;
}

// What the training steps of this study reduce, by case: the weights and biases of every layer.
std::map<std::string, double> gradients(const StudyEvidence& evidence) {
  std::map<std::string, double> bytes;
  for (const PointEvidence& p : evidence.points) {
    if (!is_workload(p.point, "data_parallel")) continue;
    const double width = parameter(p.point, "width", kDefaultWidth);
    bytes[p.point.case_name] =
        kFloat * parameter(p.point, "layers", kDefaultLayers) * (width * width + width);
  }
  return bytes;
}

void predict(const std::vector<AllreduceRow>& rows, const std::map<std::string, double>& gradient,
             CollectiveAnswer& answer) {
  std::set<double> sizes;
  double largest = 1;
  for (const AllreduceRow& row : rows) {
    sizes.insert(row.bytes);
    largest = std::max(largest, row.k);
  }
  // The ends and the middle stand for a long list.
  std::vector<double> asked(sizes.begin(), sizes.end());
  if (asked.size() > 3) asked = {asked.front(), asked[asked.size() / 2], asked.back()};
  for (const double bytes : asked) {
    for (const double k : {2 * largest, 4 * largest}) {
      Result<AllreducePrediction> p = predict_allreduce(answer.model, rows, bytes, k);
      if (p) answer.predictions.push_back(std::move(*p));
    }
  }
  for (const auto& [name, bytes] : gradient) {
    for (const double k : {largest, 2 * largest, 4 * largest}) {
      Result<AllreducePrediction> p = predict_allreduce(answer.model, rows, bytes, k);
      if (!p) continue;
      p->sentence = "gradient of " + name + ": " + p->sentence;
      answer.predictions.push_back(std::move(*p));
    }
  }
}

}  // namespace

std::vector<CollectiveAnswer> collective_answers(const StudyEvidence& evidence,
                                                 std::vector<Warning>& warnings) {
  std::vector<CollectiveAnswer> answers;
  for (const Series& series : series_of(evidence)) {
    Result<AllreduceModel> model = fit_allreduce(series.rows);
    if (!model) {
      warnings.push_back(
          {WarningCode::collective_not_fitted, series.case_name + ": " + model.error().message});
      continue;
    }
    CollectiveAnswer answer{
        .build = series.build, .case_name = series.case_name, .model = std::move(*model)};
    predict(series.rows, gradients(evidence), answer);
    for (const std::string& note : answer.model.notes) {
      warnings.push_back({WarningCode::collective, series.case_name + ": " + note});
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace kneepoint
