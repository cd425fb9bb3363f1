// SPDX-License-Identifier: Apache-2.0
//
// What a list's things are called by is Kubernetes' own choice (patchMergeKey of its API types).
#include "orchestrator/backend/kubernetes/patch.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace kneepoint {
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
