// SPDX-License-Identifier: Apache-2.0
//
// Of several files the first that sets a value, or has an entry of a name, decides; entries are
// never merged with each other. Keys that we don't know are left alone: a kubeconfig belongs to
// many programs. What would change who we are, and is not done here, is refused rather than passed
// over.
#include "orchestrator/plan/site/kubeconfig.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "orchestrator/base/files.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/text.h"
#include "orchestrator/plan/yaml/yaml.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr char kInCluster[] = "in-cluster";

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

Error bad(const std::string& where, const std::string& what) {
  return {ErrorCode::invalid, where + ": " + what, false};
}

std::string listed_names(const std::vector<std::string>& names) {
  return names.empty() ? "none" : comma_separated(names);
}

Error missing(const std::string& message) {
  return {ErrorCode::not_found, message, false};
}

Error bad_entry(const KubeconfigEntry& entry, const std::string& what) {
  return bad("kubeconfig '" + entry.file + "'", entry.what + ": " + what);
}

// Values of a map; "" and nullptr: not there.
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
  constexpr std::size_t kMostBytes = 16 << 20;
  auto read = read_file_if_there(path, kMostBytes);
  return read ? std::move(read).value() : std::nullopt;
}

std::string without_blanks(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin);
}

struct KubeconfigLookup {
  std::optional<KubeconfigEntry> entry;
  std::string names;  // of all that there are
};

// The entry of a kind ("user") and name, in the first file that has one.
KubeconfigLookup look_up(const std::vector<KubeconfigFile>& files, const std::string& kind,
                         const std::string& name) {
  static const YamlNode nothing;
  KubeconfigLookup found;
  std::vector<std::string> names;
  for (const KubeconfigFile& file : files) {
    const YamlNode* items = child_of(file.root, kind + "s");
    if (items == nullptr) continue;
    for (const YamlNode& item : items->items) {
      const std::string own = text_of(item, "name");
      if (std::find(names.begin(), names.end(), own) != names.end()) continue;
      names.push_back(own);
      if (own != name) continue;
      const YamlNode* value = child_of(item, kind);
      found.entry = {value != nullptr ? value : &nothing, file.path, kind + " '" + name + "'"};
    }
  }
  found.names = listed_names(names);
  return found;
}

std::string file_names(const std::vector<KubeconfigFile>& files) {
  std::vector<std::string> paths;
  for (const KubeconfigFile& file : files) paths.push_back(file.path);
  return "kubeconfig '" + listed_names(paths) + "'";
}

Result<std::vector<KubeconfigFile>> read_kubeconfigs(const KubeAccessPlaces& places) {
  std::vector<KubeconfigFile> files;
  for (const std::string& path : places.files) {
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      if (!places.must_exist) continue;
      return missing("kubeconfig '" + path + "': there is no such file");
    }
    const auto text = file_content(path);
    if (!text || fs::is_directory(path, ignored)) {
      return Error{ErrorCode::io, "kubeconfig '" + path + "': can't be read", false};
    }
    if (without_blanks(*text).empty()) continue;
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

// The context that is wanted, "": the current one; an error lists those that there are.
Result<KubeconfigEntry> kubeconfig_context(const std::vector<KubeconfigFile>& files,
                                           const std::string& wanted) {
  const std::string name = wanted.empty() ? current_context(files) : wanted;
  const KubeconfigLookup contexts = look_up(files, "context", name);
  const std::string there = "; the contexts there are: " + contexts.names;
  if (name.empty()) {
    return bad(file_names(files), "has no current-context, and the site names none" + there);
  }
  if (contexts.entry) return *contexts.entry;
  return bad(file_names(files), "there is no context '" + name + "'" + there);
}

// The cluster or user that a context names.
Result<KubeconfigEntry> kubeconfig_named(const std::vector<KubeconfigFile>& files,
                                         const KubeconfigEntry& context, const std::string& kind) {
  const std::string name = text_of(*context.value, kind);
  if (name.empty()) return bad_entry(context, "names no " + kind);
  const KubeconfigLookup found = look_up(files, kind, name);
  if (found.entry) return *found.entry;
  return bad_entry(context, "there is no " + kind + " '" + name + "'; there are: " + found.names);
}

bool is_true(const YamlNode& map, std::string_view key) {
  return text_of(map, key) == "true";
}

std::string resolved(const std::string& path, const std::string& file) {
  return fs::path(path).is_absolute() ? path : (fs::path(file).parent_path() / path).string();
}

// PEM by `key`-data (base64, counts first) or by the file that `key` names.
Result<std::string> pem_of(const KubeconfigEntry& entry, const std::string& key) {
  const std::string data = text_of(*entry.value, key + "-data");
  std::string pem;
  if (!data.empty()) {
    std::string packed;
    for (const char c : data) {
      if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) packed += c;
    }
    if (!base64_decoded(packed, pem)) return bad_entry(entry, key + "-data is no base64");
  } else {
    const std::string name = text_of(*entry.value, key);
    if (name.empty()) return std::string();
    const std::string path = resolved(name, entry.file);
    const auto text = file_content(path);
    if (!text) return bad_entry(entry, key + ": '" + path + "' can't be read");
    pem = *text;
  }
  if (pem.find("-----BEGIN ") == std::string::npos) return bad_entry(entry, key + ": is no PEM");
  return pem;
}

