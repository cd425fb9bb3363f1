// SPDX-License-Identifier: Apache-2.0
//
// Values to lines, by the lists of fields.
#include "agents/wire/record.h"

namespace kneepoint::record {

std::string to_line(int seq, const Content& record) {
  JsonWriter w;
  w.begin_object();
  if (seq >= 0) w.key("v").value(kVersion).key("seq").value(seq);
  std::visit(
      [&w](const auto& content) {
        using Record = std::decay_t<decltype(content)>;
        if constexpr (!std::is_same_v<Record, std::monostate>) {
          w.key("type").value(Record::kType);
          wire::put_fields(w, content);
        }
      },
      record);
  return w.end_object().text() + '\n';
}

}  // namespace kneepoint::record
