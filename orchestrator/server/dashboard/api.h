// SPDX-License-Identifier: Apache-2.0
//
// The objects of the dashboard's API, each described once: the JSON, the OpenAPI document and the
// page's TypeScript types follow from it. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "orchestrator/analysis/statistics/summary.h"
#include "orchestrator/answers/night/series_nights.h"
#include "orchestrator/answers/study/compare.h"
#include "orchestrator/answers/study/explain.h"
#include "orchestrator/base/json_schema.h"
#include "orchestrator/server/http/message.h"
#include "orchestrator/store/dashboard_view.h"

namespace kneepoint {

struct ApiStudy : StudyLine {
  static constexpr const char* kSchema = "Study";
  bool is_live = false;  // a controller holds the lease
  std::string headline;  // as its report has it; "": no K can be said yet

  std::string created() const { return to_utc_text(created_ns); }
  std::string updated() const { return to_utc_text(updated_ns); }
  static constexpr auto fields() {
    using T = ApiStudy;
    return described(
        KP_NAMED(id, name, series),
        about("running, interrupted, finished or cancelled", field("state", &T::state)),
        KP_NAMED(backend, site, created, updated, runs, succeeded, failed),
        about("a controller works on it now", field("running", &T::is_live)),
        field_if_any("headline", &T::headline));
  }
};

struct ApiPoint : PointSummary {
  static constexpr const char* kSchema = "Point";
  static constexpr auto fields() {
    using T = ApiPoint;
    using Known = std::optional<double>;
    const auto end = [](std::optional<Interval> PointSummary::*of, double Interval::*which) {
      return [=](const T& at) { return at.*of ? Known((*(at.*of)).*which) : Known(); };
    };
    const auto efficiency = [](double PointSummary::*which) {
      return [=](const T& at) { return when(at.valid > 0 && at.efficiency > 0, at.*which); };
    };
    return described(
        field("key", [](const T& at) { return at.point.key(); }),
        field("k", [](const T& at) { return at.point.k; }),
        field("planned", [](const T& at) { return at.valid + at.failed + at.pending; }),
        field("done", [](const T& at) { return at.valid + at.failed; }),
        field("failed", &T::failed),
        about("median T",
              field("seconds", [](const T& at) { return when(at.valid > 0, at.seconds); })),
        field("seconds_low", end(&T::seconds_interval, &Interval::low)),
        field("seconds_high", end(&T::seconds_interval, &Interval::high)),
        about("of the interval, 0 to 1: what it really has",
              field("seconds_level", end(&T::seconds_interval, &Interval::level))),
        field("efficiency", efficiency(&T::efficiency)),
        field("efficiency_low", end(&T::efficiency_interval, &Interval::low)),
        field("efficiency_high", end(&T::efficiency_interval, &Interval::high)),
        field("efficiency_level", end(&T::efficiency_interval, &Interval::level)),
        about("work: by the work that the ranks report, which is not constant per worker",
              field("efficiency_basis", &T::efficiency_basis)),
        about("by time, whatever the work",
              field("efficiency_plain", efficiency(&T::efficiency_plain))));
  }
};

struct ApiCurve {
  static constexpr const char* kSchema = "Curve";
  std::string name, workload, case_name;
  Mode mode = Mode::strong;
  double floor = 0;
  std::optional<int> recommended_k;
  std::vector<ApiPoint> points;
  static constexpr auto fields() {
    using T = ApiCurve;
    return described(KP_NAMED(name, workload), field("case", &T::case_name), KP_NAMED(mode, floor),
                     about("by the plan's knee rule, as the report has it; null: not known yet",
                           field("recommended_k", &T::recommended_k)),
                     field("points", &T::points));
  }
};

// Null for an event of the study as a whole.
struct ApiEvent : Event {
  static constexpr const char* kSchema = "Event";
  static constexpr auto fields() {
    using T = ApiEvent;
    return described(field("time", [](const T& event) { return to_utc_text(event.wall_ns); }),
                     field("kind", &T::kind), field_or_null("run", &T::run_number),
                     field("text", &T::text));
  }
};

// What changes only when a run has ended or points were added, and costs time to find out.
struct StudyCurves {
  std::vector<ApiCurve> curves;
  std::string headline;
};

struct StudyDetail {
  static constexpr const char* kSchema = "StudyDetail";
  ApiName schema = {};
  ApiStudy study;
  std::optional<double> seconds_left;
  std::vector<std::string> waiting;  // what queues say
  std::shared_ptr<const StudyCurves> known;
  std::vector<ActiveLine> active;
  std::vector<ApiEvent> events;

  const std::vector<ApiCurve>& curves() const { return known->curves; }
  KP_DESCRIBED(StudyDetail, schema, study, seconds_left, waiting, curves, active, events);
};

// Lists by pages. `next`: where the next one goes on; none: this is the last.
struct StudiesPage {
  static constexpr const char* kSchema = "Studies";
  ApiName schema = {};
  std::vector<ApiStudy> studies;
  std::optional<std::string> next;
  KP_DESCRIBED(StudiesPage, schema, studies, next);
};
struct RunsPage {
  static constexpr const char* kSchema = "Runs";
  ApiName schema = {};
  std::vector<RunLine> runs;
  std::optional<int> next;
  KP_DESCRIBED(RunsPage, schema, runs, next);
};

struct ApiSeries : SeriesLine {
  static constexpr const char* kSchema = "SeriesLine";
  std::optional<std::string> verdict;  // none: not judged yet
  KP_DESCRIBED(ApiSeries, id, name, studies, newest, verdict);
};
struct SeriesList {
  static constexpr const char* kSchema = "SeriesList";
  ApiName schema = {};
  std::vector<ApiSeries> series;
  KP_DESCRIBED(SeriesList, schema, series);
};

struct SeriesDetail : SeriesNights {
  static constexpr const char* kSchema = "Series";
  ApiName schema = {};
  KP_DESCRIBED(SeriesDetail, schema, series, nights, points);
};

struct Health {
  static constexpr const char* kSchema = "Health";
  ApiName schema = {};
  std::string status, version;
  static constexpr auto fields() {
    using T = Health;
    return described(field("schema", &T::schema),
                     about("ok or unavailable", field("status", &T::status)),
                     field("version", &T::version));
  }
};

struct ActionDone {
  static constexpr const char* kSchema = "Done";
  std::string study;  // id
  std::string message;
  ApiName schema = {};
  KP_DESCRIBED(ActionDone, schema, study, message);
};

// The body of POST /api/v1/studies. Names of files only: a path never comes from outside.
struct StartRequest {
  static constexpr const char* kSchema = "Start";
  std::string plan;
  std::string site;
  bool gate = false;
  static constexpr auto fields() {
    using T = StartRequest;
    return described(about("name of a file in the folder of --plans", field("plan", &T::plan)),
                     about("the same; without it as `kneepoint run` without --site",
                           field_if_any("site", &T::site)),
                     about("judge the study against the nights before it when it is over",
                           field_if_any("gate", &T::gate)));
  }
};
Result<StartRequest> read_start_request(std::string_view body);

// components/schemas of the OpenAPI document.
using ApiObjects =
    std::tuple<ErrorDocument, Health, ApiStudy, StudiesPage, ApiPoint, ApiCurve, ActiveLine,
               ApiEvent, StudyDetail, RunLine, RunsPage, AttemptStory, RunStory, ApiSeries,
               SeriesList, SeriesDetail, CompareAnswer, StartRequest, ActionDone>;
std::string api_schemas();

}  // namespace kneepoint