Result<void> read_cluster(const KubeconfigEntry& cluster, KubeAccess& access) {
  const YamlNode& map = *cluster.value;
  access.server = text_of(map, "server");
  if (access.server.empty()) return bad_entry(cluster, "has no server");
  if (!access.server.starts_with("https://") && !access.server.starts_with("http://")) {
    return bad_entry(cluster, "server: expected https://HOST:PORT, found '" + access.server + "'");
  }
  TRY_ASSIGN(access.ca_pem, pem_of(cluster, "certificate-authority"));
  access.proxy_url = text_of(map, "proxy-url");
  access.tls_server_name = text_of(map, "tls-server-name");
  access.insecure = is_true(map, "insecure-skip-tls-verify");
  if (access.insecure && !access.ca_pem.empty()) {
    return bad_entry(cluster,
                     "has both a certificate-authority and insecure-skip-tls-verify: true");
  }
  return {};
}

Result<void> read_exec(const KubeconfigEntry& user, const YamlNode& map, KubeExec& exec) {
  exec.command = text_of(map, "command");
  if (exec.command.empty()) return bad_entry(user, "exec has no command");
  if (exec.command.find('/') != std::string::npos) exec.command = resolved(exec.command, user.file);
  exec.api_version = text_of(map, "apiVersion");
  if (exec.api_version.empty()) return bad_entry(user, "exec has no apiVersion");
  exec.install_hint = without_blanks(text_of(map, "installHint"));
  exec.provide_cluster_info = is_true(map, "provideClusterInfo");
  if (const YamlNode* arguments = child_of(map, "args")) {
    for (const YamlNode& one : arguments->items) exec.arguments.push_back(one.text);
  }
  if (const YamlNode* variables = child_of(map, "env")) {
    for (const YamlNode& one : variables->items) {
      exec.environment.emplace_back(text_of(one, "name"), text_of(one, "value"));
    }
  }
  return {};
}

Result<void> read_user(const KubeconfigEntry& user, KubeAccess& access) {
  const YamlNode& map = *user.value;
  for (const char* key : {"as", "as-uid", "as-groups", "as-user-extra"}) {
    if (child_of(map, key) != nullptr) {
      return bad_entry(user, std::string(key) + ": acting as somebody else is not supported");
    }
  }
  TRY_ASSIGN(access.client_certificate_pem, pem_of(user, "client-certificate"));
  TRY_ASSIGN(access.client_key_pem, pem_of(user, "client-key"));
  if (access.client_certificate_pem.empty() != access.client_key_pem.empty()) {
    const bool lacks_key = access.client_key_pem.empty();
    return bad_entry(user, lacks_key ? "has a client-certificate, but no client-key"
                                     : "has a client-key, but no client-certificate");
  }
  access.token = without_blanks(text_of(map, "token"));
  if (const std::string file = text_of(map, "tokenFile"); !file.empty()) {
    access.token_file = resolved(file, user.file);
    std::error_code ignored;
    if (!fs::exists(access.token_file, ignored)) {
      return bad_entry(user, "tokenFile: there is no '" + access.token_file + "'");
    }
  }
  if (const YamlNode* exec = child_of(map, "exec"); exec != nullptr) {
    TRY(read_exec(user, *exec, access.exec));
  }
  const bool known = !access.client_certificate_pem.empty() || !access.token.empty() ||
                     !access.token_file.empty() || !access.exec.command.empty();
  if (known) return {};
  if (child_of(map, "auth-provider") != nullptr) {
    return bad_entry(user,
                     "auth-provider: Kubernetes has dropped these; use exec, a token or a "
                     "client certificate");
  }
  if (child_of(map, "username") != nullptr) {
    return bad_entry(user,
                     "username and password: API servers no longer take them; use exec, a token "
                     "or a client certificate");
  }
  return {};
}

