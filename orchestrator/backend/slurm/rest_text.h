// SPDX-License-Identifier: Apache-2.0
//
// The texts that go to slurmrestd and come back. Pure. The API's version decides how fields look:
// v0.0.37 and v0.0.38 (Slurm 21.08, 22.05) have plain numbers and an environment of names, v0.0.39
// and later {"set":,"number":} and lists; from v0.0.40 a state is a list of words. Reading takes
// every form whatever the version, writing follows it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/backend/slurm/text.h"
#include "orchestrator/backend/slurm/transport.h"
#include "orchestrator/base/node_list.h"

namespace kneepoint {

constexpr int kOldestRestApi = 37;
constexpr int kNewestRestApi = 43;

// The N of /slurm/v0.0.N and of /slurmdb/v0.0.N that the server's openapi description offers and
// that we know; 0: none.
struct RestApi {
  int slurm = 0;
  int slurmdb = 0;  // accounting; 0: the server has none
};
RestApi parse_rest_api(std::string_view openapi);
// "v0.0.39" -> 39; 0 if it is no such word.
int parse_api_word(std::string_view word);

// The body of a submission.
std::string rest_submission(const SlurmSubmission& job, const SlurmSite& site, int api);
// Does slurmrestd have words for all that the site says?
Result<void> check_rest_site(const SlurmSite& site);
bool rest_excludes_nodes(int api);

// An answer's own complaint. HTTP 200 can carry errors, and an error can be a mere remark: what
// counts is whether the thing that was asked for is there.
struct RestErrors {
  std::vector<std::string> words;  // one for each: "Invalid partition name specified"
  bool is_json = false;
};
RestErrors parse_rest_errors(std::string_view body);

std::string parse_rest_job_id(std::string_view body);  // of a submission; "": none
// nullopt: the answer has no list of jobs. What the answer complains of goes to `errors`: a list of
// thousands is read once.
std::optional<std::vector<SlurmJob>> parse_rest_jobs(std::string_view body, const std::string& user,
                                                     RestErrors* errors = nullptr);
std::optional<std::vector<SlurmJob>> parse_rest_history(std::string_view body);

struct RestPartition {
  std::string name;
  std::string state;        // "UP"; "": not told (v0.0.39)
  bool is_default = false;  // told up to v0.0.38
  int nodes = 0;
  int most_nodes = 0;                         // of one job; 0: no limit
  Nanoseconds most_time = 0;                  // 0: no limit
  std::string allowed_qos, allowed_accounts;  // "": all
};
std::string parse_rest_version(std::string_view body);  // of any answer: "22.05.8"
std::vector<RestPartition> parse_rest_partitions(std::string_view body);
// The answers to `associations` and `qos` of accounting; only this user's associations.
SlurmAccounting parse_rest_accounting(std::string_view associations, std::string_view qos,
                                      const std::string& user);

// Cluster facts of the partition that the site names, or of the default one. A name that is not
// among the partitions stays, without nodes.
SlurmCluster rest_cluster(const std::string& version, const std::vector<RestPartition>& partitions,
                          std::string_view nodes, const std::string& wanted);

// Of these nodes those that can't run anything now, by the answer to `nodes`.
std::vector<std::string> parse_rest_down_nodes(std::string_view body, const std::string& nodes);

// Why this partition would refuse it, in one sentence with what to change; "": it would not.
std::string why_refused(const SlurmSubmission& job, const SlurmSite& site,
                        const std::vector<RestPartition>& partitions,
                        const SlurmAccounting& accounting);

// What a JSON web token says of itself; zero and empty when it can't be read.
struct TokenClaims {
  Nanoseconds expires = 0;  // wall clock
  std::string user;
};
TokenClaims parse_token(std::string_view token);

}  // namespace kneepoint
