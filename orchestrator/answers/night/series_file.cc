// SPDX-License-Identifier: Apache-2.0
//
// A series out of the database into an archive and back.
#include <algorithm>
#include <filesystem>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/night/series_archive.h"
#include "orchestrator/answers/pack/export_pack.h"
#include "orchestrator/answers/pack/import_pack.h"
#include "orchestrator/answers/places.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

// Adds what is not in it yet.
void add_once(std::vector<std::string>& list, std::string one) {
  if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(std::move(one));
}

// Plan and site as others may see them.
void redact_study(const Context& context, StudyRow& row, SeriesExport& out,
                  std::vector<std::string>& secrets) {
  const Redacted plan = redact(row.plan_text, row.plan_path);
  const Redacted site = redact(row.site_text, "site");
  for (const auto& [what, redacted] : {std::pair{"plan.", &plan}, std::pair{"site.", &site}}) {
    for (const std::string& key : redacted->left_out) add_once(out.left_out, what + key);
    for (std::string& one : known_secrets(context, *redacted)) add_once(secrets, std::move(one));
  }
  if (!plan.left_out.empty()) row.plan_text = plan.json;
  row.site_text = site.json;
  row.plan_path = fs::path(row.plan_path).filename().string();
  row.work_dir.clear();
}

// Puts a study's rows to those of all.
void add_rows(int n, RowTable& own, RowTable& all) {
  all.name = own.name;
  all.columns = std::move(own.columns);
  all.columns.insert(all.columns.begin(), "study");
  for (std::vector<Cell>& row : own.rows) {
    row.insert(row.begin(), Cell(std::int64_t{n}));
    all.rows.push_back(std::move(row));
  }
}

// The opposite: the next rows of the study, from `at` on.
RowTable take_rows(int n, RowTable& all, std::size_t& at) {
  RowTable own{all.name, {all.columns.begin() + 1, all.columns.end()}, {}};
  for (; at < all.rows.size() && all.rows[at].front() == Cell(std::int64_t{n}); ++at) {
    all.rows[at].erase(all.rows[at].begin());
    own.rows.push_back(std::move(all.rows[at]));
  }
  return own;
}

Result<SeriesArchive> gather_series(const Context& context, StudyStore& store, const StudyRow& of,
                                    SeriesExport& out, std::vector<std::string>& secrets) {
  SeriesArchive archive;
  archive.head = {{kSeriesFormat, KNEEPOINT_VERSION, of.name, of.hash8}};
  const std::string series = archive.series();
  std::vector<std::string> ids;
  TRY_ASSIGN(const auto studies, store.series_studies(of.name, of.hash8));
  for (const SeriesStudy& one : studies) {
    if (one.state != "finished") {
      ++out.unfinished;
      continue;
    }
    ids.push_back(one.id);
    TRY_ASSIGN(archive.rows.emplace_back(), store.find_study(one.id));
    redact_study(context, archive.rows.back(), out, secrets);
    TRY_ASSIGN(std::vector<RowTable> tables, store.study_tables(one.row));
    archive.tables.resize(tables.size());  // every study has the same ones
    for (std::size_t i = 0; i < tables.size(); ++i) add_rows(one.n, tables[i], archive.tables[i]);
  }
  if (ids.empty()) {
    return Error{ErrorCode::conflict, "no study of " + series + " is finished"};
  }
  TRY_ASSIGN(const auto baseline, store.baseline(series));
  if (baseline) {
    archive.baseline = {*baseline};
    archive.builds = baseline->builds;
  }
  TRY_ASSIGN(archive.acknowledged, store.acknowledged(series));
  TRY_ASSIGN(archive.nights, store.imported_nights(series));
  for (std::size_t i = 0; i < archive.nights.size(); ++i) {
    for (const ImportedTime& time : archive.nights[i].times) {
      archive.times.push_back({static_cast<int>(i), time});
    }
  }
  TRY_ASSIGN(const auto calibration, store.calibration(series));
  if (calibration) archive.calibration = {*calibration};
  TRY_ASSIGN(archive.verdicts, store.verdicts(series));
  std::erase_if(archive.verdicts, [&](const StoredVerdict& one) {
    return std::find(ids.begin(), ids.end(), one.study) == ids.end();
  });
  return archive;
}

// Without events: reading back adds some.
bool is_same(const std::vector<RowTable>& here, const std::vector<RowTable>& there) {
  return std::all_of(here.begin(), here.end(), [&](const RowTable& table) {
    const auto other = std::find_if(there.begin(), there.end(),
                                    [&](const RowTable& one) { return one.name == table.name; });
    const bool empty = other == there.end() || other->rows.empty();
    return table.name == "events" || (empty ? table.rows.empty() : *other == table);
  });
}

