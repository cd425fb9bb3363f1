// SPDX-License-Identifier: Apache-2.0
//
// What accounting allows this user's jobs to have. sbatch --test-only knows only the limits of a
// partition: a job over those of its account or QOS is taken and waits for ever. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/backend/slurm/transport.h"

namespace kneepoint {

struct SlurmAllowance {  // of one job; 0: no limit
  int nodes = 0;
  Nanoseconds time = 0;
};

struct SlurmAssociation {
  std::string account;
  std::string partition;  // "": all
  std::string default_qos;
  bool is_default = false;  // the account that a job gets which names none
  SlurmAllowance allows;
};

struct SlurmQos {
  std::string name;
  SlurmAllowance allows;
};

struct SlurmAccounting {
  std::vector<SlurmAssociation> associations;  // of this user
  std::vector<SlurmQos> qos;
};

// Fields for `sacctmgr -n -P show user NAME withassoc format=...` and `show qos format=...`, and
// what it says.
extern const char* const kAssociationFields;
extern const char* const kQosFields;
SlurmAccounting parse_accounting(std::string_view associations, std::string_view qos);

// Does `scontrol show config` say that limits of accounting hold?
bool enforces_limits(std::string_view config);

// Why a job would be refused or wait for ever, with what to change; "": it would not. Without any
// association of this user nothing is said: there may be none on purpose.
std::string why_not_allowed(const SlurmAccounting& accounting, const SlurmSite& site,
                            const SlurmSubmission& job);

}  // namespace kneepoint
