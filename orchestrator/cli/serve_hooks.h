// SPDX-License-Identifier: Apache-2.0
//
// What the dashboard has of the commands: the values that they show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "orchestrator/answers/series_nights.h"
#include "orchestrator/server/dashboard/controllers.h"

namespace kneepoint::cli {

class ServeHooks final : public Controllers {
 public:
  using Controllers::Controllers;

  Result<std::string> report(const std::string& study, const std::string& form) const override;
  Result<std::string> story(const std::string& study, int run) const override;
  Result<std::string> compare(const std::vector<std::string>& studies) const override;
  Result<std::string> series(const SeriesLine& series) const override;
  Result<std::optional<std::string>> verdict(const SeriesLine& series) const override;

 private:
  mutable JudgedNights judged_;  // has a lock of its own
};

}  // namespace kneepoint::cli
