// SPDX-License-Identifier: Apache-2.0
//
// Keys are sorted by nlohmann-json, so that the same request gives the same bytes and hash.
#include "orchestrator/backend/kubernetes/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "orchestrator/backend/allocation.h"
#include "orchestrator/base/hash.h"

namespace kneepoint {
namespace {

using nlohmann::json;

constexpr int kMarginSeconds = 60;            // of the Job's limit over those of its steps
constexpr std::size_t kMostStepNames = 4000;  // of an annotation that people read

// What a label may hold of a text: 63 letters, digits, '-', '_' and '.', no such sign at the ends.
std::string label_value(std::string text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  for (char& c : text) {
    if (!is_plain(c) && c != '-' && c != '_' && c != '.') c = '-';
  }
  text = text.substr(0, 63);
  while (!text.empty() && !is_plain(text.back())) text.pop_back();
  while (!text.empty() && !is_plain(text.front())) text.erase(0, 1);
  return text;
}

// An allocation there: its name and the label of its controller.
struct There {
  std::string name, controller;
};

json labels_of(const std::string& directory, const std::string& controller) {
  return {{kKubeOwnerLabel, "kneepoint"},
          {kKubeControllerLabel, controller},
          {kKubeStudyLabel, label_value(directory.substr(directory.rfind('/') + 1))}};
}

// "r17-a2" is attempt 2 of run 17; other names are no labels.
void add_run(json& labels, const AllocationRequest& request) {
  if (request.steps.size() != 1) return;
  const std::string& name = request.steps.front().attempt;
  const std::size_t dash = name.find("-a");
  if (!name.starts_with('r') || dash == std::string::npos) return;
  labels[kKubeRunLabel] = label_value(name.substr(1, dash - 1));
  labels[kKubeAttemptLabel] = label_value(name.substr(dash + 2));
}

std::string step_names(const AllocationRequest& request) {
  std::string text;
  for (const Step& step : request.steps) {
    if (text.size() > kMostStepNames) return text + ",...";
    text += (text.empty() ? "" : ",") + step.attempt;
  }
  return text;
}

void add_pairs(json& object, const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [name, value] : pairs) object[name] = value;
}

std::int64_t deadline_seconds(const AllocationRequest& request, const Site& site) {
  Nanoseconds steps = 0;
  for (const Step& step : request.steps) steps += step.limit;
  const Nanoseconds limit = std::max(request.limit, steps) + site.kubernetes.pending_limit;
  return (limit + kSecond - 1) / kSecond + kMarginSeconds;
}

json labels_of_job(const AllocationRequest& request, const Site& site, const There& there) {
  json labels = labels_of(request.directory, there.controller);
  add_run(labels, request);
  add_pairs(labels, site.kubernetes.labels);
  return labels;
}

json notes_of_job(const AllocationRequest& request, const Site& site) {
  json notes = {{kKubeNameNote, request.name},
                {kKubeDirectoryNote, request.directory},
                {kKubeStepsNote, step_names(request)}};
  add_pairs(notes, site.kubernetes.annotations);
  return notes;
}

json template_of(const AllocationRequest& request, const Site& site, const There& there,
                 const std::string& key, KubeRole role) {
  // Meshes would add a container that never ends, so that the Job would not either.
  json labels = labels_of_job(request, site, there);
  labels["sidecar.istio.io/inject"] = "false";
  labels["kuma.io/sidecar-injection"] = "disabled";
  json notes = notes_of_job(request, site);
  notes["sidecar.istio.io/inject"] = "false";
  notes["linkerd.io/inject"] = "disabled";
  notes["consul.hashicorp.com/connect-inject"] = "false";
  return {
      {"metadata", {{"labels", std::move(labels)}, {"annotations", std::move(notes)}}},
      {"spec", json::parse(kube_pod_spec(request, site, there.name, key, role), nullptr, false)}};
}

// How it ends when nobody looks.
json limits_of(const AllocationRequest& request, const Site& site) {
  json limits = {{"backoffLimit", 0},
                 {"activeDeadlineSeconds", deadline_seconds(request, site)},
                 {"ttlSecondsAfterFinished", site.kubernetes.keep / kSecond}};
  if (!site.kubernetes.queue.empty()) limits["suspend"] = true;
  return limits;
}

json indexed_spec_of(const AllocationRequest& request, const Site& site, const There& there,
                     const std::string& key) {
  json spec = limits_of(request, site);
  spec["completionMode"] = "Indexed";
  spec["completions"] = request.shape.nodes;
  spec["parallelism"] = request.shape.nodes;
  spec["template"] = template_of(request, site, there, key, KubeRole::any);
  return spec;
}

// The launcher is pod 0 and has ranks too, so it keeps its GPUs. A run of one pod has no workers:
// the operator refuses a number of 0. Workers that have ended are left, since they tell why.
json mpi_spec_of(const AllocationRequest& request, const Site& site, const There& there,
                 const std::string& key) {
  const auto replicas = [&](int number, KubeRole role) {
    return json{{"replicas", number},
                {"restartPolicy", "Never"},
                {"template", template_of(request, site, there, key, role)}};
  };
  json policy = limits_of(request, site);
  policy["cleanPodPolicy"] = "Running";
  json spec = {{"runPolicy", std::move(policy)},
               {"slotsPerWorker", std::max(1, request.shape.ranks_per_node)},
               {"runLauncherAsWorker", true},
               {"mpiImplementation", "OpenMPI"},
               {"mpiReplicaSpecs", {{"Launcher", replicas(1, KubeRole::launcher)}}}};
  if (request.shape.nodes > 1) {
    spec["mpiReplicaSpecs"]["Worker"] = replicas(request.shape.nodes - 1, KubeRole::worker);
  }
  return spec;
}

json job_of(const AllocationRequest& request, const Site& site, const There& there,
            const std::string& key) {
  const KubeKind& kind = kube_kind(site);
  json job = {{"apiVersion", kind.group_version},
              {"kind", kind.name},
              {"metadata",
               {{"name", there.name},
                {"labels", labels_of_job(request, site, there)},
                {"annotations", notes_of_job(request, site)}}}};
  const std::string& queue = site.kubernetes.queue;
  if (!queue.empty()) job["metadata"]["labels"][kKubeQueueLabel] = queue;
  job["spec"] = site.kubernetes.mpi_job ? mpi_spec_of(request, site, there, key)
                                        : indexed_spec_of(request, site, there, key);
  return job;
}

}  // namespace

