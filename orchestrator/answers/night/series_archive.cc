// SPDX-License-Identifier: Apache-2.0
//
// A series out of the database into an archive and back. The rows are the store's: here they only
// get the number of their study, and are refused where they have none.
#include "orchestrator/answers/night/series_archive.h"

#include <algorithm>
#include <filesystem>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/pack/export_pack.h"
#include "orchestrator/answers/pack/import_pack.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/plan/tables/reader.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr char kSeriesPart[] = "data/series.ndjson";
constexpr std::size_t kMostArchiveText = 1 << 20;
constexpr std::size_t kOwnColumns = 4;  // of a study's row, that every database has its own of

Error wrong_row(const std::string& table, const std::string& what) {
  return Error{ErrorCode::invalid, "data/" + table + ".ndjson: " + what};
}

std::vector<std::string> study_columns() {
  const std::vector<std::string> all = names_of_columns<StudyRow>();
  return {all.begin() + kOwnColumns, all.end()};
}

RowTable table_of_studies(const SeriesArchive& archive) {
  RowTable table{"studies", study_columns(), {}};
  for (const StudyRow& study : archive.studies) {
    std::vector<Cell>& row = table.rows.emplace_back();
    each_value(study, [&](const auto& value) { row.push_back(to_cell(value)); });
    row.erase(row.begin(), row.begin() + kOwnColumns);
  }
  return table;
}

Result<void> read_studies(const RowTable& table, SeriesArchive& archive) {
  if (table.columns != study_columns()) return wrong_row("studies", "other columns than it has");
  int before = 0;
  for (const std::vector<Cell>& row : table.rows) {
    StudyRow& study = archive.studies.emplace_back();
    std::vector<Cell> cells(kOwnColumns, Cell(std::string()));
    cells.insert(cells.end(), row.begin(), row.end());
    auto cell = cells.begin();
    bool good = true;
    each_value(study, [&](auto& value) { good = from_cell(*cell++, value) && good; });
    good = good && study.n > before && study.state == "finished" && study.knee_floor > 0 &&
           study.knee_floor < 1 && study.plan_text.size() <= kMostArchiveText &&
           study.site_text.size() <= kMostArchiveText;
    if (!good) return wrong_row("studies", "study " + std::to_string(study.n) + " is none");
    before = study.n;
    study.name = archive.name;
    study.hash8 = archive.hash8;
    study.id = archive.series() + "-" + std::to_string(study.n);
  }
  if (archive.studies.empty()) return wrong_row("studies", "there is none");
  return {};
}

Result<void> read_head(const RowTable& table, SeriesArchive& archive) {
  std::string format;
  const bool good =
      table.columns == std::vector<std::string>{"format", "kneepoint", "name", "hash8"} &&
      table.rows.size() == 1 && from_cell(table.rows[0][0], format) &&
      from_cell(table.rows[0][1], archive.kneepoint) && from_cell(table.rows[0][2], archive.name) &&
      from_cell(table.rows[0][3], archive.hash8);
  if (!good) return wrong_row("series", "expected one row, of format, kneepoint, name and hash8");
  if (format != kSeriesFormat) {
    return wrong_row("series", "its format is not " + std::string(kSeriesFormat));
  }
  const bool is_hash = archive.hash8.size() == 8 &&
                       archive.hash8.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_study_name(archive.name) || !is_hash) return wrong_row("series", "its name is none");
  return {};
}

// Is every row of a study that is there, in their order?
Result<void> check_rows(const RowTable& table, const std::vector<StudyRow>& studies) {
  if (table.columns.empty() || table.columns.front() != "study") {
    return wrong_row(table.name, "its first column is not the study");
  }
  std::size_t at = 0;
  for (const std::vector<Cell>& row : table.rows) {
    while (at < studies.size() && row.front() != to_cell(studies[at].n)) ++at;
    if (at < studies.size()) continue;
    return wrong_row(table.name, "a row is of no study, or not in the order of studies");
  }
  return {};
}

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
  SeriesArchive archive{KNEEPOINT_VERSION, of.name, of.hash8, {}, {}, {}};
  TRY_ASSIGN(const auto studies, store.series_studies(of.name, of.hash8));
  for (const SeriesStudy& one : studies) {
    if (one.state != "finished") {
      ++out.unfinished;
      continue;
    }
    TRY_ASSIGN(archive.studies.emplace_back(), store.find_study(one.id));
    redact_study(context, archive.studies.back(), out, secrets);
    TRY_ASSIGN(std::vector<RowTable> tables, store.study_tables(one.row));
    archive.tables.resize(tables.size());  // every study has the same ones
    for (std::size_t i = 0; i < tables.size(); ++i) add_rows(one.n, tables[i], archive.tables[i]);
  }
  if (archive.studies.empty()) {
    return Error{ErrorCode::conflict, "no study of " + archive.series() + " is finished"};
  }
  TRY_ASSIGN(archive.decisions, store.series_tables(archive.series()));
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

