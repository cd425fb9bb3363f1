// SPDX-License-Identifier: Apache-2.0
//
// slurmrestd as a SlurmTransport. One server, one connection that is kept. The API's version is
// asked for once. An answer is believed by what it holds, not by its status: a 200 can carry errors
// and a 500 can be about a single job.
#include <algorithm>

#include "orchestrator/backend/slurm/rest_text.h"
#include "orchestrator/backend/slurm/text.h"
#include "orchestrator/backend/slurm/transport.h"
#include "orchestrator/io/http_client.h"

namespace kneepoint {
namespace {

constexpr const char* kWhat = "slurmrestd";
constexpr const char* kNewToken = "make a new one with `scontrol token`";
constexpr std::size_t kMostPathNames = 3'000;  // bytes of a list of names in a path
constexpr std::size_t kMostBytes = 512 << 20;  // 5,000 jobs of large nodes are 100 MB

class SlurmRest final : public SlurmTransport {
 public:
  explicit SlurmRest(const LauncherContext& context)
      : site_(context.site.slurm), rest_(context.site.slurm.rest), clock_(context.clock) {}

  Result<SlurmCluster> cluster(Deadline deadline) override {
    TRY_ASSIGN(const std::string pinged, get("/slurm/", "ping", deadline));
    TRY(load_partitions(deadline));
    TRY_ASSIGN(const std::string nodes, get("/slurm/", "nodes", deadline));
    SlurmCluster found =
        rest_cluster(parse_rest_version(pinged), partitions_, nodes, site_.partition);
    found.has_accounting = has_accounting(deadline);
    found.excludes_nodes = rest_excludes_nodes(api_.slurm);
    accounting_ = found.has_accounting;
    return found;
  }

  bool reads_script_file() const override { return false; }

  std::vector<Result<std::string>> submit(std::span<const SlurmSubmission> jobs,
                                          Deadline deadline) override {
    std::vector<Result<std::string>> answers;
    answers.reserve(jobs.size());
    for (const SlurmSubmission& job : jobs) answers.push_back(submit_one(job, deadline));
    return answers;
  }

  Result<std::vector<SlurmJob>> list(Deadline deadline) override {
    TRY(reach(deadline));
    TRY_ASSIGN(const HttpResponse answer, ask("GET", path_of("/slurm/", "jobs"), "", deadline));
    RestErrors errors;
    auto jobs = parse_rest_jobs(answer.body, user_, &errors);
    if (answer.status != 200 || !errors.is_json || !errors.words.empty()) return refused(answer);
    if (!jobs) return unreadable("jobs");
    return std::move(*jobs);
  }

  // All jobs of the cluster are megabytes.
  Result<SlurmJob> find(const std::string& id, Deadline deadline) override {
    TRY_ASSIGN(const std::string body, get("/slurm/", "job/" + url_escaped(id), deadline));
    auto jobs = parse_rest_jobs(body, user_);
    if (!jobs || jobs->size() != 1 || jobs->front().id != id) return unreadable("one job");
    return std::move(jobs->front());
  }

  Result<std::vector<SlurmJob>> history(const std::vector<std::string>& names, Nanoseconds since,
                                        Deadline deadline) override {
    TRY(reach(deadline));
    if (api_.slurmdb == 0 || !accounting_) {
      return Error{ErrorCode::unsupported, "slurmrestd offers no accounting", false};
    }
    std::string wanted;
    for (const std::string& name : names) wanted += (wanted.empty() ? "" : ",") + name;
    // Where the names don't fit into a request's first line, all jobs since then are asked for.
    const bool fits = wanted.size() < kMostPathNames;
    TRY_ASSIGN(const std::string body,
               get("/slurmdb/",
                   "jobs?skip_steps=true&start_time=uts" +
                       std::to_string(std::max<Nanoseconds>(0, since) / kSecond) +
                       (fits ? "&job_name=" + url_escaped(wanted) : ""),
                   deadline));
    auto jobs = parse_rest_history(body);
    if (!jobs) return unreadable("jobs of accounting");
    std::erase_if(*jobs, [&](const SlurmJob& job) { return job.submitted + kSecond < since; });
    return std::move(*jobs);
  }

  std::vector<Result<void>> cancel(std::span<const std::string> ids, Deadline deadline) override {
    std::vector<Result<void>> answers;
    answers.reserve(ids.size());
    for (const std::string& id : ids) answers.push_back(cancel_one(id, deadline));
    return answers;
  }

