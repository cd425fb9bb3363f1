// SPDX-License-Identifier: Apache-2.0
//
// Site: where a plan runs. Only plan/site_reader makes one from a file. Secrets appear only as
// file paths or names of environment variables, never as values.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/wire/allocation.h"
#include "orchestrator/base/clock.h"
#include "orchestrator/base/fields.h"

namespace kneepoint {

// `imported` runs nothing: the times of such a study came from a table.
enum class BackendKind { local, slurm, kubernetes, simulated, imported };
const char* to_string(BackendKind kind);

// How the ranks of a step are started.
enum class StarterKind { mpirun, srun, none };
constexpr auto words_of(StarterKind) {
  return std::array{"mpirun", "srun", "none"};
}

// What sets the kinds of backends apart for those who plan, look for files and judge. One row each:
// a new backend gets one here and one in the table of backend/, and nobody else asks which it is.
struct BackendTraits {
  BackendKind kind;
  const char* word;      // in a site's file and in the store
  StarterKind starter;   // unless the site names one
  bool is_this_machine;  // its cores are counted here, its agent is a file of this machine
  bool has_images;       // programs lie in images, and no folder is shared with them
  bool runs_programs;    // its times are measured
};

std::span<const BackendTraits> backend_traits();
const BackendTraits& traits_of(BackendKind kind);
std::optional<BackendKind> parse_backend(std::string_view word);

struct SimulatedSite {
  int nodes = 16;
  int cores_per_node = 64;
  int gpus_per_node = 0;
  double noise = 0;               // relative deviation of T; 0: the formula exactly
  double failure_rate = 0;        // of an attempt
  double queue_wait_seconds = 0;  // mean, exponential
  std::uint64_t seed = 1;
  double default_seconds = 1;  // T of a workload without a model
};

// slurmrestd. Secrets only by file or variable name.
struct SlurmRestSite {
  std::string url;         // "http://host:6820", "https://...", "unix:/run/slurmrestd.sock"
  std::string user;        // X-SLURM-USER-NAME; "": whoever runs kneepoint
  std::string token_file;  // JWT
  std::string token_env;   // or the variable that holds it
  std::string ca_file;     // https: PEM of the authority; "": the system's
  std::string client_certificate, client_key;
  std::string api;  // "v0.0.39"; "": the newest that both sides know
};

// backend: slurm. Empty: not said, so Slurm's own default holds.
struct SlurmSite {
  std::string transport = "commands";  // or "rest"
  SlurmRestSite rest;
  std::string partition, account, qos, reservation, constraint;
  bool exclusive = true;
  std::string gpu_option = "gpus-per-node";  // or "gres"
  std::string gpu_type;                      // "a100": gpu:a100:4
  std::vector<std::string> options;          // more sbatch options, as they are
  std::vector<std::string> modules;          // module load, in this order
  std::vector<std::string> prologue;         // lines of shell before the agent starts
  bool exclude_failed = true;                // a node that failed gets no run of the study again
  Nanoseconds time_margin = 2 * kMinute;     // of the job's limit over those of its steps
};

// Where the image has the agent and our workloads, unless the site says otherwise: what
// `cmake --install` makes of the prefix /opt/kneepoint.
inline constexpr char kImageAgent[] = "/opt/kneepoint/bin/kneepoint-agent";
inline constexpr char kImagePrograms[] = "/opt/kneepoint/lib/kneepoint";

// A volume of the site's own, in the pods at `mount`.
struct KubeVolume {
  std::string name, mount, sub_path;
  bool read_only = false;
  std::string source;  // JSON: {"persistentVolumeClaim": {"claimName": "data"}}
};

// A program that hands out credentials (client.authentication.k8s.io).
struct KubeExec {
  std::string command;  // "": none
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;
  std::string api_version;
  std::string install_hint;
  bool provide_cluster_info = false;
};

// How to reach a cluster and as whom, from a kubeconfig or from a pod's own account. It lives in
// memory only: parts of it are secret, so it is never stored, logged or shown.
struct KubeAccess {
  std::string context;     // for messages; "in-cluster" inside a pod
  std::string server;      // https://host:6443
  std::string name_space;  // of the context; "": none said
  std::string ca_pem;      // "": the system's authorities
  std::string client_certificate_pem, client_key_pem;
  std::string token;       // as the kubeconfig holds it
  std::string token_file;  // read again as it is renewed; wins over token
  KubeExec exec;
  std::string proxy_url;
  std::string tls_server_name;
  bool insecure = false;  // only when the kubeconfig itself says so
};

// backend: kubernetes. Empty: not said. Texts in JSON were checked to be that by the reader.
struct KubernetesSite {
  std::string kubeconfig;  // "": KUBECONFIG, ~/.kube/config, or the pod's own account
  std::string context;     // "": the current one
  std::string name_space;  // "": the context's, else "default"
  std::string image;       // holds the agent, the workloads and their MPI
  std::string image_pull_policy = "IfNotPresent";
  std::vector<std::string> image_pull_secrets;
  std::string service_account;
  std::string cpu, memory;                      // of a pod, request and limit; cpu "": by the shape
  std::string gpu_resource = "nvidia.com/gpu";  // what a GPU is called there
  std::vector<std::pair<std::string, std::string>> resources;  // more: "rdma/hca": "1"
  std::vector<std::pair<std::string, std::string>> node_selector, labels, annotations;
  std::string tolerations, affinity, topology_spread;  // JSON, as a pod has them
  std::vector<KubeVolume> volumes;
  std::string priority_class;
  std::string shm;       // size of /dev/shm; "": as much as the pod may have
  std::string queue;     // Kueue's LocalQueue: Jobs start suspended and wait there
  bool mpi_job = false;  // kubeflow's MPIJob instead of an Indexed Job
  bool one_pod_per_node = true;
  bool host_network = false;
  bool read_only_root = true;
  int run_as_user = 65532;                   // 0: root, if the cluster allows it
  Nanoseconds pending_limit = 30 * kMinute;  // a Job that waits longer for its pods is ended
  Nanoseconds keep = 24 * kHour;             // an ended Job that nobody deleted goes by itself
  KubeAccess access;      // filled in by whoever makes the launcher; never stored
  std::string pod_patch;  // JSON: merged into the pod's specification, lists by name
};

// `push` of a site: where the controller listens for pushed records. Empty: not said. What one
// allocation's agent is told of it is PushTarget; its token is never stored or printed.
struct PushSite {
  bool on = false;
  std::string listen_host = "127.0.0.1";
  int listen_port = 0;      // 0: a free one, the same at every start if it is still free
  std::string address;      // https://HOST[:PORT], by which agents reach us; "": where we listen
  std::string certificate;  // path of a PEM file; "": one of our own making
  std::string key;          // of the certificate
  std::string ca;           // path: what agents trust; "": our own, or what their system trusts
};

// How runs are handed over: one allocation for each, or many runs as steps of one allocation, so
// that queue wait is paid once and the curve of a study is drawn on one set of nodes.
enum class PackingMode { one_per_run, packed };
constexpr auto words_of(PackingMode) {
  return std::array{"one_per_run", "packed"};
}

struct Packing {
  PackingMode mode = PackingMode::one_per_run;
  int allocations = 1;            // packed: at once; the runs are spread over them
  int steps = 0;                  // packed: at most so many in one allocation; 0: as many as fit
  Nanoseconds limit = 4 * kHour;  // packed: the longest allocation to ask for
};

struct SiteLimits {  // ceilings: the smaller of site and plan wins; 0: none
  int nodes = 0;
  int concurrent = 0;
  int cores = 0;  // local: use at most this many
  double node_hours = 0;
};

// What using the site costs. The book is read when a plan meets the site, and kept with the study.
struct SitePrice {
  std::string book;  // path, as the site has it; "": none
  std::string item;  // of the book; "": its only one
  std::string text;  // the book's bytes; empty until it is read
  static constexpr auto columns() {
    using T = SitePrice;
    return described(field("path", &T::book), KP_NAMED(item, text));
  }
};

struct Site {
  std::string name = "local";
  BackendKind backend = BackendKind::local;
  std::string work_dir;  // run directories; empty: beside the database
  std::string programs;  // folder of our workloads; empty: where this program was installed
  std::string agent;     // path of kneepoint-agent; empty: beside this program
  StarterKind starter = StarterKind::mpirun;
  std::string starter_mpi;  // srun --mpi=...; "": Slurm's default
  std::vector<std::string> starter_options;
  std::vector<std::pair<std::string, std::string>> environment;
  SimulatedSite simulated;
  SlurmSite slurm;
  KubernetesSite kubernetes;
  PushSite push;
  Packing packing;
  SiteLimits limits;
  SitePrice price;
  std::string text;  // the file's bytes; empty for the built-in local site
  std::string path;
};

}  // namespace kneepoint
