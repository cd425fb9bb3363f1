// SPDX-License-Identifier: Apache-2.0
//
// kneepoint export: a study as one file that others can verify and import. The same study and key
// give the same bytes.
#include <filesystem>
#include <ostream>

#include "orchestrator/answers/loading.h"
#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/report.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/export_secrets.h"
#include "orchestrator/cli/pack_study.h"
#include "orchestrator/cli/series_files.h"
#include "orchestrator/cli/terminal.h"
#include "orchestrator/plan/tables/price_reader.h"
#include "orchestrator/report/document.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

PackHeader header_of(const StudyRow& row) {
  PackHeader header;
  header.kneepoint = KNEEPOINT_VERSION;
  header.study = row.id;
  header.name = row.name;
  header.backend = row.backend;
  header.site = row.site;
  header.worker = to_string(row.worker);
  header.seed = row.seed;
  header.knee_rule = row.knee_rule;
  header.knee_floor = row.knee_floor;
  header.state = row.state;
  header.plan_path = fs::path(row.plan_path).filename().string();
  header.created_ns = row.created_ns;
  header.updated_ns = row.updated_ns;
  return header;
}

// Plan and site as others may see them. A plan without a secret goes as it was written.
void add_plan_and_site(const Session& session, const StudyRow& row, PackHeader& header,
                       std::vector<TarMember>& parts, std::vector<std::string>& secrets) {
  const Redacted plan = redact(row.plan_text, row.plan_path);
  const Redacted site = redact(row.site_text, "site");
  for (const auto& [what, redacted] : {std::pair{"plan", &plan}, std::pair{"site", &site}}) {
    for (const std::string& key : redacted->left_out) {
      header.left_out.push_back(std::string(what) + "." + key);
    }
    for (std::string& one : known_secrets(session, *redacted)) secrets.push_back(std::move(one));
  }
  parts.push_back({"plan.yaml", plan.left_out.empty() ? row.plan_text : plan.json});
  if (!row.site_text.empty() && !site.json.empty()) parts.push_back({"site.json", site.json});
}

Result<void> add_reports(StudyStore& store, RowId study, std::vector<TarMember>& parts) {
  TRY_ASSIGN(StudyEvidence evidence, store.evidence_in_detail(study));
  const Document document = make_document(std::move(evidence), analysis_options());
  parts.push_back({"report/report.txt", to_terminal(document, TerminalStyle{})});
  parts.push_back({"report/report.md", to_markdown(document)});
  parts.push_back({"report/report.json", to_json(document)});
  return {};
}

Result<int> run_export(Session& session, const Arguments& arguments) {
  if (arguments.has("--series")) return export_series(session, arguments);
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, arguments.text("STUDY")));
  if (row.state != "finished" && row.state != "cancelled") {
    return Error{ErrorCode::conflict, row.id + " is " + row.state +
                                          "; only a study that is over can be exported: finish it "
                                          "with 'run', or cancel it"};
  }
  std::string key;
  if (arguments.has("--sign-key")) {
    TRY_ASSIGN(key, read_file("key", arguments.text("--sign-key"), 1));
    if (key.empty()) return Error{ErrorCode::invalid, "--sign-key: the file is empty"};
  }
  PackHeader header = header_of(row);
  std::vector<TarMember> parts(1);  // the header's place
  std::vector<std::string> secrets;
  add_plan_and_site(session, row, header, parts, secrets);
  if (arguments.has("--prices")) {
    const std::string path = arguments.text("--prices");
    TRY_ASSIGN(const std::string text, read_file("price book", path));
    const PricesRead read = read_prices(text, path);
    if (!read.problems.empty()) return report_problems(session, read.problems);
    parts.push_back({"prices.yaml", text});
  } else if (!row.price.text.empty()) {
    parts.push_back({"prices.yaml", row.price.text});
    header.price_item = row.price.item;
  }
  TRY(add_reports(*store, row.row, parts));
  TRY_ASSIGN(const std::vector<RowTable> tables, store->study_tables(row.row));
  for (const RowTable& table : tables) parts.push_back({part_name_of(table), write_rows(table)});
  parts.front() = {kPackHeader, write_header(header)};
  TRY(refuse_secrets(parts, secrets));
  auto bytes = write_pack(parts, key);
  if (!bytes) return bytes.error().in("--sign-key");
  if (bytes->size() > static_cast<std::size_t>(kMostPackMiB) << 20) {
    return Error{ErrorCode::unsupported, "the pack would be larger than " +
                                             std::to_string(kMostPackMiB) +
                                             " MiB, more than anybody can import"};
  }
  TRY_ASSIGN(const Pack pack, open_pack(*bytes, std::nullopt));  // what is written can be read
  const std::string path =
      arguments.has("--output") ? arguments.text("--output") : row.id + ".kneepack.tar";
  TRY(write_file(path, *bytes));
  const std::string words = signature_words(pack, true);
  if (session.json) {
    JsonWriter json;
    json.begin_object().put("study", row.id).put("file", path).put("bytes", bytes->size());
    json.put("sha256", pack.digest).put("signer", pack.signer).put("left_out", header.left_out);
    session.out << json.end_object().text() << "\n";
    return kExitDone;
  }
  session.out << "wrote " << path << ": study " << row.id << ", sha256 " << pack.digest << "\n"
              << (pack.signer.empty() ? words : "signed by " + pack.signer) << "\n";
  if (!header.left_out.empty()) {
    session.out << "left out, since it may be secret: " << plain(joined(header.left_out, ", "))
                << "\n";
  }
  return kExitDone;
}

}  // namespace

CommandSpec export_command() {
  return {
      "export",
      "Write a study into one file for others to check",
      "Writes an evidence pack: plan, site without secrets, provenance, the samples and results of "
      "all attempts, the report, and a SHA-256 of every part, in one tar file. With --sign-key it "
      "is signed (Ed25519); without, damage is detected, not forgery. Others check it with "
      "'verify' and take it in with 'import'. docs/reference/evidence.md tells more. With --series "
      "the file is an archive of all finished studies of the study's series with what was decided "
      "about it (baseline, acknowledged changes, verdicts); 'import' reads it back under the same "
      "names, and the gate answers as before.",
      {{"STUDY",
        "Id, unique prefix or name (default: the newest study)",
        false,
        {},
        Completes::studies}},
      {{"--series", "", "Archive the whole series of the study"},
       {"--output",
        "FILE",
        "Where to (default: STUDY.kneepack.tar, or SERIES.kneeseries.tar)",
        {},
        false,
        Completes::files},
       {"--sign-key", "FILE", "Private key, Ed25519 in PEM", {}, false, Completes::files},
       {"--prices",
        "FILE",
        "Price book to put beside it (default: the study's)",
        {},
        false,
        Completes::files}},
      {"kneepoint export jacobi", "kneepoint export jacobi --output jacobi.tar --sign-key key.pem",
       "kneepoint export nightly --series --output nightly-2026.tar"},
      run_export};
}

}  // namespace kneepoint::cli
