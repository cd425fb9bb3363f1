// SPDX-License-Identifier: Apache-2.0
//
// kneepoint man: prints a manual page, or writes all of them. The installation calls it, so that
// pages are made by the program that they describe; groff and mandoc take them without a warning
// (tests/packages asks both). Every text goes through roff_escaped(): roff gives a meaning to
// backslashes anywhere, to a dot or a quote at the beginning of a line, and makes typographic signs
// of - ' ` ^ ~, which nobody could paste into a shell. Pages carry the version instead of a date,
// so that two builds agree.
#include <cctype>
#include <filesystem>
#include <map>
#include <ostream>

#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/base/text.h"
#include "orchestrator/cli/shell/command.h"

namespace kneepoint::cli {
namespace {

std::string roff_escaped(const std::string& text) {
  static const std::map<char, const char*> kEscapes = {
      {'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
  std::string out;
  for (const char c : text) {
    const auto escape = kEscapes.find(c);
    out += escape == kEscapes.end() ? std::string(1, c) : escape->second;
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string roff_bold(const std::string& text) {
  return "\\fB" + roff_escaped(text) + "\\fR";
}

std::string roff_italic(const std::string& text) {
  return "\\fI" + roff_escaped(text) + "\\fR";
}

std::string man_title(const std::string& name) {
  std::string title;
  for (const char c : name) title += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return ".TH \"" + roff_escaped(title) +
         "\" \"1\" \"\" \"kneepoint " KNEEPOINT_VERSION "\" \"kneepoint manual\"\n";
}

std::string man_name(const std::string& name, const std::string& summary) {
  return ".SH NAME\n" + roff_escaped(name) + " \\- " + roff_escaped(summary) + "\n";
}

std::string roff_entry(const std::string& head, const std::string& help,
                       const std::vector<std::string>& choices) {
  std::string text = ".TP\n" + head + "\n" + roff_escaped(help);
  const char* before = ": ";
  for (const std::string& choice : choices) {
    text += before + roff_bold(choice);
    before = ", ";
  }
  return text + "\n";
}

std::string roff_flag_head(const Flag& flag) {
  return roff_bold(flag.name) + (flag.value.empty() ? "" : " " + roff_italic(flag.value));
}

std::string roff_flag_section(const std::string& title, const std::vector<Flag>& flags) {
  if (flags.empty()) return "";
  std::string text = ".SH " + title + "\n";
  for (const Flag& flag : flags) text += roff_entry(roff_flag_head(flag), flag.help, flag.choices);
  return text;
}

std::string roff_examples(const std::vector<std::string>& lines) {
  std::string text = ".SH EXAMPLES\n.EX\n";
  for (const std::string& line : lines) text += roff_escaped(line) + "\n";
  return text + ".EE\n";
}

// What a line of the synopsis has after the command; words of one flag stay together.
std::string roff_operands(const CommandSpec& command) {
  std::string text;
  for (const Positional& positional : command.positionals) {
    const std::string words = roff_italic(positional.name) + (positional.many ? "..." : "");
    text += (positional.required ? words : "[" + words + "]") + "\n";
  }
  for (const Flag& flag : command.flags) {
    text += "[" + roff_bold(flag.name) +
            (flag.value.empty() ? "" : "\\ " + roff_italic(flag.value)) + "]\n";
  }
  return text;
}

}  // namespace

std::string man_page_file(const std::string& command) {
  return (command.empty() ? "kneepoint" : "kneepoint-" + command) + ".1";
}

std::string man_page(const CommandSpec& command) {
  std::string text = man_title("kneepoint-" + command.name);
  text += man_name("kneepoint-" + command.name, command.summary);
  text += ".SH SYNOPSIS\n" + roff_bold("kneepoint " + command.name) + "\n" + roff_operands(command);
  text += ".SH DESCRIPTION\n" + roff_escaped(command.description) + "\n";
  if (!command.positionals.empty()) text += ".SH ARGUMENTS\n";
  for (const Positional& positional : command.positionals) {
    text += roff_entry(roff_italic(positional.name), positional.help, positional.choices);
  }
  text += roff_flag_section("OPTIONS", command.flags);
  text += roff_flag_section("GLOBAL OPTIONS", global_flags());
  text += ".SH EXIT STATUS\n" + roff_escaped(exit_codes_text()) + ".\n";
  text += roff_examples(command.examples);
  return text + ".SH SEE ALSO\n" + roff_bold("kneepoint") + "(1)\n";
}

std::string main_man_page(const std::vector<CommandSpec>& commands) {
  std::string text = man_title("kneepoint") + man_name("kneepoint", program_summary());
  text += ".SH SYNOPSIS\n" + roff_bold("kneepoint") + " " + roff_italic("COMMAND") + "\n[" +
          roff_italic("ARGUMENTS") + "]\n[" + roff_italic("FLAGS") + "]\n";
  text += ".SH DESCRIPTION\n" + roff_escaped(program_description()) + "\n.PP\n" +
          roff_escaped(study_words()) + "\n";
  text += ".SH COMMANDS\n";
  std::string pages;
  for (const CommandSpec& command : commands) {
    text += roff_entry(roff_bold(command.name), command.summary, {});
    pages += (pages.empty() ? "" : ",\n") + roff_bold("kneepoint-" + command.name) + "(1)";
  }
  text += roff_flag_section("GLOBAL OPTIONS", global_flags());
  text += ".SH EXIT STATUS\n" + roff_escaped(exit_codes_text()) + ".\n";
  text += roff_examples(main_examples());
  return text + ".SH SEE ALSO\n" + pages + "\n";
}

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
          {file_flag("--output-dir", "Write kneepoint.1, kneepoint-run.1 and all the others there",
                     "DIR")},
          {"kneepoint man run | man -l -", "kneepoint man --output-dir ~/.local/share/man/man1"},
          man};
}

}  // namespace kneepoint::cli
