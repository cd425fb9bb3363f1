// SPDX-License-Identifier: Apache-2.0
//
// Every pod has folders of its own to write to and nothing else, no account's token, and no rights
// that it could do without.
#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/base/base64.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace kneepoint {
namespace {

using nlohmann::json;

constexpr std::size_t kPieceBytes = 96 << 10;  // Linux takes 128 KiB in one variable
constexpr char kWorkFolder[] = "/kneepoint";

void put_pairs(json& object, const std::vector<std::pair<std::string, std::string>>& pairs) {
  for (const auto& [name, value] : pairs) object[name] = value;
}

json variable(const std::string& name, const std::string& value) {
  return {{"name", name}, {"value", value}};
}

json field(const std::string& name, const std::string& path) {
  return {{"name", name}, {"valueFrom", {{"fieldRef", {{"fieldPath", path}}}}}};
}

json environment_of(const AllocationRequest& request, const Site& site, const std::string& job,
                    const std::string& key, KubeRole role) {
  json list = json::array();
  // base64, so that nothing in it can look like a reference to another variable.
  const std::string text = role == KubeRole::worker
                               ? std::string()
                               : base64_encoded(kube_allocation_text(request, site, job));
  int piece = 0;
  for (std::size_t at = 0; at < text.size(); at += kPieceBytes) {
    list.push_back(
        variable("KNEEPOINT_ALLOCATION_" + std::to_string(piece++), text.substr(at, kPieceBytes)));
  }
  list.push_back(variable("KNEEPOINT_KEY", key));
  list.push_back(variable("KNEEPOINT_PODS", std::to_string(request.shape.nodes)));
  list.push_back(variable("KNEEPOINT_JOB", job));
  list.push_back(variable("KNEEPOINT_WAIT", std::to_string(std::max<Nanoseconds>(
                                                1, site.kubernetes.pending_limit / kSecond))));
  list.push_back(field("KNEEPOINT_NODE", "spec.nodeName"));
  if (role != KubeRole::any) list.push_back(field("KNEEPOINT_POD", "metadata.name"));
  list.push_back(variable("HOME", std::string(kWorkFolder) + "/home"));
  list.push_back(variable("TMPDIR", std::string(kWorkFolder) + "/tmp"));
  return list;
}

json resources_of(const AllocationRequest& request, const Site& site) {
  const KubernetesSite& kubernetes = site.kubernetes;
  json wanted = json::object();
  const bool shares = std::any_of(request.steps.begin(), request.steps.end(),
                                  [](const Step& s) { return s.emulated || s.oversubscribed; });
  const int cpus = request.shape.ranks_per_node * request.shape.threads_per_rank;
  wanted["cpu"] = !kubernetes.cpu.empty() ? kubernetes.cpu
                  : shares                ? "100m"
                                          : std::to_string(std::max(1, cpus));
  if (!kubernetes.memory.empty()) wanted["memory"] = kubernetes.memory;
  if (request.shape.gpus_per_node > 0) {
    wanted[kubernetes.gpu_resource] = std::to_string(request.shape.gpus_per_node);
  }
  put_pairs(wanted, kubernetes.resources);
  json limits = wanted;
  if (kubernetes.cpu.empty() && shares) limits.erase("cpu");  // a share, not a ceiling
  return {{"requests", wanted}, {"limits", limits}};
}

json container_of(const AllocationRequest& request, const Site& site, const std::string& job,
                  const std::string& key, KubeRole role) {
  const KubernetesSite& kubernetes = site.kubernetes;
  json mounts = json::array({{{"name", "work"}, {"mountPath", kWorkFolder}},
                             {{"name", "shm"}, {"mountPath", "/dev/shm"}},
                             {{"name", "tmp"}, {"mountPath", "/tmp"}}});
  for (const KubeVolume& volume : kubernetes.volumes) {
    json mount = {{"name", volume.name}, {"mountPath", volume.mount}};
    if (volume.read_only) mount["readOnly"] = true;
    if (!volume.sub_path.empty()) mount["subPath"] = volume.sub_path;
    mounts.push_back(std::move(mount));
  }
  // Steps of several images are never packed: a pod has one.
  const std::string& own = request.steps.front().image;
  return {{"name", "agent"},
          {"image", own.empty() ? kubernetes.image : own},
          {"imagePullPolicy", kubernetes.image_pull_policy},
          {"command", {kube_agent(site), "pod"}},
          {"env", environment_of(request, site, job, key, role)},
          {"resources", resources_of(request, site)},
          {"volumeMounts", std::move(mounts)},
          {"securityContext",
           {{"allowPrivilegeEscalation", false},
            {"readOnlyRootFilesystem", kubernetes.read_only_root},
            {"capabilities", {{"drop", {"ALL"}}}}}}};
}

// The site's reader has seen to it that it is JSON.
json parsed(const std::string& text) {
  return json::parse(text, nullptr, false);
}

void add_placement(json& spec, const Site& site, const std::string& name) {
  const KubernetesSite& kubernetes = site.kubernetes;
  const json selector = {{"matchLabels", {{kube_kind(site).pod_label, name}}}};
  if (!kubernetes.tolerations.empty()) spec["tolerations"] = parsed(kubernetes.tolerations);
  if (!kubernetes.affinity.empty()) spec["affinity"] = parsed(kubernetes.affinity);
  if (!kubernetes.topology_spread.empty()) {
    spec["topologySpreadConstraints"] = parsed(kubernetes.topology_spread);
    for (json& one : spec["topologySpreadConstraints"]) {
      // Without a selector it would spread nothing.
      if (one.is_object() && !one.contains("labelSelector")) {
        one["labelSelector"] = selector;
      }
    }
  }
  if (kubernetes.one_pod_per_node) {
    spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"].push_back(
        {{"topologyKey", "kubernetes.io/hostname"}, {"labelSelector", selector}});
  }
}

}  // namespace

