// SPDX-License-Identifier: Apache-2.0
//
// Entries are never merged with each other: that of the first file counts, as a whole.
#include "orchestrator/plan/site/kubeconfig_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

Error bad(const std::string& where, const std::string& what) {
  return {ErrorCode::invalid, where + ": " + what, false};
}

std::vector<std::string> names_of(const std::vector<KubeconfigFile>& files,
                                  const std::string& list) {
  std::vector<std::string> names;
  for (const KubeconfigFile& file : files) {
    const YamlNode* items = child_of(file.root, list);
    if (items == nullptr) continue;
    for (const YamlNode& item : items->items) {
      const std::string name = text_of(item, "name");
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::optional<KubeconfigEntry> find(const std::vector<KubeconfigFile>& files,
                                    const std::string& kind, const std::string& name) {
  static const YamlNode nothing;
  for (const KubeconfigFile& file : files) {
    const YamlNode* items = child_of(file.root, kind + "s");
    if (items == nullptr) continue;
    for (const YamlNode& item : items->items) {
      if (text_of(item, "name") != name) continue;
      const YamlNode* value = child_of(item, kind);
      return KubeconfigEntry{value != nullptr ? value : &nothing, file.path,
                             kind + " '" + name + "'"};
    }
  }
  return std::nullopt;
}

std::string file_names(const std::vector<KubeconfigFile>& files) {
  std::vector<std::string> paths;
  for (const KubeconfigFile& file : files) paths.push_back(file.path);
  return "kubeconfig '" + comma_list(paths) + "'";
}

}  // namespace

std::string comma_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

Error bad_entry(const KubeconfigEntry& entry, const std::string& what) {
  return bad("kubeconfig '" + entry.file + "'", entry.what + ": " + what);
}

const YamlNode* child_of(const YamlNode& map, std::string_view key) {
  for (const YamlEntry& entry : map.entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

std::string text_of(const YamlNode& map, std::string_view key) {
  const YamlNode* value = child_of(map, key);
  return value != nullptr && value->kind == YamlNode::Kind::scalar ? value->text : "";
}

std::optional<std::string> file_content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

Result<std::vector<KubeconfigFile>> read_kubeconfigs(const KubeAccessPlaces& places) {
  std::vector<KubeconfigFile> files;
  for (const std::string& path : places.files) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      if (!places.must_exist) continue;
      return Error{ErrorCode::not_found, "kubeconfig '" + path + "': there is no such file", false};
    }
    const auto text = file_content(path);
    if (!text || fs::is_directory(path, ignored)) {
      return Error{ErrorCode::io, "kubeconfig '" + path + "': can't be read", false};
    }
    if (trimmed(*text).empty()) continue;
    YamlFile file = parse_yaml(*text, path);
    if (!file.problems.empty()) return bad("kubeconfig", to_string(file.problems.front()));
    if (file.root.kind != YamlNode::Kind::map) {
      return bad("kubeconfig '" + path + "'", "expected a map of clusters, users and contexts");
    }
    files.push_back({path, std::move(file.root)});
  }
  return files;
}

std::string current_context(const std::vector<KubeconfigFile>& files) {
  for (const KubeconfigFile& file : files) {
    if (std::string name = text_of(file.root, "current-context"); !name.empty()) return name;
  }
  return "";
}

Result<KubeconfigEntry> kubeconfig_context(const std::vector<KubeconfigFile>& files,
                                           const std::string& wanted) {
  const std::string name = wanted.empty() ? current_context(files) : wanted;
  const std::string there = "; the contexts there are: " + comma_list(names_of(files, "contexts"));
  if (name.empty()) {
    return bad(file_names(files), "has no current-context, and the site names none" + there);
  }
  auto context = find(files, "context", name);
  if (!context) return bad(file_names(files), "there is no context '" + name + "'" + there);
  return *context;
}

Result<KubeconfigEntry> kubeconfig_named(const std::vector<KubeconfigFile>& files,
                                         const KubeconfigEntry& context, const std::string& kind) {
  const std::string name = text_of(*context.value, kind);
  if (name.empty()) return bad_entry(context, "names no " + kind);
  auto entry = find(files, kind, name);
  if (!entry) {
    return bad_entry(context, "there is no " + kind + " '" + name +
                                  "'; there are: " + comma_list(names_of(files, kind + "s")));
  }
  return *entry;
}

}  // namespace kneepoint
