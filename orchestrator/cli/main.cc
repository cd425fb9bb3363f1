// SPDX-License-Identifier: Apache-2.0
//
// kneepoint: makes a Session of this process and hands it to the command that was typed.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <system_error>

#include "orchestrator/base/log.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/cli/shell/terminal.h"
#include "orchestrator/report/text.h"

namespace kneepoint::cli {
namespace {

// Closed ones are taken, or a file opened later would get what we print.
void fill_standard_descriptors() {
  for (int fd = ::open("/dev/null", O_RDONLY); fd >= 0; fd = ::dup(fd)) {
    if (fd <= STDERR_FILENO) continue;
    ::close(fd);
    return;
  }
}

int complain(const Error& error) {
  std::cerr << "kneepoint: " << plain_lines(error.message) << "\n";
  return exit_code_of(error);
}

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

Result<void> set_up_logging(const Session& session) {
  const auto choose = [&](const std::string& flag, const char* variable, const char* fallback) {
    if (!flag.empty()) return flag;
    return environment_variable(variable).value_or(fallback);
  };
  const std::string level = choose(session.log_level, "KNEEPOINT_LOG_LEVEL", "warning");
  const std::string format = choose(session.log_format, "KNEEPOINT_LOG_FORMAT", "text");
  const std::vector<std::pair<std::string, LogLevel>> levels = {{"debug", LogLevel::debug},
                                                                {"info", LogLevel::info},
                                                                {"warning", LogLevel::warning},
                                                                {"error", LogLevel::error}};
  for (const auto& [word, value] : levels) {
    if (word != level) continue;
    if (format != "text" && format != "json") {
      return Error{ErrorCode::invalid,
                   "KNEEPOINT_LOG_FORMAT is '" + format + "'; it takes text or json"};
    }
    configure_logging(value, format == "json" ? LogFormat::json : LogFormat::text);
    return {};
  }
  return Error{ErrorCode::invalid,
               "KNEEPOINT_LOG_LEVEL is '" + level + "'; it takes debug, info, warning or error"};
}

int run_main(const std::vector<std::string>& words) {
  auto line = parse_command_line(words, all_commands());
  if (!line) return complain(line.error());
  if (line->command == nullptr) {
    std::cout << line->answer << std::flush;
    return kExitDone;
  }
  Session session{{system_clock(), environment_variable, ""}, std::cout, std::cerr};
  describe_process(session);
  session.database = line->global["--db"];
  session.log_level = line->global["--log-level"];
  session.log_format = line->global["--log-format"];
  session.json = line->global.count("--json") > 0;
  session.no_color = line->global.count("--no-color") > 0 ||
                     !environment_variable("NO_COLOR").value_or("").empty();
  if (auto set = set_up_logging(session); !set) return complain(set.error());

  auto code = line->command->run(session, Arguments(line->given));
  std::cout << std::flush;
  if (!code) return complain(code.error().in(line->command->name));
  if (!std::cout)
    return complain(Error{ErrorCode::io, "the answer could not be written to stdout"});
  return *code;
}

}  // namespace
}  // namespace kneepoint::cli

int main(int argc, char** argv) {
  kneepoint::cli::fill_standard_descriptors();
  try {
    return kneepoint::cli::run_main(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::cerr << "kneepoint: bug: " << error.what()
              << "\nState is in the database: starting again resumes. Please report this.\n";
    return kneepoint::cli::kExitBug;
  }
}