std::string kube_pod_spec(const AllocationRequest& request, const Site& site,
                          const std::string& job, const std::string& key, KubeRole role) {
  const KubernetesSite& kubernetes = site.kubernetes;
  json shm = {{"medium", "Memory"}};
  if (!kubernetes.shm.empty()) shm["sizeLimit"] = kubernetes.shm;
  json spec = {{"terminationGracePeriodSeconds", 20},
               {"automountServiceAccountToken", false},
               {"enableServiceLinks", false},
               {"containers", json::array({container_of(request, site, job, key, role)})},
               {"volumes", json::array({{{"name", "work"}, {"emptyDir", json::object()}},
                                        {{"name", "tmp"}, {"emptyDir", json::object()}},
                                        {{"name", "shm"}, {"emptyDir", std::move(shm)}}})}};
  if (role == KubeRole::any) {  // else the operator's
    spec["restartPolicy"] = "Never";
    spec["subdomain"] = job;
  }
  if (kubernetes.run_as_user > 0) {
    spec["securityContext"] = {{"runAsNonRoot", true},
                               {"runAsUser", kubernetes.run_as_user},
                               {"runAsGroup", kubernetes.run_as_user},
                               {"fsGroup", kubernetes.run_as_user},
                               {"seccompProfile", {{"type", "RuntimeDefault"}}}};
  }
  if (!kubernetes.service_account.empty()) {
    spec["serviceAccountName"] = kubernetes.service_account;
  }
  if (!kubernetes.priority_class.empty()) spec["priorityClassName"] = kubernetes.priority_class;
  for (const std::string& secret : kubernetes.image_pull_secrets) {
    spec["imagePullSecrets"].push_back({{"name", secret}});
  }
  if (!kubernetes.node_selector.empty()) put_pairs(spec["nodeSelector"], kubernetes.node_selector);
  if (kubernetes.host_network) {
    spec["hostNetwork"] = true;
    spec["dnsPolicy"] = "ClusterFirstWithHostNet";
  }
  for (const KubeVolume& volume : kubernetes.volumes) {
    json own = parsed(volume.source);
    own["name"] = volume.name;
    spec["volumes"].push_back(std::move(own));
  }
  add_placement(spec, site, job);
  // Only a pod that the user asked for differs from the one above.
  return kubernetes.pod_patch.empty() ? spec.dump()
                                      : kube_patched(spec.dump(), kubernetes.pod_patch);
}

// What a list's things are called by is Kubernetes' own choice (patchMergeKey of its API types).

namespace {

using nlohmann::json;

json patched(json original, const json& patch);

// "": the list is replaced as a whole.
std::string merge_key(const std::string& list) {
  if (list == "volumeMounts") return "mountPath";
  if (list == "volumeDevices") return "devicePath";
  if (list == "ports") return "containerPort";
  if (list == "hostAliases") return "ip";
  if (list == "topologySpreadConstraints") return "topologyKey";
  for (const char* named : {"containers", "initContainers", "ephemeralContainers", "volumes", "env",
                            "imagePullSecrets", "resourceClaims"}) {
    if (list == named) return "name";
  }
  return "";
}

void merge_list(json& original, const json& patch, const std::string& key) {
  for (const json& change : patch) {
    const auto same = std::find_if(original.begin(), original.end(), [&](const json& one) {
      return one.is_object() && change.is_object() && change.contains(key) && one.contains(key) &&
             one[key] == change[key];
    });
    if (same == original.end()) {
      original.push_back(change);
    } else {
      *same = patched(*same, change);
    }
  }
}

json patched(json original, const json& patch) {
  if (!patch.is_object() || !original.is_object()) return patch;
  for (const auto& [name, value] : patch.items()) {
    const std::string key = merge_key(name);
    if (value.is_null()) {
      original.erase(name);
    } else if (value.is_array() && !key.empty() && original.contains(name) &&
               original[name].is_array()) {
      merge_list(original[name], value, key);
    } else if (value.is_object() && original.contains(name)) {
      original[name] = patched(original[name], value);
    } else {
      original[name] = value;
    }
  }
  return original;
}

}  // namespace

std::string kube_patched(const std::string& original, const std::string& patch) {
  return patched(json::parse(original, nullptr, false), json::parse(patch, nullptr, false)).dump();
}

}  // namespace kneepoint
