// SPDX-License-Identifier: Apache-2.0
//
// The `kubernetes` section of a site file. Labels by which we know our own objects are not the
// site's to set.
#include <algorithm>

#include "orchestrator/plan/plan/parts.h"

namespace kneepoint {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr int kMostUser = 2'147'483'647;

bool is_lower(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

// The part of a label's name behind its prefix, and a label's value.
bool is_label_word(std::string_view text) {
  return !text.empty() && text.size() <= 63 && is_made_of(text, "-_.") &&
         is_made_of(text.substr(0, 1), "") && is_made_of(text.substr(text.size() - 1), "");
}

bool is_qualified_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_label_word(text);
  return is_kube_name(text.substr(0, slash), true) && is_label_word(text.substr(slash + 1));
}

constexpr char kLabel[] = "a name of lower case letters, digits and '-' (at most 63)";
constexpr char kDomain[] = "a name of lower case letters, digits, '-' and '.'";

bool is_label(std::string_view text) {
  return is_kube_name(text, false);
}

bool is_domain(std::string_view text) {
  return is_kube_name(text, true);
}

bool is_vendor_name(std::string_view text) {
  return is_qualified_name(text) && text.find('/') != std::string_view::npos;
}

void read_quantity(const YamlView& view, std::string& quantity) {
  const auto text = view.text();
  if (!text) return;
  quantity = *text;
  if (is_kube_quantity(*text)) return;
  const bool bytes = text->size() > 2 && text->back() == 'B';
  view.fail("expected an amount such as 500m, 2, 1.5Gi or 4G, found '" + *text + "'" +
            (bytes ? "; did you mean '" + text->substr(0, text->size() - 1) + "'?" : ""));
}

void read_pairs(const YamlView& view, Pairs& pairs) {
  for (const YamlView& entry : view.entries()) {
    if (!is_qualified_name(entry.name())) {
      entry.fail_at_key("expected NAME or DOMAIN/NAME, of letters, digits, '-', '_' and '.'");
    }
    if (const auto text = entry.text()) pairs.emplace_back(entry.name(), *text);
  }
}

void read_labels(const YamlView& view, Pairs& labels) {
  read_pairs(view, labels);
  for (const YamlView& entry : view.entries()) {
    const std::string& name = entry.name();
    if (name.starts_with("kneepoint.io/") || name == "app.kubernetes.io/managed-by" ||
        name == "job-name" || name.starts_with("batch.kubernetes.io/") ||
        name.starts_with("training.kubeflow.org/")) {
      entry.fail_at_key("is set by kneepoint or Kubernetes itself");
    }
    const auto value = entry.is(YamlNode::Kind::scalar) ? entry.text() : std::nullopt;
    if (value && !value->empty() && !is_label_word(*value)) {
      entry.fail("expected at most 63 letters, digits, '-', '_' and '.', found '" + *value + "'");
    }
  }
}

void read_resources(const YamlView& view, Pairs& resources) {
  for (const YamlView& entry : view.entries()) {
    if (entry.name() == "cpu" || entry.name() == "memory") {
      entry.fail_at_key("has a key of its own: kubernetes." + entry.name());
      continue;
    }
    if (!is_qualified_name(entry.name())) {
      entry.fail_at_key("expected the name of a resource, such as rdma/hca or hugepages-2Mi");
    }
    std::string amount;
    read_quantity(entry, amount);
    resources.emplace_back(entry.name(), amount);
  }
}

// Handed on as it is; only its kind is looked at.
template <YamlNode::Kind kKind>
void read_raw(const YamlView& view, std::string& json) {
  if (!view.present() || view.is(YamlNode::Kind::broken)) return;
  if (!view.is(kKind)) return view.expected(kKind == YamlNode::Kind::map ? "a map" : "a list");
  json = json_of(*view.node());
}
constexpr auto read_map = read_raw<YamlNode::Kind::map>;
constexpr auto read_list = read_raw<YamlNode::Kind::list>;

const Keys<KubeVolume> kVolume = {
    {"name", as("name", required(text(&KubeVolume::name, is_label, kLabel), "missing")), "required",
     "other than our own `work`, `tmp` and `shm`"},
    {"mount", as("path", required(text(&KubeVolume::mount), "missing")), "required",
     "where the container sees it"},
    {"sub_path", as("path", text(&KubeVolume::sub_path)), "the whole volume", "a folder of it"},
    {"read_only", truth(&KubeVolume::read_only), "`false`", ""},
    {"source", as("map", required(by(&KubeVolume::source, read_map), "missing")), "required",
     "the volume as a pod has it, without its name"},
};

void read_volume(const YamlView& view, std::vector<KubeVolume>& volumes) {
  KubeVolume volume;
  if (!kVolume.read(view, volume)) return;
  for (const char* ours : {"work", "tmp", "shm"}) {
    if (volume.name == ours) view["name"].fail("'" + volume.name + "' is a volume of our own");
  }
  const auto same_name = [&](const KubeVolume& one) { return one.name == volume.name; };
  if (!volume.name.empty() && std::any_of(volumes.begin(), volumes.end(), same_name)) {
    view["name"].fail("given twice: '" + volume.name + "'");
  }
  if (!volume.mount.empty() && volume.mount.front() != '/') {
    view["mount"].fail("expected a path from '/', found '" + volume.mount + "'");
  }
  volumes.push_back(std::move(volume));
}

void read_volumes(const YamlView& view, std::vector<KubeVolume>& volumes) {
  for (const YamlView& item : view.items()) read_volume(item, volumes);
}

void read_image(const YamlView& view, std::string& image) {
  read_into(view.text(), image);
  const bool blank = image.find_first_of(" \t\n") != std::string::npos;
  if (view.is(YamlNode::Kind::scalar) && (image.empty() || blank)) {
    view.expected("REGISTRY/NAME:TAG or NAME@DIGEST");
  }
}

void read_secrets(const YamlView& view, std::vector<std::string>& names) {
  for (const YamlView& item : view.items()) {
    read_into(item.text(is_domain, kDomain), names.emplace_back());
  }
}

// Seconds are what Kubernetes counts in.
void read_seconds(const YamlView& view, Nanoseconds& duration) {
  const auto given = view.duration(1);
  if (!given) return;
  duration = *given;
  if (*given < kSecond) view.fail("expected at least 1s");
}

using Kube = KubernetesSite;
const Keys<Kube> kKubernetes = {
    {"kubeconfig", as("path", text(&Kube::kubeconfig)),
     "`KUBECONFIG`, else `~/.kube/config`, else the account of the pod that we run in",
     "how to reach the cluster, and as whom"},
    {"context", as("name", text(&Kube::context)), "the current one", "of the kubeconfig"},
    {"namespace", as("name", text(&Kube::name_space, is_label, kLabel)),
     "the context's, else `default`", "where Jobs and Services are made"},
    {"image",
     as("reference", required(by(&Kube::image, read_image),
                              "missing; expected an image with the agent and the workloads")),
     "required",
     "holds the agent, the workloads and their MPI; `programs` and `agent` are paths in it"},
    {"image_pull_policy", word(&Kube::image_pull_policy, {"IfNotPresent", "Always", "Never"}),
     "`IfNotPresent`", ""},
    {"image_pull_secrets", as("list of names", by(&Kube::image_pull_secrets, read_secrets)), "none",
     "Secrets with the registry's credentials"},
    {"service_account", as("name", text(&Kube::service_account, is_domain, kDomain)),
     "the namespace's", "of the pods; its token is not mounted"},
    {"cpu", as("quantity", by(&Kube::cpu, read_quantity)), "ranks x threads of a pod",
     "request and limit of each pod"},
    {"memory", as("quantity", by(&Kube::memory, read_quantity)), "none", "the same"},
    {"gpu_resource",
     as("`VENDOR/NAME`",
        text(&Kube::gpu_resource, is_vendor_name, "VENDOR/NAME such as nvidia.com/gpu")),
     "`nvidia.com/gpu`", "what `gpus_per_node` of the plan asks for"},
    {"resources", as("map of quantities", names_by(&Kube::resources, read_resources)), "none",
     "more to ask for: `{rdma/hca: 1}`"},
    {"node_selector", as("map", names_by(&Kube::node_selector, read_pairs)), "none",
     "labels that a node must have"},
    {"tolerations", as("list", by(&Kube::tolerations, read_list)), "none", "as a pod has them"},
    {"affinity", as("map", by(&Kube::affinity, read_map)), "none",
     "as a pod has it; `one_pod_per_node` adds to it"},
    {"topology_spread", as("list", by(&Kube::topology_spread, read_list)), "none",
     "as `topologySpreadConstraints` of a pod; without a `labelSelector` it is about the pods of "
     "the same Job"},
    {"labels", as("map", names_by(&Kube::labels, read_labels)), "none",
     "more of them, on the Job and its pods"},
    {"annotations", names_by(&Kube::annotations, read_pairs)},
    {"volumes", as("list", by(&Kube::volumes, read_volumes, &kVolume)), "none", "see below"},
    {"priority_class", as("name", text(&Kube::priority_class, is_domain, kDomain)), "the cluster's",
     ""},
    {"shm", as("quantity", by(&Kube::shm, read_quantity)), "as much as the pod may have",
     "size of `/dev/shm`, a volume in memory"},
    {"queue", as("name", text(&Kube::queue, is_domain, kDomain)), "none",
     "a LocalQueue of Kueue: Jobs start suspended and wait there to be admitted; the wait counts "
     "as "
     "queue wait"},
    {"mpi_job", truth(&Kube::mpi_job), "`false`",
     "a run is an MPIJob of kubeflow instead of an Indexed Job; see below"},
    {"one_pod_per_node", truth(&Kube::one_pod_per_node), "`true`",
     "no two pods of a run on one node"},
    {"host_network", truth(&Kube::host_network), "`false`",
     "the nodes' network instead of the pods'"},
    {"read_only_root", truth(&Kube::read_only_root), "`true`",
     "the image's files can't be changed; `/tmp`, `/dev/shm` and the work folder can"},
    {"run_as_user", whole(&Kube::run_as_user, 0, kMostUser), "65532",
     "`0`: root, if the cluster allows it"},
    {"pending_limit", as("duration", by(&Kube::pending_limit, read_seconds)), "`30m`",
     "a Job that waits longer for its pods is ended"},
    {"keep", as("duration", by(&Kube::keep, read_seconds)), "`24h`",
     "an ended Job that nobody deleted goes by itself"},
    {"pod", as("map", by(&Kube::pod_patch, read_map)), "none",
     "merged into the pod's specification: maps key by key, `null` removes, lists of named things "
     "by "
     "name, other lists are replaced; our container is `agent`"},
};

}  // namespace

