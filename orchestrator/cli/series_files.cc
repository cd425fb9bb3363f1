// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/series_files.h"

#include <filesystem>
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/night/series_archive.h"
#include "orchestrator/answers/pack/export_pack.h"
#include "orchestrator/answers/pack/import_pack.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {

Result<int> export_series(Session& session, const Arguments& arguments) {
  if (arguments.has("--prices")) {
    return wrong_flag("--prices", "is for one study; a series carries those of its studies");
  }
  TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_only));
  TRY_ASSIGN(const StudyRow row, find_study(*store, arguments.text("STUDY")));
  std::string key;
  if (arguments.has("--sign-key")) {
    TRY_ASSIGN(key, read_file("key", arguments.text("--sign-key"), 1));
    if (key.empty()) return wrong_flag("--sign-key", "the file is empty");
  }
  TRY_ASSIGN(const SeriesExport done,
             kneepoint::export_series(session, *store, row, arguments.text("--output"), key));
  TRY(write_file(done.file, done.bytes));
  if (session.json) {
    session.out << json_text(done) << "\n";
    return kExitDone;
  }
  session.out << "wrote " << done.file << ": series " << done.series << ", "
              << counted(static_cast<long>(done.studies), "study") << ", sha256 " << done.digest
              << "\n";
  if (done.unfinished > 0) {
    session.out << "left out: " << counted(done.unfinished, "study") << " not finished\n";
  }
  if (!done.left_out.empty()) {
    session.out << "left out, since it may be secret: " << plain(joined(done.left_out, ", "))
                << "\n";
  }
  return kExitDone;
}

Result<int> import_series(Session& session, const Arguments& arguments, const Pack& pack,
                          bool trusted) {
  for (const char* flag : {"--study", "--new"}) {
    if (arguments.has(flag)) {
      return wrong_flag(flag, "is not for a series: it keeps its name, and is read back once");
    }
  }
  const std::string file = std::filesystem::path(arguments.text("FILE")).filename().string();
  TRY_ASSIGN(const SeriesImport done, kneepoint::import_series(session, pack, file, trusted));
  if (session.json) {
    session.out << json_text(done) << "\n";
    return kExitDone;
  }
  session.out << "series " << done.series << ": "
              << counted(static_cast<long>(done.studies.size()), "study") << " from " << file
              << (done.known > 0 ? ", " + std::to_string(done.known) + " were here already" : "")
              << "\n"
              << "note: " << wrap(plain(done.origin), predict_width(session), 6).substr(6);
  for (const std::string& one : done.kept) {
    session.out << "note: the series has a " << one << " here, which stays\n";
  }
  return kExitDone;
}

}  // namespace kneepoint::cli
