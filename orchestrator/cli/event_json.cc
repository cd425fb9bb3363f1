// SPDX-License-Identifier: Apache-2.0
//
// One object per event; `run` and `attempt` are 0 where the event is of the study as a whole.
#include "orchestrator/cli/event_json.h"

namespace kneepoint::cli {

void write_events(JsonWriter& json, const std::vector<Event>& events) {
  json.key("events").begin_array();
  for (const Event& event : events) {
    json.begin_object().put("time", to_utc_text(event.wall_ns)).put("kind", event.kind);
    json.put("run", event.run_number).put("attempt", event.attempt_number);
    json.put("text", event.text).end_object();
  }
  json.end_array();
}

}  // namespace kneepoint::cli
