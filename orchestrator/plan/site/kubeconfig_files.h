// SPDX-License-Identifier: Apache-2.0
//
// Kubeconfig files as one: of several files the first that sets a value, or has an entry of a name,
// decides. Private to kubeconfig.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/plan/site/kubeconfig.h"
#include "orchestrator/plan/yaml/yaml.h"

namespace kneepoint {

struct KubeconfigFile {
  std::string path;
  YamlNode root;
};

// A named entry ("users", "kim") and the file that it stands in.
struct KubeconfigEntry {
  const YamlNode* value = nullptr;
  std::string file;
  std::string what;  // "user 'kim'"
};

Result<std::vector<KubeconfigFile>> read_kubeconfigs(const KubeAccessPlaces& places);

// The context that is wanted, "": the current one; an error lists those that there are.
Result<KubeconfigEntry> kubeconfig_context(const std::vector<KubeconfigFile>& files,
                                           const std::string& wanted);
std::string current_context(const std::vector<KubeconfigFile>& files);
// The cluster or user that a context names.
Result<KubeconfigEntry> kubeconfig_named(const std::vector<KubeconfigFile>& files,
                                         const KubeconfigEntry& context, const std::string& kind);

// Values of a map; "" and nullptr: not there.
const YamlNode* child_of(const YamlNode& map, std::string_view key);
std::string text_of(const YamlNode& map, std::string_view key);

std::optional<std::string> file_content(const std::string& path);
std::string trimmed(const std::string& text);
std::string comma_list(const std::vector<std::string>& names);  // "none" if there are none
Error bad_entry(const KubeconfigEntry& entry, const std::string& what);

}  // namespace kneepoint
