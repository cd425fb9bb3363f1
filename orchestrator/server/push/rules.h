// SPDX-License-Identifier: Apache-2.0
//
// What the record endpoint takes: POST /v1/allocations/ALLOCATION/ATTEMPT/records with the
// allocation's token and whole lines of records. Pure. Docs: docs/reference/push.md.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "orchestrator/server/http/request.h"

namespace kneepoint {

constexpr std::size_t kMostPushBytes = 1 << 20;

// An allocation's token, in hexadecimal: whoever holds it may push for that allocation and no
// other.
std::string push_token(std::string_view key, std::string_view allocation);

struct PushVerdict {
  int status = 0;  // 0: its body is wanted
  std::string why;
  std::string allocation;
  std::string attempt;
  bool wrong_token = false;
};
// Before the body is read: a stranger's is never kept.
PushVerdict judge_push(const IncomingRequest& request, std::string_view key);
// 0, or the status to answer.
int judge_push_body(std::string_view body);

}  // namespace kneepoint
