// SPDX-License-Identifier: Apache-2.0
//
// The engine reads the spool even when nobody listens: an earlier controller may have left some.
#include "orchestrator/cli/live_reports.h"

#include <filesystem>
#include <ostream>

#include "orchestrator/answers/places.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

// Files that the site names, from where we are.
PushSite with_paths(PushSite push) {
  const std::string here = fs::current_path().string();
  for (std::string* path : {&push.certificate, &push.key, &push.ca}) {
    if (!path->empty()) *path = absolute_path(*path, here);
  }
  return push;
}

std::string advice_for(const Error& error) {
  if (error.code == ErrorCode::unavailable) {
    return "; name another address in `push.listen` of the site, unless a study that runs now has "
           "it. `run` goes on without live reports: records come home all the same";
  }
  if (error.code == ErrorCode::permission && error.message.starts_with("listen on")) {
    return "; ports below 1024 and addresses of others need rights: name another in `push.listen` "
           "of the site";
  }
  return "; mend `push` of the site";
}

}  // namespace

LiveReportsTry try_live_reports(const Site& site, const Clock& clock) {
  const auto tried = PushEndpoint::rehearse(with_paths(site.push), clock);
  if (tried) {
    const bool any = site.push.address.empty() && site.push.listen_port == 0;
    return {true, false,
            "agents would push to " + (any ? tried->substr(0, tried->rfind(':')) : *tried) +
                (any ? ", on a port that is free then" : "")};
  }
  return {false, tried.error().code != ErrorCode::unavailable,
          tried.error().message + advice_for(tried.error())};
}

Result<std::unique_ptr<PushEndpoint>> open_live_reports(Session& session, const Site& site,
                                                        const std::string& database,
                                                        const StudyRow& study,
                                                        EngineOptions& options) {
  std::unique_ptr<PushEndpoint> none;
  if (!site.push.on) return none;
  const std::string folder = push_folder(database);
  options.live.spool = push_spool(folder, study.id);
  auto opened = PushEndpoint::open(with_paths(site.push), folder, study.id, session.clock);
  if (!opened && opened.error().code != ErrorCode::unavailable) {
    return opened.error().in("push");
  }
  if (!opened) {
    session.err << "kneepoint: run: no live reports: " << opened.error().message
                << "; records come home all the same\n";
    return none;
  }
  PushEndpoint* endpoint = opened->get();
  options.live.target = [endpoint](const std::string& name) { return endpoint->target(name); };
  options.live.news = [endpoint] { return endpoint->news(); };
  session.err << "live reports: agents push to " << endpoint->url() << std::endl;
  return std::move(opened).value();
}

void forget_live_reports(const std::string& database, const StudyRow& study) {
  std::error_code ignored;
  fs::remove_all(push_spool(push_folder(database), study.id), ignored);
}

}  // namespace kneepoint::cli
