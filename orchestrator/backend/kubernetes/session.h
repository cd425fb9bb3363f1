// SPDX-License-Identifier: Apache-2.0
//
// What the parts of a Kubernetes launcher share: where it works, what it knows of the API server's
// objects, and which allocations are its own. One of it per launcher.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agents/wire/frame.h"
#include "orchestrator/backend/allocation_files.h"
#include "orchestrator/backend/kubernetes/client.h"
#include "orchestrator/backend/kubernetes/manifest.h"
#include "orchestrator/backend/launcher.h"

namespace kneepoint {

// Our Jobs, or MPIJobs, and their pods as the API server has them, kept up to date: listed once,
// then watched, one watch for all Jobs and one for all pods of a controller's folder. Whatever goes
// wrong with a watch ends in listing again; while a watch can't be had, every look is a list.
class KubeView {
 public:
  KubeView(KubeClient& client, std::string name_space, const Clock& clock,
           const KubeKind& kind = kIndexedJob)
      : client_(client),
        name_space_(std::move(name_space)),
        clock_(clock),
        jobs_kind_{kind.group_version, kind.resource, "", nullptr, "", 0, 0, 0} {}

  // Which folders' objects; more may come.
  void add_controller(const std::string& controller);
  // Up to date as of now. An error is retryable unless it is about permissions.
  Result<void> look(Deadline deadline);
  // The pods as of now, however late their watch is.
  Result<void> list_pods(Deadline deadline);
  // What our own calls have told already.
  void note(const KubeJob& job);
  void forget(const std::string& job_name);

  const KubeJob* job(const std::string& name) const;
  std::vector<KubePod> pods_of(const std::string& job_name) const;
  bool has_pod(const std::string& name) const { return pods_.count(name) > 0; }
  // Those of a Job that is there which were deleted since this was last asked, as they were then.
  std::vector<KubePod> take_gone(const std::string& job_name);
  int lists() const { return lists_; }  // how often everything was asked for

 private:
  struct Kind {
    const char* group_version;
    const char* resource;
    std::string version;  // resourceVersion reached; "": list
    std::unique_ptr<HttpStream> stream;
    std::string rest;  // of a line that has not ended
    Nanoseconds not_before = 0;
    int failures = 0;
    Nanoseconds opened = 0;  // the stream
  };

  KubePlace place(const Kind& kind) const;
  template <typename Object>
  Result<void> list(Kind& kind, std::map<std::string, Object>& objects,
                    Result<KubeList<Object>> (*read)(std::string_view), Deadline deadline);
  void open(Kind& kind);
  // False: list again.
  bool read_stream(Kind& kind);
  bool take_event(Kind& kind, const std::string& line);
  void fail(Kind& kind);

  KubeClient& client_;
  const std::string name_space_;
  const Clock& clock_;
  std::vector<std::string> controllers_;
  Kind jobs_kind_;
  Kind pods_kind_{"v1", "pods", "", nullptr, "", 0, 0, 0};
  std::map<std::string, KubeJob> jobs_;
  std::map<std::string, KubePod> pods_;
  std::vector<KubePod> gone_;
  int lists_ = 0;
};

// What pod 0's agent prints, put together as files in the controller's run directories. Followed
// while the pod runs, read whole when it has ended; the same line twice does nothing. A run
// directory is made when the first line of its attempt arrives: the run has begun.
class KubeLog {
 public:
  KubeLog(std::string pod, std::vector<KnownStep> steps)
      : pod_(std::move(pod)), steps_(std::move(steps)) {}

  const std::string& pod() const { return pod_; }
  // Takes what has come since; opens the stream if there is none.
  Result<void> follow(KubeClient& client, const std::string& name_space);
  // The whole log as it is now, from the start. False: the pod or its log is gone.
  Result<bool> read_whole(KubeClient& client, const std::string& name_space, Deadline deadline);
  bool is_followed() const { return stream_ != nullptr || ended_; }  // or was to its end
  // The stream came to its end: the container's, or that of a kubelet which was started anew.
  bool has_ended() const { return ended_; }
  void follow_anew() { ended_ = false; }
  bool has_gap() const { return reader_.has_gap(); }

 private:
  KubePlace place(const std::string& name_space, bool follow) const;
  Result<void> store();

  std::string pod_;
  std::vector<KnownStep> steps_;
  record::FrameReader reader_;
  std::unique_ptr<HttpStream> stream_;
  bool ended_ = false;
  std::map<std::string, std::string> files_;  // by "attempt/file"
};

// The note of an allocation's end, beside its allocation file: the Job is deleted then, and the
// next controller has to know.
Result<void> write_end_note(const std::string& allocation_path, const Observation& end);

struct KubeAllocation : RemoteJob {
  using RemoteJob::RemoteJob;
  void remember(const std::vector<KubePod>& seen);
  // All that were ever seen, as they were then.
  std::vector<KubePod> pods_ever() const;
  // For how long it has waited for its pods, as far as we know. A queue is waited for as long as
  // the plan says; pods that were to come at once are not. The Job's own deadline is for the case
  // that nobody looks.
  Nanoseconds waited(bool waits, Nanoseconds now);
  // A pod that had started and left no word may have begun its first step: it counts as begun.
  Result<void> begin_if_unheard() const;