  Result<std::string> rehearse(const SlurmSubmission& job, Deadline deadline) override {
    TRY(reach(deadline));
    TRY(check_rest_site(site_));
    TRY(load_partitions(deadline));
    SlurmAccounting accounting;
    if (accounting_) {
      const auto associations = get("/slurmdb/", "associations", deadline);
      const auto qos = get("/slurmdb/", "qos", deadline);
      if (associations && qos) accounting = parse_rest_accounting(*associations, *qos, user_);
    }
    const std::string why = why_refused(job, site_, partitions_, accounting);
    if (!why.empty()) return Error{ErrorCode::invalid, std::string(kWhat) + ": " + why, false};
    return std::string("partition, node count and time limit") +
           (accounting.qos.empty() ? "" : ", account and QOS") +
           " are within what slurmrestd tells (API v0.0." + std::to_string(api_.slurm) +
           "); it can't rehearse a submission as sbatch --test-only";
  }

  Result<std::vector<std::string>> down_nodes(const std::string& nodes,
                                              Deadline deadline) override {
    TRY_ASSIGN(const std::string body, get("/slurm/", "nodes", deadline));
    return parse_rest_down_nodes(body, nodes);
  }

  std::vector<Launcher::EmittedFile> emit(const SlurmSubmission& job) const override {
    const int api = api_.slurm > 0 ? api_.slurm : kNewestRestApi;
    return {{job.name + ".rest.json", rest_submission(job, site_, api) + "\n"}};
  }

 private:
  SecretSource token() const { return {rest_.token_file, rest_.token_env}; }

  // The token's own date: slurmrestd's answer to an old one is "Unspecified error".
  Result<void> check_token() {
    if (!token().is_set()) {
      return Error{ErrorCode::permission,
                   "slurm.rest names no token; set token_file or token_env in the site", false};
    }
    auto read = read_secret(token());
    if (!read) {
      // Whoever renews it may be about to.
      Error error = read.error();
      error.retryable = true;
      return error;
    }
    const TokenClaims claims = parse_token(*read);
    const std::string place =
        rest_.token_file.empty() ? rest_.token_env : "'" + rest_.token_file + "'";
    if (claims.expires > 0 && claims.expires <= clock_.wall()) {
      return Error{
          ErrorCode::permission,
          "the token in " + place + " expired at " + to_utc_text(claims.expires) + "; " + kNewToken,
          true};  // a renewed one is read at the next call
    }
    if (user_.empty()) {
      user_ = !rest_.user.empty() ? rest_.user : claims.user.empty() ? name_of_user() : claims.user;
    }
    return {};
  }

  // Connected, and the version known.
  Result<void> reach(Deadline deadline) {
    TRY(check_token());
    if (client_ == nullptr) {
      HttpTarget target;
      target.url = rest_.url;
      target.token = token();
      target.token_header = "X-SLURM-USER-TOKEN";
      target.token_prefix = "";
      target.ca_file = rest_.ca_file;
      target.client_certificate = rest_.client_certificate;
      target.client_key = rest_.client_key;
      auto made = HttpClient::make(target, clock_);
      if (!made) return made.error().in("slurm.rest");
      client_ = std::move(made).value();
    }
    if (api_.slurm > 0) return {};
    TRY_ASSIGN(const HttpResponse answer, ask("GET", "/openapi/v3", "", deadline));
    if (answer.status != 200) return refused(answer);
    RestApi found = parse_rest_api(answer.body);
    if (!rest_.api.empty()) {
      const int wanted = parse_api_word(rest_.api);
      found.slurm = answer.body.find(rest_.api) == std::string::npos ? 0 : wanted;
      if (found.slurmdb > 0) found.slurmdb = wanted;
    }
    if (found.slurm == 0) {
      return Error{ErrorCode::unsupported,
                   rest_.url + " offers no API that is known here (" +
                       (rest_.api.empty() ? "v0.0." + std::to_string(kOldestRestApi) + " to v0.0." +
                                                std::to_string(kNewestRestApi)
                                          : rest_.api + ", as slurm.rest.api says") +
                       ")",
                   false};
    }
    api_ = found;
    return {};
  }

  Result<HttpResponse> ask(const std::string& method, const std::string& path,
                           const std::string& body, Deadline deadline) {
    HttpRequest request;
    request.method = method;
    request.path = path;
    request.body = body;
    request.most_bytes = kMostBytes;
    request.headers = {{"X-SLURM-USER-NAME", user_}};
    if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
    auto answer = client_->call(request, deadline);
    // slurmrestd resets a connection now and then. A question that broke off changes nothing by
    // being asked again, once; whether anything else arrived is looked up by its name.
    if (method == "GET" && !answer && answer.error().code == ErrorCode::io) {
      answer = client_->call(request, deadline);
    }
    if (!answer) {
      Error error = answer.error().in(kWhat);
      if (error.code == ErrorCode::timeout) {
        error.message += "; check that slurmrestd and slurmctld run";
      } else if (error.code == ErrorCode::unavailable) {
        error.message += "; check slurm.rest.url of the site, and that slurmrestd runs";
      }
      return error;
    }
    return answer;
  }

