// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/pack/import_pack.h"

#include <algorithm>
#include <cmath>

#include "orchestrator/base/text.h"
#include "orchestrator/plan/readers.h"
#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {
namespace {

constexpr int kMostWorkers = 100'000'000;
constexpr double kLeastSeconds = 1e-12, kMostSeconds = 1e10;
constexpr double kMostWork = 1e30;
constexpr std::size_t kMostText = 1 << 20;
constexpr double kSameTime = 1e-6;

Error wrong(const std::string& what) {
  return Error{ErrorCode::invalid, what};
}

std::string part_or_empty(const Pack& pack, const char* name) {
  const std::string* bytes = pack.part(name);
  return bytes == nullptr ? "" : *bytes;
}

const std::string* text_of(const Cell& cell) {
  return std::get_if<std::string>(&cell);
}

// How a study came into a database, and whose signature was found, is ours to say.
void drop_foreign_words(RowTable& events) {
  const auto column = [&](const char* name) {
    return std::find(events.columns.begin(), events.columns.end(), name) - events.columns.begin();
  };
  const auto kind = static_cast<std::size_t>(column("kind"));
  const auto text = static_cast<std::size_t>(column("text"));
  if (kind == events.columns.size() || text == events.columns.size()) return;
  std::erase_if(events.rows, [&](const std::vector<Cell>& row) {
    const std::string* of_kind = text_of(row[kind]);
    const std::string* of_text = text_of(row[text]);
    if (of_kind == nullptr || of_text == nullptr) return false;
    return *of_kind == "import" || (*of_kind == "caveat" && of_text->starts_with("pack"));
  });
}

// The book in the pack with the item that its maker went by; nothing where either is missing or
// can't be read.
SitePrice price_of_pack(const Pack& pack, const PackHeader& header) {
  const std::string text = part_or_empty(pack, "prices.yaml");
  if (text.empty() || text.size() > kMostText) return {};
  const PricesRead read = read_prices(text, "prices.yaml");
  if (!read.problems.empty()) return {};
  const PriceItem* item = read.book.find(header.price_item);
  if (item == nullptr && read.book.items.size() == 1) item = &read.book.items.front();
  if (item == nullptr) return {};
  return {"prices.yaml of the pack", item->name, text};
}

bool in_range(double value, double most) {
  return std::isfinite(value) && value >= 0 && value <= most;
}

bool is_shape(const Point& p) {
  const auto count = [](int value, int least) { return value >= least && value <= kMostWorkers; };
  return count(p.k, 1) && count(p.shape.nodes, 1) && count(p.shape.ranks, 1) &&
         count(p.shape.ranks_per_node, 1) && count(p.shape.threads_per_rank, 1) &&
         count(p.shape.gpus_per_node, 0) && count(p.iterations, 1);
}

}  // namespace

Result<PackStudy> study_of_pack(const Pack& pack, const std::string& name) {
  PackStudy out;
  const std::string* header = pack.part(kPackHeader);
  if (header == nullptr) return wrong(std::string("it has no ") + kPackHeader);
  TRY_ASSIGN(out.header, read_header(*header));
  const PackHeader& from = out.header;
  StudyRow& row = out.foreign.row;
  row.name = name.empty() ? from.name : name;
  if (!is_study_name(row.name)) return wrong("pack.json: name: not a study's name");
  if (from.state != "finished" && from.state != "cancelled") {
    return wrong("pack.json: state: expected finished or cancelled");
  }
  const auto worker = parse_worker_unit(from.worker);
  if (!worker) return wrong("pack.json: worker: expected node, rank or gpu");
  if (!(from.knee_floor > 0 && from.knee_floor < 1)) {
    return wrong("pack.json: knee_floor: expected a share between 0 and 1");
  }
  for (const std::string* text : {&from.backend, &from.site, &from.knee_rule, &from.plan_path}) {
    if (text->size() > 4096) return wrong("pack.json: a text is too long");
  }
  row.hash8 = pack.digest.substr(0, 8);  // a series of its own: `run` never goes on with it
  row.state = from.state;
  row.backend = from.backend;
  row.site = from.site;
  row.worker = *worker;
  row.seed = from.seed;
  row.knee_rule = from.knee_rule;
  row.knee_floor = from.knee_floor;
  row.created_ns = from.created_ns;
  row.updated_ns = from.updated_ns;
  row.plan_path = from.plan_path;
  row.plan_text = part_or_empty(pack, "plan.yaml");
  row.site_text = part_or_empty(pack, "site.json");
  if (row.plan_text.size() > kMostText || row.site_text.size() > kMostText) {
    return wrong("its plan or site is larger than 1 MiB");
  }
  row.price = price_of_pack(pack, from);
  for (const TarMember& part : pack.parts) {
    if (!part.name.starts_with("data/")) continue;
    TRY_ASSIGN(RowTable table, read_rows(part.bytes, part.name));
    if (table.name == "events") drop_foreign_words(table);
    out.foreign.tables.push_back(std::move(table));
  }
  return out;
}

