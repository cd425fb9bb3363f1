// SPDX-License-Identifier: Apache-2.0
//
// kneepoint verify: is an evidence pack whole, and whose is it? Does a database keep its rules?
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/night/series_archive.h"
#include "orchestrator/answers/pack/import_pack.h"
#include "orchestrator/answers/pack/verify.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/report/terminal/operating.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

// All that can be told without the database; `verdict` learns whose it is.
Result<Pack> examine(const std::string& bytes, const std::optional<std::string>& key,
                     PackVerdict& verdict) {
  if (!looks_like_pack(bytes)) return Error{ErrorCode::invalid, "not an evidence pack, or damaged"};
  TRY_ASSIGN(Pack pack, open_pack(bytes, key));
  verdict.words = signature_words(pack, key.has_value());
  verdict.is_series = is_series_archive(pack);
  if (verdict.is_series) {
    TRY_ASSIGN(verdict.study, try_import_series(pack));
    return pack;
  }
  TRY_ASSIGN(const PackHeader header, try_import(pack));
  verdict.study = header.study;
  return pack;
}

Result<int> verify_database(Session& session, const std::string& path) {
  TRY_ASSIGN(const DatabaseVerdict verdict, kneepoint::verify_database(path, session.clock));
  if (session.json) session.out << json_text(verdict) << "\n";
  if (verdict.holds()) {
    if (!session.json) session.out << to_text(verdict);
    return kExitDone;
  }
  session.err << "kneepoint: verify: " << to_text(verdict);
  return kExitNegative;
}

Result<int> run_verify(Session& session, const Arguments& arguments) {
  std::string path = arguments.text("FILE");
  if (path.empty() || is_database(path)) {
    if (arguments.has("--key")) return wrong_flag("--key", "is for packs; this is a database");
    if (path.empty()) {
      TRY_ASSIGN(path, database_of(session));
    }
    return verify_database(session, path);
  }
  TRY_ASSIGN(const std::string bytes, read_file("pack", path, kMostPackMiB));
  TRY_ASSIGN(const auto key, trusted_key_of(arguments));
  PackVerdict verdict;
  verdict.file = path;
  verdict.has_key = key.has_value();
  auto pack = examine(bytes, key, verdict);
  if (pack) verdict.pack = std::move(*pack);
  if (!pack) verdict.why = pack.error().message;
  if (session.json) {
    session.out << json_text(verdict) << "\n";
  } else if (verdict.pack) {
    session.out << to_text(verdict);
  }
  if (verdict.pack) return kExitDone;
  session.err << "kneepoint: verify: " << plain(path) << ": " << plain(verdict.why) << "\n";
  return kExitNegative;
}

}  // namespace

CommandSpec verify_command() {
  return {"verify",
          "Check that a database or an evidence pack is whole",
          "Of a database: its pages, references between rows, states and outcomes, samples against "
          "T, rounds against the evidence that they were decided on; it is only read. Of a pack "
          "that 'export' wrote: every byte against the SHA-256 of its parts, its signature if it "
          "has one, and that it holds runs. With --key it must be signed by that key. Exit code 1 "
          "if something does not hold, or the pack is not signed by that key.",
          {file_argument("FILE", "A database or a pack (default: the database)", false)},
          {file_flag("--key", "Public key that must have signed it, in PEM")},
          {"kneepoint verify", "kneepoint verify vendor.tar",
           "kneepoint verify vendor.tar --key vendor-public.pem"},
          run_verify};
}

}  // namespace kneepoint::cli