bool is_kube_name(std::string_view text, bool dots) {
  if (text.empty() || text.size() > (dots ? 253U : 63U)) return false;
  if (!is_lower(text.front()) || !is_lower(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return is_lower(c) || c == '-' || (dots && c == '.'); });
}

bool is_kube_quantity(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  const std::string_view number = text.substr(0, end);
  if (std::count(number.begin(), number.end(), '.') > 1) return false;
  if (number.find_first_of("123456789") == std::string_view::npos) return false;
  const std::string_view unit = end == std::string_view::npos ? "" : text.substr(end);
  for (const std::string_view known :
       {"", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}) {
    if (unit == known) return true;
  }
  if (unit.front() != 'e' && unit.front() != 'E') return false;
  const std::size_t sign = unit.size() > 1 && (unit[1] == '-' || unit[1] == '+') ? 2 : 1;
  const std::string_view power = unit.substr(sign);
  return !power.empty() && power.size() < 3 &&
         power.find_first_not_of("0123456789") == std::string_view::npos;
}

const KeySet& kubernetes_keys() {
  return kKubernetes;
}

void read_kubernetes(const YamlView& root, Site& site) {
  const YamlView view = root["kubernetes"];
  if (site.backend != BackendKind::kubernetes) {
    if (view.present()) view.fail_at_key("is for backend: kubernetes");
    return;
  }
  if (!view.present()) {
    root["backend"].fail("kubernetes needs `kubernetes: {image: ...}` beside it");
    return;
  }
  if (!kKubernetes.read(view, site.kubernetes)) return;
  for (const char* key : {"programs", "agent"}) {
    const YamlView path = root[key];
    if (path.is(YamlNode::Kind::scalar) && !path.text()->starts_with("/")) {
      path.fail("expected a path in the image, from '/'");
    }
  }
}

}  // namespace kneepoint
