// SPDX-License-Identifier: Apache-2.0
//
// spdlog's only home. JSON lines are built here, so that a quote in a message can't break one.
#include "orchestrator/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "orchestrator/base/json_text.h"

namespace kneepoint {
namespace {

LogFormat current_format = LogFormat::text;

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    const bool plain = std::getenv("NO_COLOR") != nullptr || ::isatty(STDERR_FILENO) == 0;
    auto made = spdlog::stderr_color_st(
        "kneepoint", plain ? spdlog::color_mode::never : spdlog::color_mode::automatic);
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
    return made;
  }();
  return *instance;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  using namespace spdlog::level;
  constexpr level_enum kLevels[] = {debug, info, warn, err};  // as LogLevel has them
  return kLevels[static_cast<std::size_t>(level)];
}

}  // namespace

void configure_logging(LogLevel least, LogFormat format) {
  current_format = format;
  logger().set_level(to_spdlog(least));
  if (format == LogFormat::json) {
    logger().set_pattern(R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})");
  }
}

void log(LogLevel level, std::string_view where, std::string_view message) {
  if (!logger().should_log(to_spdlog(level))) return;
  std::string text;
  if (current_format == LogFormat::json) {
    text = "\"where\":" + json_quote(where) + ",\"message\":" + json_quote(message);
  } else {
    text = where.empty() ? std::string(message)
                         : "[" + std::string(where) + "] " + std::string(message);
  }
  logger().log(to_spdlog(level), "{}", text);
}

}  // namespace kneepoint
