// SPDX-License-Identifier: Apache-2.0
//
// client.authentication.k8s.io: the plug-in gets KUBERNETES_EXEC_INFO and prints an ExecCredential.
#include "orchestrator/backend/kubernetes/credentials.h"

#include <algorithm>

#include "orchestrator/backend/kubernetes/read.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/io/http_client.h"
#include "orchestrator/io/subprocess.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kTokenAge = kMinute;
constexpr Nanoseconds kBeforeExpiry = 30 * kSecond;
constexpr Nanoseconds kLongestPlugin = 30 * kSecond;
constexpr char kDefaultVersion[] = "client.authentication.k8s.io/v1";

std::string exec_info(const KubeAccess& access) {
  JsonWriter w;
  w.begin_object()
      .key("apiVersion")
      .value(access.exec.api_version.empty() ? kDefaultVersion : access.exec.api_version.c_str());
  w.key("kind").value("ExecCredential").key("spec").begin_object();
  w.key("interactive").value(false);
  if (access.exec.provide_cluster_info) {
    w.key("cluster").begin_object().key("server").value(access.server);
    if (!access.tls_server_name.empty()) w.key("tls-server-name").value(access.tls_server_name);
    if (!access.ca_pem.empty()) {
      w.key("certificate-authority-data").value(base64_encoded(access.ca_pem));
    }
    if (!access.proxy_url.empty()) w.key("proxy-url").value(access.proxy_url);
    if (access.insecure) w.key("insecure-skip-tls-verify").value(true);
    w.end_object();
  }
  w.end_object().end_object();
  return w.text();
}

}  // namespace

KubeCredentials::KubeCredentials(const KubeAccess& access, const Clock& clock)
    : access_(access),
      clock_(clock),
      token_(access.token),
      certificate_pem_(access.client_certificate_pem),
      key_pem_(access.client_key_pem) {}

Result<bool> KubeCredentials::renew_if_due(Nanoseconds deadline) {
  if (!can_renew() || (asked_ && clock_.steady() < due_)) return false;
  auto renewed = access_.exec.command.empty() ? read_token() : ask_plugin(deadline);
  if (renewed) return renewed;
  // Whoever logs in again, or writes the file, mends it: no run is to fail of it.
  Error error = renewed.error();
  error.retryable = true;
  return error;
}

Result<bool> KubeCredentials::read_token() {
  TRY_ASSIGN(token_, read_secret({access_.token_file, ""}));
  asked_ = true;
  due_ = clock_.steady() + kTokenAge;
  return false;
}

Result<bool> KubeCredentials::ask_plugin(Nanoseconds deadline) {
  SpawnOptions options;
  options.argv = {access_.exec.command};
  options.argv.insert(options.argv.end(), access_.exec.arguments.begin(),
                      access_.exec.arguments.end());
  options.environment = access_.exec.environment;
  options.environment.emplace_back("KUBERNETES_EXEC_INFO", exec_info(access_));
  const std::string plugin = "the credential plug-in '" + access_.exec.command + "'";
  if (!program_exists(access_.exec.command)) {
    return Error{ErrorCode::permission,
                 plugin + " of the kubeconfig is not installed" +
                     (access_.exec.install_hint.empty() ? "" : ": " + access_.exec.install_hint),
                 false};
  }
  auto ended = run_captured(
      options, std::max(kSecond, std::min(kLongestPlugin, deadline - clock_.steady())));
  if (!ended) return ended.error().in(plugin);
  if (ended->exit_code != 0) {
    return Error{ErrorCode::permission,
                 plugin + " ended with status " + std::to_string(ended->exit_code), false};
  }
  auto answer = read_kube_exec(ended->output);
  if (!answer) return answer.error().in(plugin);
  const bool changed =
      answer->certificate_pem != certificate_pem_ && !answer->certificate_pem.empty();
  token_ = answer->token;
  if (changed) {
    certificate_pem_ = answer->certificate_pem;
    key_pem_ = answer->key_pem;
  }
  asked_ = true;
  const Nanoseconds left = answer->expires == 0 ? kHour : answer->expires - clock_.wall();
  due_ = clock_.steady() + std::max<Nanoseconds>(kSecond, left - kBeforeExpiry);
  return changed;
}

}  // namespace kneepoint
