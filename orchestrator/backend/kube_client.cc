// SPDX-License-Identifier: Apache-2.0
//
// A token is sent as a header of each request and nowhere else; what a plug-in prints is never
// shown.
#include "orchestrator/backend/kube_client.h"

#include <algorithm>

#include "orchestrator/backend/kube_credentials.h"
#include "orchestrator/io/http_url.h"

namespace kneepoint {
namespace {

constexpr Nanoseconds kLongestPause = 5 * kSecond;  // of what a 429 may ask for

class Client final : public KubeClient {
 public:
  Client(const KubeAccess& access, const Clock& clock, Pause pause)
      : credentials_(access, clock), access_(access), clock_(clock), pause_(std::move(pause)) {}

  Result<KubeAnswer> call(const std::string& method, const KubePlace& place,
                          const std::string& body, Deadline deadline) override {
    bool renewed = false;
    while (true) {
      TRY(connect(deadline));
      HttpRequest request;
      request.method = method;
      request.path = path_of(place);
      request.body = body;
      request.most_bytes = 512 << 20;
      add_headers(request, method == "PATCH" ? "application/merge-patch+json" : "application/json");
      TRY_ASSIGN(HttpResponse response, http_->call(request, deadline));
      if (response.status == 401 && !renewed && credentials_.can_renew()) {
        renewed = true;
        http_.reset();
        credentials_.expire();
        continue;
      }
      if (response.status == 429) {
        const Nanoseconds pause =
            std::min(kLongestPause, std::max(1, response.retry_after) * kSecond);
        if (clock_.steady() + pause < deadline) {
          TRY(pause_(pause));
          continue;
        }
      }
      return KubeAnswer{response.status, std::move(response.body)};
    }
  }

  Result<std::unique_ptr<HttpStream>> follow(const KubePlace& place) override {
    TRY(connect(clock_.steady() + 10 * kSecond));
    HttpRequest request;
    request.path = path_of(place);
    add_headers(request, "");
    return HttpStream::open(target_, request);
  }

 private:
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
