// SPDX-License-Identifier: Apache-2.0
//
// A key with an inner table may hold a map (or a list of maps) with those keys; next to it, the
// readers may accept a plain value.
#include "orchestrator/plan/yaml/keys.h"

namespace kneepoint {
namespace {

constexpr bool kFreeNames = true;

const KeySet kScale = {{{"from"}, {"to"}, {"by"}, {"step"}}};
const KeySet kShape = {{{"ranks_per_node"}, {"threads_per_rank"}, {"gpus_per_node"}, {"bind"}}};
const KeySet kSize = {{{"strong"}, {"weak"}, {"round"}, {"multiple_of"}}};
const KeySet kModel = {{{"strong"}, {"weak"}}};
const KeySet kMetric = {{{"pattern"}, {"json"}, {"unit"}, {"from"}, {"file"}, {"better"}}};
const KeySet kSanity = {{{"must_match"},
                         {"must_not_match"},
                         {"from"},
                         {"file"},
                         {"exit_codes"},
                         {"metric"},
                         {"at_least"},
                         {"at_most"},
                         {"equals"},
                         {"tolerance"}}};
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
    {"sanity", &kSanity},
    {"keep"},
    {"inputs"},
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
const KeySet kSearch = {{{"knee"}, {"recommendation"}, {"objective"}, {"within"}, {"first"}}};
const KeySet kBudget = {{{"node_hours"}, {"amount"}, {"currency"}}};
const KeySet kLimits = {{{"concurrent"},
                         {"nodes"},
                         {"budget", &kBudget},
                         {"timeout"},
                         {"queue_wait"},
                         {"retries"},
                         {"oversubscribe"}}};
const KeySet kKnee = {{{"rule"}, {"floor"}}};
const KeySet kGate = {{{"min_effect"},
                       {"alpha"},
                       {"confirm_effect"},
                       {"max_regression"},
                       {"curve_alpha"},
                       {"curve_effect"},
                       {"drift"},
                       {"knee_shift"}}};
const KeySet kNoiseLimit = {{{"steal"}, {"others"}, {"clock_drop"}, {"throttle"}}};
const KeySet kNoise = {{{"sample"}, {"limit", &kNoiseLimit}, {"repeat"}}};
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
    {"noise", &kNoise},
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
const KeySet kPush = {{{"listen"}, {"address"}, {"certificate"}, {"key"}, {"ca"}}};
const KeySet kPacking = {{{"mode"}, {"allocations"}, {"steps"}, {"limit"}}};
const KeySet kSiteLimits = {{{"nodes"}, {"concurrent"}, {"cores"}, {"node_hours"}}};
const KeySet kSitePrice = {{{"book"}, {"item"}}};
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
    {"push", &kPush},
    {"packing", &kPacking},
    {"limits", &kSiteLimits},
    {"price", &kSitePrice},
}};

const KeySet kCatalogSize = {{{"meaning"}, {"strong"}, {"weak"}}};
const KeySet kCatalogEntry = {{
    {"name"},
    {"program"},
    {"summary"},
    {"needs"},
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

const KeySet kLicence = {{{"name"}, {"per_token_hour"}, {"tokens"}, {"per"}}};
const KeySet kStorage = {{{"gb"}, {"per_gb_hour"}}};
const KeySet kEgress = {{{"gb"}, {"per_gb"}}};
const KeySet kEnergy = {{{"idle_watts_per_node"}, {"busy_watts_per_worker"}, {"pue"}, {"per_kwh"}}};
const KeySet kOwned = {{{"price_per_node"},
                        {"years"},
                        {"utilisation"},
                        {"nodes"},
                        {"watts_per_node"},
                        {"pue"},
                        {"per_kwh"},
                        {"staff_per_year"}}};
const KeySet kSpot = {{{"interruptions_per_node_hour"}, {"restart"}, {"checkpoint"}}};
const KeySet kPriceItem = {{
    {"description"},
    {"tier"},
    {"per_node_hour"},
    {"per_gpu_hour"},
    {"per_core_hour"},
    {"charge_factor"},
    {"per_hour"},
    {"per_job"},
    {"minimum"},
    {"granularity"},
    {"setup"},
    {"teardown"},
    {"licences", &kLicence},
    {"storage", &kStorage},
    {"egress", &kEgress},
    {"energy", &kEnergy},
    {"owned", &kOwned},
    {"spot", &kSpot},
}};
const KeySet kPrices = {{
    {"currency"},
    {"valid_from"},
    {"source"},
    {"example"},
    {"items", &kPriceItem, kFreeNames},
}};

const KeySet kMixModel = {{{"t1"}, {"s"}, {"c"}}};
const KeySet kMixWorkload = {{
    {"name"},
    {"mode"},
    {"study"},
    {"times", nullptr, kFreeNames},
    {"model", &kMixModel},
    {"case"},
    {"baseline"},
    {"per_hour"},
    {"per_day"},
    {"arrivals"},
    {"deadline"},
    {"in_time"},
    {"value"},
    {"spread"},
    {"result_workers"},
    {"k"},
}};
const KeySet kMixBudget = {{{"amount"}, {"per"}}};
const KeySet kMixPrices = {{{"book"}, {"item"}}};
const KeySet kWhatIf = {{{"load"}, {"price"}}};
const KeySet kMixSlurm = {{{"node_prefix"}}};
const KeySet kMixKubernetes = {{{"resource"}, {"per_worker"}}};
const KeySet kMix = {{
    {"mix"},
    {"worker"},
    {"workers"},
    {"workers_per_node"},
    {"budget", &kMixBudget},
    {"prices", &kMixPrices},
    {"pay"},
    {"in_time"},
    {"backfill"},
    {"modelled"},
    {"seed"},
    {"workloads", &kMixWorkload},
    {"what_if", &kWhatIf},
    {"slurm", &kMixSlurm},
    {"kubernetes", &kMixKubernetes},
}};

const KeySet kClaimPoint = {{{"k"}, {"speedup"}, {"time"}, {"efficiency"}}};
const KeySet kClaimBaseline = {{{"k"}, {"what"}, {"optimised"}, {"measured"}, {"same_program"}}};
const KeySet kClaimPrice = {{{"per_worker_hour"}, {"currency"}}};
const KeySet kClaim = {{
    {"claim"},
    {"source"},
    {"mode"},
    {"worker"},
    {"k"},
    {"speedup"},
    {"time"},
    {"efficiency"},
    {"points", &kClaimPoint},
    {"baseline", &kClaimBaseline},
    {"held_fixed"},
    {"timed"},
    {"answer"},
    {"repeats"},
    {"interval"},
    {"price", &kClaimPrice},
}};

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
const KeySet& price_keys() {
  return kPrices;
}
const KeySet& mix_keys() {
  return kMix;
}
const KeySet& claim_keys() {
  return kClaim;
}

}  // namespace kneepoint
