// SPDX-License-Identifier: Apache-2.0
//
// A token is sent as a header of each request and nowhere else; what a plug-in prints is never
// shown.
#include "orchestrator/backend/kubernetes/client.h"

#include <algorithm>
#include <numeric>

#include "orchestrator/base/hash.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/io/http_client.h"
#include "orchestrator/io/subprocess.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kTokenAge = kMinute;
constexpr Nanoseconds kBeforeExpiry = 30 * kSecond;
constexpr Nanoseconds kLongestPlugin = 30 * kSecond;
constexpr char kDefaultVersion[] = "client.authentication.k8s.io/v1";
constexpr Nanoseconds kLongestPause = 5 * kSecond;  // of what a 429 may ask for

std::string exec_info(const KubeAccess& access) {
  const std::string& version = access.exec.api_version;
  JsonWriter w;
  w.begin_object().put("apiVersion", version.empty() ? kDefaultVersion : version);
  w.put("kind", "ExecCredential").key("spec").begin_object().put("interactive", false);
  if (access.exec.provide_cluster_info) {
    w.key("cluster").begin_object().put("server", access.server);
    w.put_if_any("tls-server-name", access.tls_server_name);
    w.put_if_any("certificate-authority-data", base64_encoded(access.ca_pem));
    w.put_if_any("proxy-url", access.proxy_url);
    if (access.insecure) w.put("insecure-skip-tls-verify", true);
    w.end_object();
  }
  return w.end_object().end_object().text();
}

// Who we are for an API server, kept fresh: a token file is read again each minute, a plug-in asked
// again when its answer expires. client.authentication.k8s.io: the plug-in gets
// KUBERNETES_EXEC_INFO and prints an ExecCredential.
class KubeCredentials {
 public:
  KubeCredentials(const KubeAccess& access, const Clock& clock)
      : access_(access),
        clock_(clock),
        token_(access.token),
        certificate_pem_(access.client_certificate_pem),
        key_pem_(access.client_key_pem) {}
  // True if the client certificate is another one than before.
  Result<bool> renew_if_due(Nanoseconds deadline) {
    if (!can_renew() || (asked_ && clock_.steady() < due_)) return false;
    auto renewed = access_.exec.command.empty() ? read_token() : ask_plugin(deadline);
    if (renewed) return renewed;
    // Whoever logs in again, or writes the file, mends it: no run is to fail of it.
    Error error = renewed.error();
    error.retryable = true;
    return error;
  }
  void expire() { due_ = 0; }
  bool can_renew() const { return !access_.token_file.empty() || !access_.exec.command.empty(); }

  const std::string& token() const { return token_; }
  const std::string& certificate_pem() const { return certificate_pem_; }
  const std::string& key_pem() const { return key_pem_; }

 private:
  Result<bool> read_token() {
    TRY_ASSIGN(token_, read_secret({access_.token_file, ""}));
    asked_ = true;
    due_ = clock_.steady() + kTokenAge;
    return false;
  }

  Result<bool> ask_plugin(Nanoseconds deadline) {
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

  const KubeAccess access_;
  const Clock& clock_;
  std::string token_, certificate_pem_, key_pem_;
  Nanoseconds due_ = 0;  // steady; 0: now
  bool asked_ = false;
};

class Client final : public KubeClient {
 public:
  Client(const KubeAccess& access, const Clock& clock, Pause pause)
      : credentials_(access, clock), access_(access), clock_(clock), pause_(std::move(pause)) {}

  std::vector<Result<KubeAnswer>> call_all(std::span<const KubeCall> calls,
                                           Deadline deadline) override {
    std::vector<Result<KubeAnswer>> answers(calls.size(), KubeAnswer{});
    std::vector<std::size_t> open(calls.size());
    std::iota(open.begin(), open.end(), 0);
    bool renewed = false;
    while (!open.empty()) {
      auto again = ask(calls, open, renewed, answers, deadline);
      if (!again) {
        for (const std::size_t index : open) answers[index] = again.error();
        break;
      }
      open = std::move(*again);
    }
    return answers;
  }

  Result<std::unique_ptr<HttpStream>> follow(const KubePlace& place) override {
    TRY(connect(clock_.steady() + 10 * kSecond));
    HttpRequest request;
    request.path = path_of(place);
    add_headers(request, "");
    return HttpStream::open(target_, request);
  }

 private:
  // Those to be asked again: with another token, or after a pause that the server wants.
  Result<std::vector<std::size_t>> ask(std::span<const KubeCall> calls,
                                       const std::vector<std::size_t>& which, bool& renewed,
                                       std::vector<Result<KubeAnswer>>& answers,
                                       Deadline deadline) {
    TRY(connect(deadline));
    std::vector<HttpRequest> requests;
    requests.reserve(which.size());
    for (const std::size_t index : which) requests.push_back(request_of(calls[index]));
    auto responses = http_->call_all(requests, deadline);
    const bool may_renew = !renewed && credentials_.can_renew();
    std::vector<std::size_t> again;
    Nanoseconds pause = 0;
    for (std::size_t i = 0; i < which.size(); ++i) {
      if (!responses[i]) {
        answers[which[i]] = responses[i].error();
        continue;
      }
      HttpResponse& response = *responses[i];
      if (response.status == 401 && may_renew) {
        renewed = true;
        again.push_back(which[i]);
        continue;
      }
      if (response.status == 429) {
        const Nanoseconds wanted =
            std::min(kLongestPause, std::max(1, response.retry_after) * kSecond);
        if (clock_.steady() + wanted < deadline) {
          pause = std::max(pause, wanted);
          again.push_back(which[i]);
          continue;
        }
      }
      answers[which[i]] = KubeAnswer{response.status, std::move(response.body)};
    }
    if (may_renew && renewed) {
      http_.reset();
      credentials_.expire();
    }
    if (pause > 0) {
      if (auto paused = pause_(pause); !paused) {
        for (const std::size_t index : again) answers[index] = paused.error();
        again.clear();
      }
    }
    return again;
  }

