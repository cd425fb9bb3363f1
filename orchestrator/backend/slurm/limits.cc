// SPDX-License-Identifier: Apache-2.0
//
// Only limits that hold for one job are read: those on how many jobs run at once pass by
// themselves.
#include "orchestrator/backend/slurm/text.h"

#include <algorithm>

namespace kneepoint {
namespace {

using namespace slurm_fields;

// "cpu=64,node=2" -> 2
int nodes_in_tres(std::string_view tres) {
  constexpr std::string_view kNode = "node=";
  while (!tres.empty()) {
    const std::string_view one = tres.substr(0, tres.find(','));
    if (one.starts_with(kNode)) return leading_number(one.substr(kNode.size()));
    tres.remove_prefix(std::min(tres.size(), one.size() + 1));
  }
  return 0;
}

int smaller(int a, int b) {
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

SlurmAllowance allowance_of(std::string_view most, std::string_view group, std::string_view wall) {
  return {smaller(nodes_in_tres(most), nodes_in_tres(group)), limit_of(wall)};
}

std::string why_over(const SlurmAllowance& allows, const std::string& whose,
                     const SlurmSubmission& job, const std::string& other) {
  if (allows.nodes > 0 && job.nodes > allows.nodes) {
    return whose + " allows a job " + std::to_string(allows.nodes) + " nodes, asked for " +
           std::to_string(job.nodes) + ": it would never start; lower `scale` of the plan, or " +
           other;
  }
  const Nanoseconds asked = (job.limit + kMinute - 1) / kMinute * kMinute;
  if (allows.time > 0 && asked > allows.time) {
    return whose + " allows a job " + to_duration_text(allows.time) + ", asked for " +
           to_duration_text(asked) +
           ": it would never start; lower limits.timeout of the plan (or "
           "packing.limit of the site), or " +
           other;
  }
  return "";
}

// The association that the job would be counted on; nullptr: not known.
const SlurmAssociation* association_of(const SlurmAccounting& accounting, const SlurmSite& site) {
  const SlurmAssociation* found = nullptr;
  for (const SlurmAssociation& one : accounting.associations) {
    const bool fits = site.account.empty() ? one.is_default || accounting.associations.size() == 1
                                           : one.account == site.account;
    if (!fits || (!one.partition.empty() && one.partition != site.partition)) continue;
    if (found == nullptr || !one.partition.empty()) found = &one;
  }
  return found;
}

}  // namespace

const char* const kAssociationFields =
    "DefaultAccount,Account,Partition,DefaultQOS,MaxTRES,GrpTRES,MaxWall";
const char* const kQosFields = "Name,MaxTRES,GrpTRES,MaxWall";

SlurmAccounting parse_accounting(std::string_view associations, std::string_view qos) {
  SlurmAccounting read;
  for (const std::string_view line : lines_of(associations)) {
    const auto fields = fields_of(line, 7);
    if (fields.size() != 7 || fields[1].empty()) continue;
    SlurmAssociation& one = read.associations.emplace_back();
    one.is_default = fields[0] == fields[1];
    one.account = fields[1];
    one.partition = fields[2];
    one.default_qos = fields[3];
    one.allows = allowance_of(fields[4], fields[5], fields[6]);
  }
  for (const std::string_view line : lines_of(qos)) {
    const auto fields = fields_of(line, 4);
    if (fields.size() != 4 || fields[0].empty()) continue;
    read.qos.push_back({std::string(fields[0]), allowance_of(fields[1], fields[2], fields[3])});
  }
  return read;
}

bool enforces_limits(std::string_view config) {
  for (const std::string_view line : lines_of(config)) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    if (trimmed(line.substr(0, equals)) != "AccountingStorageEnforce") continue;
    return line.find("limits", equals) != std::string_view::npos ||
           line.find("safe", equals) != std::string_view::npos;
  }
  return false;
}

std::string why_not_allowed(const SlurmAccounting& accounting, const SlurmSite& site,
                            const SlurmSubmission& job) {
  if (accounting.associations.empty()) return "";
  const SlurmAssociation* mine = association_of(accounting, site);
  if (mine == nullptr && !site.account.empty()) {
    std::string names;
    for (const SlurmAssociation& one : accounting.associations) {
      names += (names.empty() ? "" : ", ") + one.account;
    }
    return "accounting has no account '" + site.account +
           "' for you; set slurm.account in the site to one of: " + names;
  }
  if (mine != nullptr) {
    const std::string over = why_over(mine->allows, "account '" + mine->account + "'", job,
                                      "name another slurm.account in the site");
    if (!over.empty()) return over;
  }
  const std::string standard =
      mine != nullptr && !mine->default_qos.empty() ? mine->default_qos : "normal";
  const std::string name = site.qos.empty() ? standard : site.qos;
  for (const SlurmQos& one : accounting.qos) {
    if (one.name != name) continue;
    return why_over(one.allows, "QOS '" + one.name + "'", job,
                    "name another slurm.qos in the site");
  }
  if (site.qos.empty() || accounting.qos.empty()) return "";
  return "there is no QOS '" + site.qos + "'; set slurm.qos in the site";
}

}  // namespace kneepoint
