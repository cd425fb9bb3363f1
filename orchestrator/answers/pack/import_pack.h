// SPDX-License-Identifier: Apache-2.0
//
// What `import` answers of an evidence pack. The whole pack is checked before the database is
// touched, and everything is written in one transaction.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/evidence.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

struct PackImportRequest {
  const Pack& pack;
  std::string file;       // its name without folders
  std::string study;      // name of the study to be; "": as in the pack
  bool make_new = false;  // also if it is in the database already
  bool trusted = false;   // it was signed by a key that the caller named
};

struct PackImport {
  StudyRow study;
  bool created = true;
  std::string file, digest, signer;
  std::vector<Caveat> caveats;
  static constexpr auto fields() {
    using T = PackImport;
    return described(field("study", [](const T& done) { return done.study.id; }),
                     KP_NAMED(created, file), field("sha256", &T::digest),
                     field("signer", &T::signer),
                     field("runs", [](const T& done) { return done.study.runs; }),
                     field("caveats", &T::caveats));
  }
};

Result<PackImport> import_pack(const Context& context, const PackImportRequest& request);

// Would it be taken? Tried in a database that is in memory and forgotten.
Result<PackHeader> try_import(const Pack& pack);

// --- Between a pack and a study: which parts one has, and what must hold of one that comes in. A
// pack is somebody else's word: everything in it is checked before it is believed, and what its
// maker says of signatures is not believed at all.

struct PackStudy {
  PackHeader header;
  ForeignStudy foreign;  // its row has no id, n and work_dir yet
};

// `name`: of the study to be; "": as in the pack.
Result<PackStudy> study_of_pack(const Pack& pack, const std::string& name);

// What every report must say of it. `file` is its name without folders.
std::vector<Caveat> caveats_of_pack(const Pack& pack, const PackHeader& header,
                                    const std::string& file, bool trusted);

// After it was put, before it is committed: are its numbers such that reports can be made?
Result<void> check_foreign_evidence(const StudyEvidence& evidence);

// T of runs that does not follow from their samples or their metric `time`; runs that have neither
// are not looked at.
struct TimesCheck {
  int looked_at = 0, differ = 0;
};
TimesCheck check_times(const StudyEvidence& in_detail);

}  // namespace kneepoint