  std::string path_of(const std::string& folder, const std::string& rest) const {
    const int number = folder == "/slurmdb/" ? api_.slurmdb : api_.slurm;
    return folder + "v0.0." + std::to_string(number) + "/" + rest;
  }

  // The body of a good answer.
  Result<std::string> get(const std::string& folder, const std::string& rest, Deadline deadline) {
    TRY(reach(deadline));
    TRY_ASSIGN(HttpResponse answer, ask("GET", path_of(folder, rest), "", deadline));
    const RestErrors errors = parse_rest_errors(answer.body);
    if (answer.status != 200 || !errors.is_json || !errors.words.empty()) return refused(answer);
    return std::move(answer.body);
  }

  // Words of slurmrestd, or of slurmctld through it, as one sentence with what to change.
  Error refused(const HttpResponse& answer) const {
    const RestErrors errors = parse_rest_errors(answer.body);
    std::string said;
    for (const std::string& one : errors.words) {
      if (said.find(one) == std::string::npos) said += (said.empty() ? "" : ", ") + one;
    }
    if (said.empty()) said = answer.body.substr(0, answer.body.find('\n')).substr(0, 200);
    if (said.empty()) said = "HTTP status " + std::to_string(answer.status);
    const bool token_is_bad =
        answer.status == 401 || answer.status == 403 ||
        said.find("uthentication") != std::string::npos ||
        said.find("openapi_get_db_conn") != std::string::npos ||  // 23.11 to a token it can't use
        (answer.status == 500 && (said.find("unable to load") != std::string::npos ||
                                  said.find("Failed while looking") != std::string::npos));
    if (token_is_bad) {
      return {ErrorCode::unavailable,
              std::string(kWhat) + ": " + said +
                  "; slurmctld is not there, or the token of user '" + user_ +
                  "' is not accepted: check slurmctld, or " + kNewToken,
              false};
    }
    // A proxy before slurmrestd. Of 502 and 504 nobody knows whether the request got through.
    const int status = answer.status;
    if (status == 429 || status == 502 || status == 503 || status == 504) {
      return {status == 429 || status == 503 ? ErrorCode::unavailable : ErrorCode::timeout,
              std::string(kWhat) + ": " + said + " (HTTP status " + std::to_string(status) +
                  "); check slurmrestd, and the proxy before it",
              true};
    }
    return slurm_error(kWhat, said);
  }

  Error unreadable(const std::string& what) const {
    return {ErrorCode::corrupt,
            rest_.url + " answers with no list of " + what + " in API v0.0." +
                std::to_string(api_.slurm),
            false};
  }

  Result<void> load_partitions(Deadline deadline) {
    TRY_ASSIGN(const std::string body, get("/slurm/", "partitions", deadline));
    partitions_ = parse_rest_partitions(body);
    if (partitions_.empty()) return unreadable("partitions");
    return {};
  }

  bool has_accounting(Deadline deadline) {
    return api_.slurmdb > 0 && get("/slurmdb/", "clusters", deadline).has_value();
  }

  Result<std::string> submit_one(const SlurmSubmission& job, Deadline deadline) {
    if (clock_.steady() > deadline) {
      return Error{ErrorCode::unavailable, "the deadline passed before it was asked", true};
    }
    TRY(reach(deadline));
    TRY(check_rest_site(site_));
    auto answer = ask("POST", path_of("/slurm/", "job/submit"),
                      rest_submission(job, site_, api_.slurm), deadline);
    if (!answer) {
      // Broken off on the way: it may have arrived, and its name will tell.
      Error error = answer.error();
      if (error.code == ErrorCode::io) error.code = ErrorCode::timeout;
      return error;
    }
    const std::string id = parse_rest_job_id(answer->body);
    if (answer->status == 200 && !id.empty()) return id;  // what errors say then is a remark
    return refused(*answer);
  }

  Result<void> cancel_one(const std::string& id, Deadline deadline) {
    if (clock_.steady() > deadline) {
      return Error{ErrorCode::timeout, "cancel job " + id + ": the deadline passed", true};
    }
    TRY(reach(deadline));
    TRY_ASSIGN(const HttpResponse answer,
               ask("DELETE", path_of("/slurm/", "job/" + url_escaped(id)), "", deadline));
    const RestErrors errors = parse_rest_errors(answer.body);
    if (answer.status == 200 && errors.words.empty()) return {};
    if (std::any_of(errors.words.begin(), errors.words.end(), is_over_already)) return {};
    return refused(answer);
  }

  const SlurmSite& site_;
  const SlurmRestSite& rest_;
  const Clock& clock_;
  std::unique_ptr<HttpClient> client_;
  RestApi api_;
  bool accounting_ = false;
  std::string user_;
  std::vector<RestPartition> partitions_;
};

}  // namespace

std::unique_ptr<SlurmTransport> make_slurm_rest(const LauncherContext& context) {
  return std::make_unique<SlurmRest>(context);
}

}  // namespace kneepoint
