// SPDX-License-Identifier: Apache-2.0
//
// A key with an inner table may hold a map (or a list of maps) with those keys; next to it, the
// readers may accept a plain value.
#include "orchestrator/plan/keys.h"

namespace kneepoint {
namespace {

constexpr bool kFreeNames = true;

const KeySet kScale = {{{"from"}, {"to"}, {"by"}, {"step"}}};
const KeySet kShape = {{{"ranks_per_node"}, {"threads_per_rank"}, {"gpus_per_node"}, {"bind"}}};
const KeySet kSize = {{{"strong"}, {"weak"}, {"round"}, {"multiple_of"}}};
const KeySet kModel = {{{"strong"}, {"weak"}}};
const KeySet kMetric = {{{"pattern"}, {"unit"}, {"from"}}};
const KeySet kResult = {{{"name"}, {"count"}}};
const KeySet kWorkload = {{
    {"name"},
    {"use"},
    {"command"},
    {"mpi"},
    {"parameters", nullptr, kFreeNames},
    {"exclude", nullptr, kFreeNames},
    {"size", &kSize},
    {"environment", nullptr, kFreeNames},
    {"metrics", &kMetric, kFreeNames},
    {"profile"},
    {"result", &kResult},
    {"scale", &kScale},
    {"model", &kModel},
    {"flops"},
    {"bytes"},
    {"parallelism"},
    {"build"},
}};
const KeySet kIterations = {{{"warmup"}, {"count"}, {"min_time"}}};
const KeySet kUntil = {{{"efficiency_ci"}}};
const KeySet kRepeat = {{{"min"}, {"max"}, {"until", &kUntil}}};
const KeySet kSearch = {{{"knee"}}};
const KeySet kBudget = {{{"node_hours"}, {"amount"}, {"currency"}}};
const KeySet kLimits = {{{"concurrent"},
                         {"nodes"},
                         {"budget", &kBudget},
                         {"timeout"},
                         {"queue_wait"},
                         {"retries"},
                         {"oversubscribe"}}};
const KeySet kKnee = {{{"rule"}, {"floor"}}};
const KeySet kGate = {{{"min_effect"}, {"alpha"}, {"confirm_effect"}, {"max_regression"}}};
const KeySet kPlan = {{
    {"study"},
    {"worker"},
    {"scale", &kScale},
    {"shape", &kShape},
    {"modes"},
    {"workloads", &kWorkload},
    {"environment", nullptr, kFreeNames},
    {"iterations", &kIterations},
    {"repeat", &kRepeat},
    {"search", &kSearch},
    {"seed"},
    {"limits", &kLimits},
    {"knee", &kKnee},
    {"gate", &kGate},
}};

const KeySet kStarter = {{{"kind"}, {"mpi"}, {"options"}}};
const KeySet kSlurmRest = {{{"url"},
                            {"user"},
                            {"token_file"},
                            {"token_env"},
                            {"ca_file"},
                            {"client_certificate"},
                            {"client_key"},
                            {"api"}}};
const KeySet kSlurm = {{{"rest", &kSlurmRest},
                        {"transport"},
                        {"partition"},
                        {"account"},
                        {"qos"},
                        {"reservation"},
                        {"constraint"},
                        {"exclusive"},
                        {"gpu_option"},
                        {"gpu_type"},
                        {"options"},
                        {"modules"},
                        {"prologue"},
                        {"exclude_failed"},
                        {"time_margin"}}};
const KeySet kSimulated = {{{"nodes"},
                            {"cores_per_node"},
                            {"gpus_per_node"},
                            {"noise"},
                            {"failure_rate"},
                            {"queue_wait"},
                            {"seed"},
                            {"default_time"}}};
const KeySet kKubeVolume = {{{"name"}, {"mount"}, {"sub_path"}, {"read_only"}, {"source"}}};
const KeySet kKubernetes = {{
    {"kubeconfig"},
    {"context"},
    {"namespace"},
    {"image"},
    {"image_pull_policy"},
    {"image_pull_secrets"},
    {"service_account"},
    {"cpu"},
    {"memory"},
    {"gpu_resource"},
    {"resources", nullptr, kFreeNames},
    {"node_selector", nullptr, kFreeNames},
    {"tolerations"},
    {"affinity"},
    {"topology_spread"},
    {"labels", nullptr, kFreeNames},
    {"annotations", nullptr, kFreeNames},
    {"volumes", &kKubeVolume},
    {"priority_class"},
    {"shm"},
    {"queue"},
    {"mpi_job"},
    {"one_pod_per_node"},
    {"host_network"},
    {"read_only_root"},
    {"run_as_user"},
    {"pending_limit"},
    {"keep"},
    {"pod"},
}};
const KeySet kPacking = {{{"mode"}, {"allocations"}, {"steps"}, {"limit"}}};
const KeySet kSiteLimits = {{{"nodes"}, {"concurrent"}, {"cores"}, {"node_hours"}}};
const KeySet kSite = {{
    {"name"},
    {"backend"},
    {"nodes"},
    {"work_dir"},
    {"programs"},
    {"agent"},
    {"starter", &kStarter},
    {"environment", nullptr, kFreeNames},
    {"simulated", &kSimulated},
    {"slurm", &kSlurm},
    {"kubernetes", &kKubernetes},
    {"packing", &kPacking},
    {"limits", &kSiteLimits},
}};

const KeySet kCatalogSize = {{{"meaning"}, {"strong"}, {"weak"}}};
const KeySet kCatalogEntry = {{
    {"name"},
    {"program"},
    {"summary"},
    {"size", &kCatalogSize},
    {"held_fixed", &kModel},
    {"work_unit"},
    {"divisible"},
    {"model", &kModel},
    {"flops"},
    {"bytes"},
    {"parallelism"},
    {"parameters", nullptr, kFreeNames},
    {"emulated_when"},
}};
const KeySet kCatalog = {{{"workloads", &kCatalogEntry}}};

}  // namespace

const KeySet& plan_keys() {
  return kPlan;
}
const KeySet& site_keys() {
  return kSite;
}
const KeySet& catalog_keys() {
  return kCatalog;
}

}  // namespace kneepoint
