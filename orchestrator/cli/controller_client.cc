// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/cli/controller_client.h"

#include <nlohmann/json.hpp>

#include "orchestrator/base/json_text.h"

namespace kneepoint::cli {
namespace {

constexpr Nanoseconds kCallLimit = 20 * kSecond;
constexpr Nanoseconds kStartLimit = 90 * kSecond;  // it answers once the study is being run

std::string text_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

int count_in(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<int>() : 0;
}

Error unreadable() {
  return Error{ErrorCode::unsupported, "the server's answer is not that of a kneepoint serve"};
}

Error refused(int status, const std::string& body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  std::string why;
  if (json.is_object() && json.contains("error")) why = text_in(json["error"], "message");
  if (why.empty()) why = "HTTP status " + std::to_string(status);
  const bool is_busy = status == 429 || status >= 500;
  return Error{is_busy ? ErrorCode::unavailable : ErrorCode::invalid, "the server says: " + why,
               is_busy};
}

}  // namespace

Result<ControllerClient> ControllerClient::make(const std::string& url,
                                                const std::string& token_file,
                                                const std::string& ca_file, const Clock& clock) {
  HttpTarget target;
  target.url = url;
  target.token.file = token_file;
  target.ca_file = ca_file;
  TRY_ASSIGN(auto client, HttpClient::make(target, clock));
  return ControllerClient(std::move(client), clock);
}

Result<std::string> ControllerClient::ask(const char* method, const std::string& path,
                                          const std::string& body, Nanoseconds at_most) {
  HttpRequest request;
  request.method = method;
  request.path = path;
  request.body = body;
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  TRY_ASSIGN(HttpResponse answer, client_->call(request, clock_.steady() + at_most));
  if (answer.status < 200 || answer.status > 299) return refused(answer.status, answer.body);
  return std::move(answer.body);
}

Result<std::string> ControllerClient::start(const std::string& plan, const std::string& site,
                                            bool gate) {
  JsonWriter request;
  request.begin_object();
  request.key("plan").value(plan);
  if (!site.empty()) request.key("site").value(site);
  if (gate) request.key("gate").value(true);
  request.end_object();
  TRY_ASSIGN(const std::string body, ask("POST", "/api/v1/studies", request.text(), kStartLimit));
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object() || text_in(json, "study").empty()) return unreadable();
  return text_in(json, "study");
}

Result<RemoteStudy> ControllerClient::study(const std::string& id) {
  TRY_ASSIGN(const std::string body, ask("GET", "/api/v1/studies/" + id, "", kCallLimit));
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("study") || !json["study"].is_object()) {
    return unreadable();
  }
  const auto& line = json["study"];
  RemoteStudy study{
      text_in(line, "id"),    text_in(line, "series"),     text_in(line, "state"),  false,
      count_in(line, "runs"), count_in(line, "succeeded"), count_in(line, "failed")};
  study.running =
      line.contains("running") && line["running"].is_boolean() && line["running"].get<bool>();
  return study;
}

Result<std::string> ControllerClient::verdict(const std::string& series, const std::string& study) {
  TRY_ASSIGN(const std::string body, ask("GET", "/api/v1/series/" + series, "", kCallLimit));
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object() || !json.contains("nights") || !json["nights"].is_array()) {
    return unreadable();
  }
  for (const auto& night : json["nights"]) {
    if (night.is_object() && text_in(night, "study") == study) return text_in(night, "verdict");
  }
  return Error{ErrorCode::not_found, study + " is not part of a nightly series"};
}

}  // namespace kneepoint::cli
