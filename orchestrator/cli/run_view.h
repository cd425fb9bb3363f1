// SPDX-License-Identifier: Apache-2.0
//
// What `run` shows while the engine works: an area drawn in place on a terminal, plain lines
// otherwise. The table of efficiency is read again only so often that it costs little of the time.
#pragma once

#include <memory>
#include <string>

#include "orchestrator/cli/session.h"
#include "orchestrator/cli/terminal.h"
#include "orchestrator/engine/engine.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint::cli {

class RunView {
 public:
  RunView(Session& session, StudyStore& store, RowId study);
  // Puts its callbacks into the engine's options; must outlive the engine's run.
  void attach(EngineOptions& options);
  // After the engine's end: leaves a clean screen, or prints the last line.
  void finish();

 private:
  void on_progress(const Progress& progress);
  void on_line(const std::string& text);
  void refresh_table();

  Session& session_;
  StudyStore& store_;
  const RowId study_;
  std::unique_ptr<LiveArea> area_;  // null: plain lines
  Progress last_;
  std::string table_;
  Nanoseconds next_table_ = 0;
};

}  // namespace kneepoint::cli
