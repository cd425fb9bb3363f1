// SPDX-License-Identifier: Apache-2.0
//
// One record to its line, by its list of fields. Alone, since workloads that are built against a
// site's own MPI write records and read none.
#include "agents/wire/record.h"
#include "orchestrator/base/json_put.h"

namespace kneepoint::record {

std::string to_line(int seq, const Content& record) {
  JsonWriter w;
  w.begin_object();
  if (seq >= 0) w.put("v", kVersion).put("seq", seq);
  std::visit(
      [&w](const auto& content) {
        using Record = std::decay_t<decltype(content)>;
        if constexpr (!std::is_same_v<Record, std::monostate>) {
          w.put("type", Record::kType);
          put_fields(w, content);
        }
      },
      record);
  return w.end_object().text() + '\n';
}

}  // namespace kneepoint::record
