// SPDX-License-Identifier: Apache-2.0
//
// The path first: only for one that names an allocation can a token be wrong.
#include "orchestrator/server/push/rules.h"

#include "orchestrator/base/hash.h"
#include "orchestrator/store/push_spool.h"

namespace kneepoint {
namespace {

constexpr std::string_view kPathOpening = "/v1/allocations/";
constexpr std::string_view kPathEnding = "records";
constexpr std::string_view kTokenScheme = "Bearer ";

std::string_view part(std::string_view& path) {
  const std::size_t slash = path.find('/');
  const std::string_view first = path.substr(0, slash);
  path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  return first;
}

bool read_path(std::string_view path, PushVerdict& verdict) {
  if (!path.starts_with(kPathOpening)) return false;
  path.remove_prefix(kPathOpening.size());
  verdict.allocation = part(path);
  verdict.attempt = part(path);
  return path == kPathEnding && is_push_name(verdict.allocation) && is_push_name(verdict.attempt);
}

}  // namespace

std::string push_token(std::string_view key, std::string_view allocation) {
  return hex_of_bytes(hmac_sha256(key, "kneepoint push 1 " + std::string(allocation)));
}

PushVerdict judge_push(const IncomingRequest& request, std::string_view key) {
  PushVerdict verdict;
  const auto refuse = [&verdict](int status, const char* why) {
    verdict.status = status;
    verdict.why = why;
    return verdict;
  };
  if (!read_path(request.path, verdict)) {
    return refuse(404, "records go to /v1/allocations/ALLOCATION/ATTEMPT/records");
  }
  if (request.method != "POST") return refuse(405, "records are sent by POST");
  const std::string_view header = request.authorization;
  const bool has_token = header.starts_with(kTokenScheme);
  const std::string_view token =
      has_token ? header.substr(kTokenScheme.size()) : std::string_view();
  if (!same_bytes(token, push_token(key, verdict.allocation))) {
    verdict.wrong_token = true;
    return refuse(401, has_token ? "the token is not that of this allocation"
                                 : "expected Authorization: Bearer TOKEN");
  }
  if (!request.has_length) return refuse(411, "expected Content-Length");
  if (request.length > kMostPushBytes) return refuse(413, "at most 1 MiB of records at once");
  return verdict;
}

int judge_push_body(std::string_view body) {
  return !body.empty() && body.back() == '\n' ? 0 : 400;
}

}  // namespace kneepoint