  HttpRequest request_of(const KubeCall& call) const {
    HttpRequest request;
    request.method = call.method;
    request.path = path_of(call.place);
    request.body = call.body;
    request.most_bytes = 512 << 20;
    add_headers(request,
                call.method == "PATCH" ? "application/merge-patch+json" : "application/json");
    return request;
  }

  // Certificates belong to the connection, a token to the request.
  Result<void> connect(Deadline deadline) {
    TRY_ASSIGN(const bool changed, credentials_.renew_if_due(deadline));
    if (http_ && !changed) return {};
    target_ = HttpTarget{};
    target_.url = access_.server;
    target_.ca_pem = access_.ca_pem;
    target_.client_certificate_pem = credentials_.certificate_pem();
    target_.client_key_pem = credentials_.key_pem();
    target_.tls_server_name = access_.tls_server_name;
    target_.proxy_url = access_.proxy_url;
    target_.insecure = access_.insecure;
    TRY_ASSIGN(http_, HttpClient::make(target_, clock_));
    return {};
  }

  void add_headers(HttpRequest& request, const std::string& type) const {
    request.headers.emplace_back("Accept", "application/json");
    request.headers.emplace_back("User-Agent", "kneepoint");
    if (!type.empty() && !request.body.empty()) request.headers.emplace_back("Content-Type", type);
    if (!credentials_.token().empty()) {
      request.headers.emplace_back("Authorization", "Bearer " + credentials_.token());
    }
  }

  KubeCredentials credentials_;
  const KubeAccess access_;
  const Clock& clock_;
  Pause pause_;
  HttpTarget target_;
  std::unique_ptr<HttpClient> http_;
};

}  // namespace

std::string path_of(const KubePlace& place) {
  std::string path = (place.group_version == "v1" ? "/api/" : "/apis/") + place.group_version;
  if (!place.name_space.empty()) path += "/namespaces/" + url_escaped(place.name_space);
  const std::size_t slash = place.resource.find('/');  // "pods/log" of a pod: pods/NAME/log
  if (!place.resource.empty()) path += "/" + place.resource.substr(0, slash);
  if (!place.name.empty()) path += "/" + url_escaped(place.name);
  if (slash != std::string::npos) path += place.resource.substr(slash);
  return place.query.empty() ? path : path + "?" + place.query;
}

Result<std::unique_ptr<KubeClient>> KubeClient::make(const KubeAccess& access, const Clock& clock,
                                                     Pause pause) {
  if (access.server.empty()) {
    return Error{ErrorCode::invalid, "no API server is known; name one in a kubeconfig", false};
  }
  return std::unique_ptr<KubeClient>(std::make_unique<Client>(access, clock, std::move(pause)));
}

Error kube_refusal(const KubeAnswer& answer, const std::string& verb, const KubePlace& place) {
  const KubeStatus status = read_kube_status(answer.status, answer.body);
  const std::string what = verb + " " + place.resource +
                           (place.name.empty() ? "" : " '" + place.name + "'") +
                           (place.name_space.empty() ? "" : " in namespace " + place.name_space);
  const std::string said = status.message.empty() ? "" : ": " + status.message;
  switch (status.code) {
    case 401:
      return {ErrorCode::permission,
              what + ": the API server does not know who we are (401)" + said +
                  "; the token or certificate has expired or belongs to another cluster",
              true};  // what has expired may be renewed
    case 403:
      // Waited for; nobody can say how long.
      if (said.find("exceeded quota") != std::string::npos) {
        return {ErrorCode::unavailable, what + ": the namespace's quota is used up (403)" + said,
                true};
      }
      // Not who asks, but what is asked for: a webhook or a policy of the cluster.
      if (said.find("denied the request") != std::string::npos ||
          said.find("denied request") != std::string::npos) {
        return {ErrorCode::invalid, what + ": refused (403)" + said, false};
      }
      return {ErrorCode::permission,
              what + ": not allowed (403)" + said +
                  "; the namespace may not exist, or its Role lacks the verb " + verb + " on " +
                  place.resource,
              false};
    case 404:
      return {ErrorCode::not_found, what + ": not there (404)" + said, false};
    case 409:
      return {status.reason == "AlreadyExists" ? ErrorCode::exists : ErrorCode::conflict,
              what + ": " + (status.reason.empty() ? "conflict" : status.reason) + " (409)" + said,
              false};
    case 400:
    case 410:
    case 413:
    case 415:
    case 422:
      return {ErrorCode::invalid, what + ": refused (" + std::to_string(status.code) + ")" + said,
              false};
    case 429:
      return {ErrorCode::unavailable, what + ": the API server is busy (429)" + said, true};
    default:
      return {ErrorCode::unavailable,
              what + ": the API server has trouble (" + std::to_string(status.code) + ")" + said,
              true};
  }
}

}  // namespace kneepoint