  std::string job;  // its name there
  std::unique_ptr<KubeLog> log;
  std::map<std::string, KubePod> pods;  // as last seen: a deleted one is gone before its Job ends
  Nanoseconds log_asked = 0;            // steady: since when its whole log is wanted
  Nanoseconds log_again = 0;            // steady: when to follow a log that ended before its pod
  Nanoseconds waits_since = 0;          // steady: since when we know it to wait for its pods
  Nanoseconds next_words = 0;           // steady: when to ask again why it has no pods
  std::string words;                    // what was answered
  Nanoseconds hopeless = 0;  // steady: since when it waits for what won't come by waiting
  bool heard = false;        // its log could be read, be it empty
  bool pods_listed = false;  // since its Job has ended
  bool submitted = false;    // by this launcher, its Service included
  bool deleted = false;      // the Job of one that is over
};

// Drawn once for the folder that holds a controller's studies, where it lies in a file: another
// controller may have the same path on another machine. "": not drawn yet.
std::string kube_folder_id(const std::string& directory);

// Of a quantity; 0: not said, or nothing that a pod's share could be.
double kube_cores(const std::string& quantity);

class KubeSession {
 public:
  KubeSession(const Site& its_site, const Clock& its_clock, std::unique_ptr<KubeClient> its_client,
              std::string its_name_space)
      : site(its_site),
        clock(its_clock),
        client(std::move(its_client)),
        name_space(std::move(its_name_space)),
        kind(kube_kind(site)),
        view(*client, name_space, clock, kind) {}

  KubePlace jobs(const std::string& name = "") const {
    return {kind.group_version, kind.resource, name_space, name, ""};
  }
  KubePlace services() const { return {"v1", "services", name_space, "", ""}; }

  // As we know it, or as its files tell it; nullptr when there is none.
  Result<KubeAllocation*> find(const JobRef& ref);
  // A new one. Its file is written before its Job is asked for.
  Result<KubeAllocation*> add(const AllocationRequest& request);
  // Of the allocations in this directory.
  const std::string& id_of(const std::string& directory);

  const Site& site;
  const Clock& clock;
  const std::unique_ptr<KubeClient> client;
  const std::string name_space;
  const KubeKind& kind;
  KubeView view;
  bool has_made_one = false;  // a Job with all that belongs to it: the site is right

 private:
  void name(KubeAllocation& job);

  std::map<std::string, std::string> ids_;  // by directory
  KnownJobs<KubeAllocation> allocations_;
};

// A Job by its name and uid, and no other of its name. What it leaves goes with it.
struct KubeJobToDelete {
  std::string name, uid;
};
// A few at a time; one answer for each. One that is gone is fine.
std::vector<Result<void>> delete_kube_jobs(KubeSession& session,
                                           std::span<const KubeJobToDelete> jobs,
                                           Deadline deadline);

// May we do in a namespace what a study needs, and is it there at all? Asked of the API server
// itself (SelfSubjectAccessReview), all of it at once, so that one answer names all that is
// missing.
struct KubeRight {
  const char* group;  // "": the core group
  const char* resource;
  const char* verb;
};

// What the launcher calls, and no more: nothing is ever patched, and Services go with their Jobs.
std::vector<KubeRight> kube_rights(const KubeKind& kind = kIndexedJob);

// Ok, or one sentence: no such namespace, or the verbs and resources that are missing there.
Result<void> check_kube_rights(KubeClient& client, const std::string& name_space,
                               const KubeKind& kind, Deadline deadline);

// "jobs (create, delete), pods/log (get)".
std::string rights_text(const std::vector<KubeRight>& rights);

// How an allocation becomes a Job and its Service, or an MPIJob. Asked again after a lost answer it
// finds what it made before: the names are given by us.

// Several are on their way at once; one answer for each, in their order.
std::vector<Result<JobRef>> submit_kube_jobs(KubeSession& session,
                                             std::span<const AllocationRequest> requests,
                                             Deadline deadline);
// The same as a dry run: nothing is made.
Result<void> rehearse_kube_job(KubeSession& session, const AllocationRequest& request,
                               Deadline deadline);

// What submitting would hand over, key and owner excepted.
std::vector<Launcher::EmittedFile> emitted_kube_job(const KubeSession& session,
                                                    const AllocationRequest& request);

}  // namespace kneepoint
