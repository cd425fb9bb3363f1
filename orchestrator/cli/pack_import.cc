// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/pack_import.h"

#include <filesystem>
#include <ostream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/night/series_archive.h"
#include "orchestrator/answers/pack/import_pack.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/series_files.h"
#include "orchestrator/cli/shell/flags.h"
#include "orchestrator/plan/tables/reader.h"
#include "orchestrator/report/terminal/operating.h"

namespace kneepoint::cli {

Result<std::optional<std::string>> trusted_key_of(const Arguments& arguments) {
  if (!arguments.has("--key")) return std::optional<std::string>();
  TRY_ASSIGN(std::string key, read_file("key", arguments.text("--key"), 1));
  if (key.find("-----BEGIN PUBLIC KEY-----") == std::string::npos) {
    return wrong_flag("--key", arguments.text("--key") + " holds no public key in PEM");
  }
  return std::optional<std::string>(std::move(key));
}

Result<int> import_pack(Session& session, const Arguments& arguments, const std::string& bytes) {
  for (const char* flag :
       {"--mode", "--case", "--worker", "--workers-per-node", "--unit", "--decimal", "--floor"}) {
    if (arguments.has(flag)) return wrong_flag(flag, "is for tables; this is an evidence pack");
  }
  const std::string name = arguments.text("--study");
  if (arguments.has("--study") && !is_study_name(name)) {
    return wrong_flag("--study", "expected 1 to 40 of a-z, 0-9 and '-', not beginning with '-'");
  }
  const std::string file = std::filesystem::path(arguments.text("FILE")).filename().string();
  TRY_ASSIGN(const auto key, trusted_key_of(arguments));
  const auto pack = open_pack(bytes, key);
  if (!pack) return pack.error().in(file + ", nothing was written");
  if (is_series_archive(*pack)) return import_series(session, arguments, *pack, key.has_value());
  TRY_ASSIGN(const PackImport answer,
             kneepoint::import_pack(session,
                                    {*pack, file, name, arguments.has("--new"), key.has_value()}));
  session.out << (session.json ? json_text(answer) + "\n"
                               : to_text(answer, predict_width(session)));
  return kExitDone;
}

}  // namespace kneepoint::cli
