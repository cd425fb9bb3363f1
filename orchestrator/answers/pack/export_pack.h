// SPDX-License-Identifier: Apache-2.0
//
// What `export` answers: a study as one file that others can verify and import. The same study, key
// and reports give the same bytes.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/plan/site/redaction.h"
#include "orchestrator/plan/yaml/problem.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

struct ExportRequest {
  std::vector<TarMember> reports;  // of the study, as their writers make them
  std::string prices;              // path of a book to put beside it; "": the study's
  std::string sign_key;            // private key, PEM; "": not signed
};

struct PackExport {
  std::string study, file;  // the file is the writer's to name
  std::string bytes;
  std::string digest, signer;
  std::string words;                  // of its signature
  std::vector<std::string> left_out;  // keys of plan and site that may be secret
  std::vector<Problem> problems;      // of the book; then nothing was made
  static constexpr auto fields() {
    using T = PackExport;
    return described(KP_NAMED(study, file),
                     field("bytes", [](const T& made) { return made.bytes.size(); }),
                     field("sha256", &T::digest), KP_NAMED(signer, left_out));
  }
};

// Only a study that is over can be exported; asked first, since reports take their time.
Result<void> check_exportable(const StudyRow& row);

Result<PackExport> export_pack(const Context& context, StudyStore& store, const StudyRow& row,
                               ExportRequest request);

// The last look before a file is written: is a value that was left out of plan and site anywhere
// else in it?
// The values of a file, of variables and of files with secrets that are long enough to be found.
// Files that can't be read here are passed over: what nobody can read, nobody put into the pack.
std::vector<std::string> known_secrets(const Context& context, const Redacted& redacted);

// The error names the part, never the value.
Result<void> refuse_secrets(const std::vector<TarMember>& parts,
                            const std::vector<std::string>& secrets);

}  // namespace kneepoint
