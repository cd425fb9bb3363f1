// SPDX-License-Identifier: Apache-2.0
//
// kneepoint verify: is an evidence pack whole, and whose is it? Reads no database.
#include <ostream>

#include "orchestrator/base/json_text.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/files.h"
#include "orchestrator/cli/pack_import.h"
#include "orchestrator/cli/pack_study.h"
#include "orchestrator/cli/table.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

// All that can be told without a database.
Result<Pack> examine(const std::string& bytes, const std::optional<std::string>& key,
                     PackHeader& header) {
  if (!looks_like_pack(bytes)) return Error{ErrorCode::invalid, "not an evidence pack, or damaged"};
  TRY_ASSIGN(Pack pack, open_pack(bytes, key));
  TRY_ASSIGN(const PackStudy study, study_of_pack(pack, ""));
  header = study.header;
  return pack;
}

Result<int> run_verify(Session& session, const Arguments& arguments) {
  const std::string path = arguments.text("PACK");
  TRY_ASSIGN(const std::string bytes, read_file("pack", path, kMostPackMiB));
  TRY_ASSIGN(const auto key, trusted_key_of(arguments));
  PackHeader header;
  const auto pack = examine(bytes, key, header);
  if (session.json) {
    JsonWriter json;
    json.begin_object().key("file").value(path).key("valid").value(pack.has_value());
    json.key("why").value(pack ? "" : pack.error().message);
    json.key("study").value(header.study);
    json.key("sha256").value(pack ? pack->digest : "");
    json.key("signer").value(pack ? pack->signer : "");
    json.key("trusted").value(pack.has_value() && key.has_value());
    json.key("parts").begin_array();
    if (pack) {
      for (const TarMember& part : pack->parts) {
        json.begin_object().key("name").value(part.name);
        json.key("bytes").value(static_cast<std::uint64_t>(part.bytes.size())).end_object();
      }
    }
    session.out << json.end_array().end_object().text() << "\n";
  } else if (pack) {
    session.out << plain(path) << " is whole: study " << plain(header.study) << ", "
                << counted(static_cast<long>(pack->parts.size()), "part") << ", sha256 "
                << pack->digest << "\n"
                << signature_words(*pack, key.has_value()) << "\n";
  }
  if (!pack) {
    session.err << "kneepoint: verify: " << plain(path) << ": " << plain(pack.error().message)
                << "\n";
    return kExitNegative;
  }
  return kExitDone;
}

}  // namespace

CommandSpec verify_command() {
  return {"verify",
          "Check that an evidence pack is whole, and whose it is",
          "Checks every byte of a pack that 'export' wrote against the SHA-256 of its parts, and "
          "its signature if it has one. With --key it must be signed by that key. Exit code 1 if "
          "the pack is damaged, or not signed by that key.",
          {{"PACK", "The file", true, {}, Completes::files}},
          {{"--key",
            "FILE",
            "Public key that must have signed it, in PEM",
            {},
            false,
            Completes::files}},
          {"kneepoint verify vendor.tar", "kneepoint verify vendor.tar --key vendor-public.pem"},
          run_verify};
}

}  // namespace kneepoint::cli
