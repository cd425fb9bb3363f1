// SPDX-License-Identifier: Apache-2.0
//
// Labels by which we know our own objects are not the site's to set.
#include "orchestrator/plan/site/kubernetes_site.h"

#include <algorithm>

#include "orchestrator/plan/yaml/json.h"

namespace kneepoint {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr int kMostUser = 2'147'483'647;

bool is_lower(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool is_alphanumeric(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}

// The part of a label's name behind its prefix, and a label's value.
bool is_label_word(std::string_view text) {
  if (text.empty() || text.size() > 63) return false;
  if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool is_qualified_name(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_label_word(text);
  return is_kube_name(text.substr(0, slash), true) && is_label_word(text.substr(slash + 1));
}

void read_name(const YamlView& view, bool dots, std::string& name) {
  const auto text = view.text();
  if (!text) return;
  name = *text;
  if (is_kube_name(*text, dots)) return;
  view.fail(std::string("expected a name of lower case letters, digits") +
            (dots ? ", '-' and '.'" : " and '-' (at most 63)") + ", found '" + *text + "'");
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

Pairs read_pairs(const YamlView& view) {
  Pairs pairs;
  for (const YamlView& entry : view.entries()) {
    if (!is_qualified_name(entry.name())) {
      entry.fail_at_key("expected NAME or DOMAIN/NAME, of letters, digits, '-', '_' and '.'");
    }
    if (const auto text = entry.text()) pairs.emplace_back(entry.name(), *text);
  }
  return pairs;
}

void read_labels(const YamlView& view, Pairs& labels) {
  labels = read_pairs(view);
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
void read_raw(const YamlView& view, YamlNode::Kind kind, std::string& json) {
  if (!view.present() || view.is(YamlNode::Kind::broken)) return;
  if (!view.is(kind)) {
    view.expected(kind == YamlNode::Kind::map ? "a map" : "a list");
    return;
  }
  json = json_of(*view.node());
}

void read_volume(const YamlView& view, std::vector<KubeVolume>& volumes) {
  if (!view.check_map()) return;
  KubeVolume volume;
  read_name(view["name"], false, volume.name);
  read_into(view["mount"].text(), volume.mount);
  read_into(view["sub_path"].text(), volume.sub_path);
  read_into(view["read_only"].truth(), volume.read_only);
  read_raw(view["source"], YamlNode::Kind::map, volume.source);
  for (const char* key : {"name", "mount", "source"}) {
    if (!view[key].present()) view[key].fail("missing");
  }
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

void read_image(const YamlView& view, KubernetesSite& kubernetes) {
  const YamlView image = view["image"];
  if (!image.present()) image.fail("missing; expected an image with the agent and the workloads");
  read_into(image.text(), kubernetes.image);
  const bool blank = kubernetes.image.find_first_of(" \t\n") != std::string::npos;
  if (image.is(YamlNode::Kind::scalar) && (kubernetes.image.empty() || blank)) {
    image.expected("REGISTRY/NAME:TAG or NAME@DIGEST");
  }
  static const std::vector<std::string> policies = {"IfNotPresent", "Always", "Never"};
  read_into(view["image_pull_policy"].word(policies), kubernetes.image_pull_policy);
  for (const YamlView& item : view["image_pull_secrets"].items()) {
    read_name(item, true, kubernetes.image_pull_secrets.emplace_back());
  }
}

void read_placement(const YamlView& view, KubernetesSite& kubernetes) {
  kubernetes.node_selector = read_pairs(view["node_selector"]);
  read_raw(view["tolerations"], YamlNode::Kind::list, kubernetes.tolerations);
  read_raw(view["affinity"], YamlNode::Kind::map, kubernetes.affinity);
  read_raw(view["topology_spread"], YamlNode::Kind::list, kubernetes.topology_spread);
  read_into(view["one_pod_per_node"].truth(), kubernetes.one_pod_per_node);
  read_into(view["host_network"].truth(), kubernetes.host_network);
  if (view["priority_class"].present()) {
    read_name(view["priority_class"], true, kubernetes.priority_class);
  }
}

void read_amounts(const YamlView& view, KubernetesSite& kubernetes) {
  read_quantity(view["cpu"], kubernetes.cpu);
  read_quantity(view["memory"], kubernetes.memory);
  read_quantity(view["shm"], kubernetes.shm);
  read_resources(view["resources"], kubernetes.resources);
  if (const auto gpu = view["gpu_resource"].text()) {
    kubernetes.gpu_resource = *gpu;
    if (!is_qualified_name(*gpu) || gpu->find('/') == std::string::npos) {
      view["gpu_resource"].fail("expected VENDOR/NAME such as nvidia.com/gpu, found '" + *gpu +
                                "'");
    }
  }
}

// Seconds are what Kubernetes counts in.
void read_seconds(const YamlView& view, Nanoseconds& duration) {
  const auto given = view.duration(1);
  if (!given) return;
  duration = *given;
  if (*given < kSecond) view.fail("expected at least 1s");
}

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

void read_kubernetes(const YamlView& root, Site& site) {
  const YamlView view = root["kubernetes"];
  if (site.backend != BackendKind::kubernetes) {
    if (view.present()) view.fail_at_key("is for backend: kubernetes");
    return;
  }
  KubernetesSite& kubernetes = site.kubernetes;
  if (!view.present()) {
    root["backend"].fail("kubernetes needs `kubernetes: {image: ...}` beside it");
    return;
  }
  if (!view.check_map()) return;
  read_into(view["kubeconfig"].text(), kubernetes.kubeconfig);
  read_into(view["context"].text(), kubernetes.context);
  read_name(view["namespace"], false, kubernetes.name_space);
  read_image(view, kubernetes);
  read_name(view["service_account"], true, kubernetes.service_account);
  read_amounts(view, kubernetes);
  read_placement(view, kubernetes);
  read_labels(view["labels"], kubernetes.labels);
  kubernetes.annotations = read_pairs(view["annotations"]);
  for (const YamlView& item : view["volumes"].items()) read_volume(item, kubernetes.volumes);
  read_name(view["queue"], true, kubernetes.queue);
  read_into(view["mpi_job"].truth(), kubernetes.mpi_job);
  read_into(view["read_only_root"].truth(), kubernetes.read_only_root);
  read_into(view["run_as_user"].integer(0, kMostUser), kubernetes.run_as_user);
  read_seconds(view["pending_limit"], kubernetes.pending_limit);
  read_seconds(view["keep"], kubernetes.keep);
  read_raw(view["pod"], YamlNode::Kind::map, kubernetes.pod_patch);
  for (const char* key : {"programs", "agent"}) {
    const YamlView path = root[key];
    if (path.is(YamlNode::Kind::scalar) && !path.text()->starts_with("/")) {
      path.fail("expected a path in the image, from '/'");
    }
  }
}

}  // namespace kneepoint