std::string kube_controller(const std::string& directory, const std::string& id) {
  return hex64(fnv1a64(id.empty() ? directory : directory + "\n" + id));
}

std::string kube_name(const std::string& allocation, const std::string& directory,
                      const std::string& id) {
  return allocation + "-" + kube_controller(directory, id).substr(0, 8);
}

KubeManifest kube_manifest(const AllocationRequest& request, const Site& site,
                           const std::string& key, const std::string& id) {
  const There there{kube_name(request.name, request.directory, id),
                    kube_controller(request.directory, id)};
  KubeManifest manifest;
  manifest.name = there.name;
  AllocationRequest plain = request;
  plain.push = {};  // where we listen may change from one start to the next
  manifest.hash = sha256_hex(job_of(plain, site, there, "").dump()).substr(0, 16);
  json job = job_of(request, site, there, key);
  job["metadata"]["annotations"][kKubeHashNote] = manifest.hash;
  manifest.job = job.dump();
  return manifest;
}

std::string kube_service(const std::string& name, const std::string& directory,
                         const std::string& job_uid, const std::string& id) {
  json service = {
      {"apiVersion", "v1"},
      {"kind", "Service"},
      {"metadata",
       {{"name", name}, {"labels", labels_of(directory, kube_controller(directory, id))}}},
      {"spec",
       {{"clusterIP", "None"},
        {"publishNotReadyAddresses", true},
        {"selector", {{kIndexedJob.pod_label, name}}}}}};
  if (!job_uid.empty()) {
    service["metadata"]["ownerReferences"] = json::array({{{"apiVersion", "batch/v1"},
                                                           {"kind", "Job"},
                                                           {"name", name},
                                                           {"uid", job_uid},
                                                           {"controller", true}}});
  }
  return service.dump();
}

// Steps. plm_rsh_agent is what Open MPI calls "ssh": HOST and one shell text. Tree spawning is off,
// since only pod 0 has links to all pods. The daemons stay in the foreground, so that their end is
// seen; Open MPI then refuses to start more of them than it may at once.

