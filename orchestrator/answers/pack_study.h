// SPDX-License-Identifier: Apache-2.0
//
// Between a pack and a study: which parts one has, and what must hold of one that comes in. A pack
// is somebody else's word: everything in it is checked before it is believed, and what its maker
// says of signatures is not believed at all.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/model/evidence.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/pack/pack_rows.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

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