Result<KubeAccess> from_files(const std::vector<KubeconfigFile>& files, const std::string& wanted) {
  TRY_ASSIGN(const KubeconfigEntry context, kubeconfig_context(files, wanted));
  TRY_ASSIGN(const KubeconfigEntry cluster, kubeconfig_named(files, context, "cluster"));
  KubeAccess access;
  access.context = wanted.empty() ? current_context(files) : wanted;
  access.name_space = text_of(*context.value, "namespace");
  TRY(read_cluster(cluster, access));
  if (text_of(*context.value, "user").empty()) return access;  // nobody: a proxy may know better
  TRY_ASSIGN(const KubeconfigEntry user, kubeconfig_named(files, context, "user"));
  TRY(read_user(user, access));
  return access;
}

Result<KubeAccess> from_pod(const KubeAccessPlaces& places) {
  const bool six = places.service_host.find(':') != std::string::npos;
  KubeAccess access;
  access.context = kInCluster;
  access.server = "https://" + (six ? "[" + places.service_host + "]" : places.service_host) + ":" +
                  (places.service_port.empty() ? "443" : places.service_port);
  access.token_file = places.account_folder + "/token";
  const std::string ca_file = places.account_folder + "/ca.crt";
  std::error_code ignored;
  if (!fs::exists(access.token_file, ignored)) {
    return missing("this pod has no account: there is no '" + access.token_file +
                   "'; set automountServiceAccountToken, or name a kubeconfig");
  }
  const auto ca = file_content(ca_file);
  if (!ca) return missing("this pod's '" + ca_file + "' can't be read");
  access.ca_pem = *ca;
  access.name_space =
      without_blanks(file_content(places.account_folder + "/namespace").value_or(""));
  return access;
}

}  // namespace

KubeAccessPlaces kube_access_places(const KubernetesSite& site) {
  KubeAccessPlaces places;
  const std::string home = environment_variable("HOME");
  places.service_host = environment_variable("KUBERNETES_SERVICE_HOST");
  places.service_port = environment_variable("KUBERNETES_SERVICE_PORT");
  if (!site.kubeconfig.empty()) {
    const bool at_home = site.kubeconfig.starts_with("~/");
    places.files = {at_home ? home + site.kubeconfig.substr(1) : site.kubeconfig};
    places.must_exist = true;
    return places;
  }
  std::istringstream list(environment_variable("KUBECONFIG"));
  for (std::string path; std::getline(list, path, ':');) {
    if (!path.empty()) places.files.push_back(path);
  }
  if (places.files.empty() && !home.empty()) places.files = {home + "/.kube/config"};
  return places;
}

Result<KubeAccess> kube_access(const KubeAccessPlaces& places, const std::string& context) {
  TRY_ASSIGN(const std::vector<KubeconfigFile> files, read_kubeconfigs(places));
  if (!files.empty()) return from_files(files, context);
  const std::string looked =
      "no kubeconfig is there (looked for: " + listed_names(places.files) + ")";
  if (places.service_host.empty()) {
    return missing(looked +
                   ", and this is no pod of a cluster; name one by kubernetes.kubeconfig of "
                   "the site or by KUBECONFIG");
  }
  if (!context.empty() && context != kInCluster) {
    return missing(looked + ", so there is no context '" + context + "'");
  }
  return from_pod(places);
}

}  // namespace kneepoint