std::vector<Caveat> caveats_of_pack(const Pack& pack, const PackHeader& header,
                                    const std::string& file, bool trusted) {
  std::vector<Caveat> caveats = {
      {"pack", "Imported from evidence pack " + file + ", sha256 " + pack.digest + ", " +
                   signature_words(pack, trusted) + ". It was study " + header.study +
                   " there, made by kneepoint " + header.kneepoint + "."}};
  if (const SitePrice price = price_of_pack(pack, header); !price.text.empty()) {
    caveats.push_back({"pack_prices", "Costs go by item " + price.item +
                                          " of the price book in the pack, unless --prices names "
                                          "another."});
  } else if (pack.part("prices.yaml") != nullptr) {
    caveats.push_back({"pack_prices",
                       "The price book in the pack can't be used, or does not say which of its "
                       "items counts: name prices with --prices and --item."});
  }
  if (!header.left_out.empty()) {
    caveats.push_back(
        {"pack_left_out", "Its maker left out " +
                              counted(static_cast<long>(header.left_out.size()), "value") +
                              " of plan and site that may be secret."});
  }
  return caveats;
}

Result<void> check_foreign_evidence(const StudyEvidence& evidence) {
  if (evidence.points.empty()) return wrong("it has no point");
  const bool any = std::any_of(evidence.points.begin(), evidence.points.end(),
                               [](const PointEvidence& point) { return !point.runs.empty(); });
  if (!any) return wrong("it has no run");
  for (const PointEvidence& at : evidence.points) {
    const Point& p = at.point;
    const std::string where = "point K=" + std::to_string(p.k) + ": ";
    if (!is_shape(p)) return wrong(where + "a number of workers, nodes or ranks is not possible");
    for (const double value :
         {p.results, p.size, p.flops, p.bytes, p.parallelism, p.modelled_seconds}) {
      if (!in_range(value, kMostWork)) return wrong(where + "a number is not possible");
    }
    if (!(p.results > 0)) return wrong(where + "it makes no result");
    for (const RunEvidence& run : at.runs) {
      const std::string which = "run " + std::to_string(run.number) + ": ";
      if (!run.finished) return wrong(which + "it is not over");
      if (run.state != AttemptState::succeeded) {
        if (run.attempts > 0 && !is_final(run.state)) return wrong(which + "it is not over");
        continue;
      }
      if (!(run.seconds >= kLeastSeconds) || !in_range(run.seconds, kMostSeconds)) {
        return wrong(which + "its time is not possible");
      }
      for (const double value : {run.work_total, run.work_min, run.work_max, run.compute_seconds,
                                 run.communication_seconds, run.queue_seconds.value_or(0)}) {
        if (!in_range(value, kMostWork)) return wrong(which + "a number is not possible");
      }
    }
    for (const RunDetail& detail : at.details) {
      const std::string which = "run " + std::to_string(detail.number) + ": ";
      for (const double one : detail.iteration_seconds) {
        if (!(one >= kLeastSeconds) || !in_range(one, kMostSeconds)) {
          return wrong(which + "a sample is not possible");
        }
      }
      for (const RankTotal& rank : detail.ranks) {
        if (rank.rank < 0 || rank.compute_ns < 0 || rank.communication_ns < 0 ||
            !in_range(rank.work, kMostWork)) {
          return wrong(which + "a rank's totals are not possible");
        }
      }
      for (const RankProfile& rank : detail.profile) {
        if (rank.rank < 0 || rank.window_ns < 0 || rank.collective_ns < 0 ||
            rank.point_to_point_ns < 0 || rank.wait_ns < 0 || rank.one_sided_ns < 0 ||
            rank.other_ns < 0 || rank.other_threads_ns < 0) {
          return wrong(which + "a rank's profile is not possible");
        }
      }
    }
  }
  return {};
}

TimesCheck check_times(const StudyEvidence& in_detail) {
  TimesCheck check;
  for (const PointEvidence& at : in_detail.points) {
    for (const RunDetail& detail : at.details) {
      const auto extracted = std::find_if(detail.metrics.begin(), detail.metrics.end(),
                                          [](const Metric& m) { return m.name == "time"; });
      const auto run = std::find_if(at.runs.begin(), at.runs.end(), [&](const RunEvidence& one) {
        return one.number == detail.number;
      });
      if (run == at.runs.end()) continue;
      double expected = 0;
      if (extracted != detail.metrics.end()) {
        if (extracted->unit == "s") expected = extracted->value;
      } else if (!detail.iteration_seconds.empty()) {
        for (const double one : detail.iteration_seconds) expected += one;
        expected *= at.point.iterations / static_cast<double>(detail.iteration_seconds.size());
      }
      if (expected <= 0) continue;
      ++check.looked_at;
      if (std::abs(run->seconds / expected - 1) > kSameTime) ++check.differ;
    }
  }
  return check;
}

}  // namespace kneepoint
