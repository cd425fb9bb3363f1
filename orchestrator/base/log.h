// SPDX-License-Identifier: Apache-2.0
//
// Logging to stderr. stdout is for answers. What matters later goes to the events table instead:
// the log is for the person who watches. spdlog stays inside log.cc.
#pragma once

#include <string>
#include <string_view>

namespace kneepoint {

enum class LogLevel { debug, info, warning, error };
enum class LogFormat { text, json };

void configure_logging(LogLevel least, LogFormat format);

// `where` is the study, run or attempt the line is about ("" if none): every line carries it.
void log(LogLevel level, std::string_view where, std::string_view message);

inline void log_info(std::string_view where, std::string_view m) {
  log(LogLevel::info, where, m);
}
inline void log_warning(std::string_view where, std::string_view m) {
  log(LogLevel::warning, where, m);
}
inline void log_error(std::string_view where, std::string_view m) {
  log(LogLevel::error, where, m);
}

}  // namespace kneepoint
