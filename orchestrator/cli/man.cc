// SPDX-License-Identifier: Apache-2.0
//
// kneepoint man: prints a manual page, or writes all of them. The installation calls it, so that
// pages are made by the program that they describe.
#include <filesystem>
#include <ostream>

#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/suggest.h"
#include "orchestrator/cli/commands.h"
#include "orchestrator/cli/man_page.h"

namespace kneepoint::cli {
namespace {

struct ManPage {
  std::string file;
  std::string text;
};

std::vector<ManPage> all_man_pages() {
  std::vector<ManPage> pages = {{man_page_file(""), main_man_page(all_commands())}};
  for (const CommandSpec& command : all_commands()) {
    pages.push_back({man_page_file(command.name), man_page(command)});
  }
  return pages;
}

Result<ManPage> man_page_of(const std::string& name) {
  std::vector<std::string> names;
  for (const ManPage& page : all_man_pages()) {
    if (page.file == man_page_file(name)) return page;
  }
  for (const CommandSpec& command : all_commands()) names.push_back(command.name);
  const std::string near = nearest_word(name, names);
  return Error{ErrorCode::not_found, "no command '" + name + "'" +
                                         (near.empty() ? "; 'kneepoint --help' lists them"
                                                       : "; did you mean '" + near + "'?")};
}

Result<void> write_man_pages(const std::vector<ManPage>& pages, const std::string& folder) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (problem) return Error{ErrorCode::io, "create " + folder + ": " + problem.message()};
  for (const ManPage& page : pages) TRY(write_file(folder + "/" + page.file, page.text));
  return {};
}

Result<int> man(Session& session, const Arguments& arguments) {
  const std::string folder = arguments.text("--output-dir");
  std::vector<ManPage> pages;
  if (folder.empty() || arguments.has("COMMAND")) {
    TRY_ASSIGN(const ManPage page, man_page_of(arguments.text("COMMAND")));
    pages.push_back(page);
  } else {
    pages = all_man_pages();
  }
  if (!folder.empty()) TRY(write_man_pages(pages, folder));
  if (session.json) {
    JsonWriter json;
    json.begin_object().key("pages").begin_array();
    for (const ManPage& page : pages) {
      json.begin_object().put("file", folder.empty() ? page.file : folder + "/" + page.file);
      json.put("text", page.text).end_object();
    }
    json.end_array().end_object();
    session.out << json.text() << "\n";
  } else if (folder.empty()) {
    session.out << pages.front().text;
  }
  return kExitDone;
}

}  // namespace

CommandSpec man_command() {
  return {"man",
          "Print a manual page",
          "Prints the manual page of kneepoint, or of one of its commands, in roff, which man(1) "
          "shows. With --output-dir every page goes into a file of that folder instead, as an "
          "installation has them.",
          {{"COMMAND", "The command (default: kneepoint itself)", false}},
          {{"--output-dir",
            "DIR",
            "Write kneepoint.1, kneepoint-run.1 and all the others there",
            {},
            false,
            Completes::files}},
          {"kneepoint man run | man -l -", "kneepoint man --output-dir ~/.local/share/man/man1"},
          man};
}

}  // namespace kneepoint::cli
