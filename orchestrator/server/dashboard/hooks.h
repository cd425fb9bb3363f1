// SPDX-License-Identifier: Apache-2.0
//
// What the dashboard shows and does (controllers.h): the seam at which tests put something else.
// Called from several threads at once.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/base/result.h"
#include "orchestrator/store/dashboard_view.h"

namespace kneepoint {

struct StartRequest {
  std::string plan;  // names of files, without folders
  std::string site;  // "": as `run` without --site
  bool gate = false;
};

struct ActionDone {
  std::string study;  // id
  std::string message;
};

class DashboardHooks {
 public:
  virtual ~DashboardHooks() = default;

  virtual bool is_live(const Lease& lease) const = 0;

  // Documents as the commands give them. not_found: this build or this study has none.
  virtual Result<std::string> report(const std::string& study, const std::string& form) const = 0;
  virtual Result<std::string> story(const std::string& study, int run) const = 0;
  virtual Result<std::string> log(const std::string& study, int run,
                                  const std::string& stream) const = 0;
  virtual Result<std::string> compare(const std::vector<std::string>& studies) const = 0;
  // A member of /api/v1/series/{id}, without the enclosing braces; and the last verdict alone.
  virtual Result<std::string> series(const SeriesLine& series) const = 0;
  virtual Result<std::optional<std::string>> verdict(const SeriesLine& series) const = 0;

  // The only calls that change anything.
  virtual Result<ActionDone> cancel(const StudyLine& study) = 0;
  virtual Result<ActionDone> resume(const StudyLine& study) = 0;
  virtual Result<ActionDone> start(const StartRequest& request) = 0;
};

}  // namespace kneepoint