Result<void> take_study(const Context& context, StudyStore& store, const ForeignStudy& study,
                        SeriesImport& taken) {
  const auto known = store.find_study(study.row.id);
  if (known && known->id == study.row.id) {
    TRY_ASSIGN(const auto tables, store.study_tables(known->row));
    if (!is_same(tables, study.tables)) {
      return Error{ErrorCode::conflict, study.row.id +
                                            " is here already, and not the same; 'delete' it "
                                            "first if the archive's is the right one"};
    }
    ++taken.known;
    return {};
  }
  TRY_ASSIGN(const StudyRow row, store.put_foreign_study(study));
  if (!study.row.price.text.empty()) TRY(store.set_study_price(row.row, study.row.price));
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence_in_detail(row.row));
  if (auto good = check_foreign_evidence(evidence); !good) return good.error().in(row.id);
  TRY(store.put_event(row.row, {context.clock.wall(), "import", taken.origin, 0, 0}));
  taken.studies.push_back(row.id);
  return {};
}

// Each kind of decision only where the series has none of it here.
Result<void> take_decisions(StudyStore& store, SeriesArchive& archive, SeriesImport& taken) {
  TRY_ASSIGN(const auto baseline, store.baseline(taken.series));
  if (!archive.baseline.empty() && baseline) taken.kept.emplace_back("baseline");
  if (!archive.baseline.empty() && !baseline) {
    archive.baseline.back().builds = archive.builds;
    TRY(store.put_baseline(archive.baseline.back()));
  }
  for (const AcknowledgedChange& one : archive.acknowledged) TRY(store.put_acknowledged(one));
  TRY_ASSIGN(const auto nights, store.imported_nights(taken.series));
  for (const TimeOfNight& one : archive.times) {
    archive.nights[static_cast<std::size_t>(one.night)].times.push_back(one.time);
  }
  if (!archive.nights.empty() && !nights.empty()) taken.kept.emplace_back("imported nights");
  if (!archive.nights.empty() && nights.empty()) {
    TRY(store.put_imported_nights({taken.series, taken.file, taken.digest, archive.nights}));
  }
  TRY_ASSIGN(const auto calibration, store.calibration(taken.series));
  if (!archive.calibration.empty() && calibration) taken.kept.emplace_back("calibration");
  if (!archive.calibration.empty() && !calibration) {
    TRY(store.put_calibration(archive.calibration.back()));
  }
  for (const StoredVerdict& one : archive.verdicts) {
    const auto& ours = taken.studies;
    if (std::find(ours.begin(), ours.end(), one.study) != ours.end()) TRY(store.put_verdict(one));
  }
  return {};
}

}  // namespace

Result<SeriesExport> export_series(const Context& context, StudyStore& store, const StudyRow& of,
                                   const std::string& file, const std::string& private_key) {
  SeriesExport out;
  std::vector<std::string> secrets;
  TRY_ASSIGN(const SeriesArchive archive, gather_series(context, store, of, out, secrets));
  const std::vector<TarMember> parts = parts_of(archive);
  TRY(refuse_secrets(parts, secrets));
  auto bytes = write_pack(parts, private_key);
  if (!bytes) return bytes.error().in("--sign-key");
  if (bytes->size() > static_cast<std::size_t>(kMostPackMiB) << 20) {
    return Error{ErrorCode::unsupported,
                 "the archive would be larger than " + std::to_string(kMostPackMiB) +
                     " MiB, more than can be read back; 'prune' thins out old studies"};
  }
  // What is written can be read.
  TRY_ASSIGN(const Pack pack, open_pack(*bytes, std::nullopt));
  TRY(archive_of(pack));
  out.series = archive.series();
  out.file = file.empty() ? out.series + ".kneeseries.tar" : file;
  out.studies = archive.rows.size();
  out.size = bytes->size();
  out.bytes = *std::move(bytes);
  out.digest = pack.digest;
  out.signer = pack.signer;
  return out;
}

Result<SeriesImport> import_series(const Context& context, const Pack& pack,
                                   const std::string& file, bool trusted) {
  const std::string nothing = file + ", nothing was written";
  auto archive = archive_of(pack);
  if (!archive) return archive.error().in(nothing);
  SeriesImport taken{archive->series(), file, pack.digest, pack.signer, {}, {}, 0, {}};
  taken.origin = "Read back from the archive " + file + " of series " + taken.series + ", sha256 " +
                 pack.digest + ", " + signature_words(pack, trusted) + ".";
  TRY_ASSIGN(const auto store, open_database(context, StudyStore::Access::read_write));
  TRY_ASSIGN(const std::string database, database_of(context));
  const std::string root = work_root({}, database, fs::current_path().string());
  TRY_ASSIGN(auto transaction, store->begin());
  std::vector<std::size_t> next(archive->tables.size());  // row of each table
  for (StudyRow& row : archive->rows) {
    ForeignStudy study{std::move(row), {}};
    study.row.work_dir = root + "/" + study.row.id;
    for (std::size_t i = 0; i < next.size(); ++i) {
      study.tables.push_back(take_rows(study.row.n, archive->tables[i], next[i]));
    }
    if (auto put = take_study(context, *store, study, taken); !put) {
      Error error = put.error().in(nothing);
      if (error.code == ErrorCode::corrupt) error.code = ErrorCode::invalid;
      return error;
    }
  }
  if (auto put = take_decisions(*store, *archive, taken); !put) return put.error().in(nothing);
  TRY(transaction->commit());
  return taken;
}

}  // namespace kneepoint