Result<void> take_study(const Clock& clock, StudyStore& store, const ForeignStudy& study,
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
  TRY_ASSIGN(const StudyEvidence evidence, store.evidence_in_detail(row.row));
  if (auto good = check_foreign_evidence(evidence); !good) return good.error().in(row.id);
  TRY(store.put_event(row.row, {clock.wall(), "import", taken.origin, 0, 0}));
  taken.studies.push_back(row.id);
  return {};
}

// A decision that a series may have here already, which then stays; with it the rows that belong
// to it.
struct Standing {
  const char* table;
  const char* part;  // "": nothing
  const char* what;
};
constexpr Standing kStanding[] = {{"baseline", "pinned_builds", "baseline"},
                                  {"imported_nights", "imported_times", "imported nights"},
                                  {"calibrations", "", "calibration"}};

Result<void> take_decisions(StudyStore& store, SeriesArchive& archive, SeriesImport& taken) {
  TRY_ASSIGN(std::vector<RowTable> here, store.series_tables(taken.series));
  const auto rows = [](std::vector<RowTable>& tables, std::string_view name) {
    const auto found = std::ranges::find(tables, name, &RowTable::name);
    static std::vector<std::vector<Cell>> none;
    return found == tables.end() ? &none : &found->rows;
  };
  for (const Standing& one : kStanding) {
    auto* own = rows(archive.decisions, one.table);
    auto* part = rows(archive.decisions, one.part);
    if (own->empty() && !part->empty()) {
      return wrong_row(one.part, std::string("there is no ") + one.what);
    }
    if (own->empty() || rows(here, one.table)->empty()) continue;
    taken.kept.emplace_back(one.what);
    own->clear();
    part->clear();
  }
  std::erase_if(*rows(archive.decisions, "verdicts"), [&](const std::vector<Cell>& row) {
    const auto* study = row.empty() ? nullptr : std::get_if<std::string>(&row.front());
    return study == nullptr || std::ranges::find(taken.studies, *study) == taken.studies.end();
  });
  for (const RowTable& table : archive.decisions) {
    TRY(store.put_series_table(taken.series, table, taken.file, taken.digest));
  }
  return {};
}

// All of it, in a transaction of the caller.
Result<void> take_series(const Clock& clock, StudyStore& store, SeriesArchive archive,
                         const std::string& root, SeriesImport& taken) {
  std::vector<std::size_t> next(archive.tables.size());  // row of each table
  for (StudyRow& row : archive.studies) {
    ForeignStudy study{std::move(row), {}};
    study.row.work_dir = root + "/" + study.row.id;
    for (std::size_t i = 0; i < next.size(); ++i) {
      study.tables.push_back(take_rows(study.row.n, archive.tables[i], next[i]));
    }
    TRY(take_study(clock, store, study, taken));
  }
  return take_decisions(store, archive, taken);
}

}  // namespace

std::vector<TarMember> parts_of(const SeriesArchive& archive) {
  std::vector<RowTable> all = {{"series",
                                {"format", "kneepoint", "name", "hash8"},
                                {{kSeriesFormat, archive.kneepoint, archive.name, archive.hash8}}},
                               table_of_studies(archive)};
  all.insert(all.end(), archive.tables.begin(), archive.tables.end());
  all.insert(all.end(), archive.decisions.begin(), archive.decisions.end());
  std::vector<TarMember> parts;
  for (const RowTable& table : all) parts.push_back({part_name_of(table), write_rows(table)});
  return parts;
}

bool is_series_archive(const Pack& pack) {
  return pack.part(kSeriesPart) != nullptr;
}

Result<SeriesArchive> archive_of(const Pack& pack) {
  std::vector<RowTable> all;
  for (const TarMember& part : pack.parts) {
    TRY_ASSIGN(all.emplace_back(), read_rows(part.bytes, part.name));
  }
  if (all.size() < 2 || all[0].name != "series" || all[1].name != "studies") {
    return wrong_row("studies", "series and studies must come first");
  }
  SeriesArchive archive;
  TRY(read_head(all[0], archive));
  TRY(read_studies(all[1], archive));
  for (auto table = all.begin() + 2; table != all.end(); ++table) {
    const bool decided = is_series_table(table->name);
    if (!decided) TRY(check_rows(*table, archive.studies));
    (decided ? archive.decisions : archive.tables).push_back(std::move(*table));
  }
  return archive;
}

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
  out.studies = archive.studies.size();
  out.size = bytes->size();
  out.bytes = *std::move(bytes);
  out.digest = pack.digest;
  out.signer = pack.signer;
  return out;
}

Result<std::string> try_import_series(const Pack& pack) {
  const Clock& clock = system_clock();
  TRY_ASSIGN(const auto store, StudyStore::open(":memory:", StudyStore::Access::read_write, clock));
  TRY_ASSIGN(SeriesArchive archive, archive_of(pack));
  SeriesImport taken;
  taken.series = archive.series();
  TRY(take_series(clock, *store, std::move(archive), "", taken));
  return taken.series;
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
  if (auto put = take_series(context.clock, *store, *std::move(archive), root, taken); !put) {
    Error error = put.error().in(nothing);
    // A word that the database can't have came from the archive.
    if (error.code == ErrorCode::corrupt) error.code = ErrorCode::invalid;
    return error;
  }
  TRY(transaction->commit());
  return taken;
}

}  // namespace kneepoint