namespace {

constexpr int kUsualConcurrent = 128;
constexpr char kRunFolder[] = "/kneepoint/runs/";

// "-x NAME" for what must reach the ranks in other pods. Open MPI passes its own on by itself.
std::vector<std::string> passed_on(const Step& step) {
  std::vector<std::string> options;
  std::set<std::string> names;
  for (const EnvironmentVariable& one : step.command.environment) {
    if (one.name.starts_with("OMPI_") || !names.insert(one.name).second) continue;
    options.insert(options.end(), {"-x", one.name});
  }
  return options;
}

std::vector<std::string> mpirun_argv(const Step& step, const Site& site, const std::string& job) {
  const Shape& shape = step.shape;
  std::string hosts;
  for (const std::string& host : kube_hosts(site, job, shape.nodes)) {
    hosts += (hosts.empty() ? "" : ",") + host + ":" + std::to_string(shape.ranks_per_node);
  }
  std::vector<std::string> argv = {"mpirun", "-n", std::to_string(shape.ranks), "--host", hosts};
  const std::vector<std::pair<std::string, std::string>> parameters = {
      {"plm", "rsh"},
      {"plm_rsh_agent", kube_agent(site) + " exec"},
      {"plm_rsh_no_tree_spawn", "1"},
      {"plm_rsh_num_concurrent", std::to_string(std::max(kUsualConcurrent, shape.nodes))},
      {"orte_leave_session_attached", "1"},
      {"orte_keep_fqdn_hostnames", "1"}};
  for (const auto& [name, value] : parameters) {
    argv.insert(argv.end(), {"--mca", name, value});
  }
  add_layout(step, argv);
  const auto passed = passed_on(step);
  argv.insert(argv.end(), passed.begin(), passed.end());
  add_command(step, argv);
  return argv;
}

// What mpirun is to know, as variables, since it refuses a parameter that it is told twice: a site
// with another network says so by its own variables or options.
wire::Pairs mpirun_variables(const KubernetesSite& site) {
  wire::Pairs variables = {{"OMPI_MCA_btl", "self,vader,tcp"}, {"OMPI_MCA_pml", "ob1"}};
  if (site.mpi_job) {
    // The operator tells mpirun of its hostfile and of options for ssh; the agents are no ssh.
    variables.emplace_back("OMPI_MCA_orte_default_hostfile", "none");
    variables.emplace_back("OMPI_MCA_plm_rsh_args", "");
  }
  if (site.run_as_user == 0) {
    variables.insert(variables.end(), kRootVariables.begin(), kRootVariables.end());
  }
  return variables;
}

std::vector<std::string> step_argv_in_pods(const Step& step, const Site& site,
                                           const std::string& job) {
  if (step.starter.kind == StarterKind::mpirun) return mpirun_argv(step, site, job);
  std::vector<std::string> argv;
  if (step.shape.nodes > 1) {
    argv = {kube_agent(site), "spread", std::to_string(step.shape.nodes)};
    if (step.shape.ranks_per_node > 1) {
      argv.insert(argv.end(), {"-r", std::to_string(step.shape.ranks_per_node)});
    }
    const auto passed = passed_on(step);
    argv.insert(argv.end(), passed.begin(), passed.end());
    argv.emplace_back("--");
  }
  argv.insert(argv.end(), step.command.argv.begin(), step.command.argv.end());
  return argv;
}

}  // namespace

std::string kube_agent(const Site& site) {
  return site.agent.empty() ? kImageAgent : site.agent;
}

// Pod 0 knows its plain host name without asking: the other one may not be there yet when a run of
// one pod starts, and mpirun would take it for another machine.
std::vector<std::string> kube_hosts(const Site& site, const std::string& job, int nodes) {
  const bool is_mpi_job = site.kubernetes.mpi_job;
  std::vector<std::string> hosts = {job + (is_mpi_job ? "-launcher" : "-0")};
  for (int i = 1; i < nodes; ++i) {
    const std::string which = is_mpi_job ? "worker-" + std::to_string(i - 1) : std::to_string(i);
    hosts.push_back(job + "-" + which + "." + job);
  }
  return hosts;
}

std::string kube_allocation_text(const AllocationRequest& request, const Site& site,
                                 const std::string& job) {
  std::vector<Step> steps = request.steps;
  AllocationFile file = allocation_of(request);
  for (Step& step : steps) {
    step.run_dir = kRunFolder + step.attempt;
    for (InputFile& input : step.program.staged) input.source.clear();  // pods share no folder
    const bool by_mpirun = step.starter.kind == StarterKind::mpirun;
    file.steps.push_back(step_spec(step, step_argv_in_pods(step, site, job),
                                   by_mpirun ? mpirun_variables(site.kubernetes) : wire::Pairs(),
                                   kMostKeptBytesInLog));
    file.steps.back().nodes = step.shape.nodes;
  }
  return allocation_text(file);
}

}  // namespace kneepoint
