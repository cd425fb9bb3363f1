// SPDX-License-Identifier: Apache-2.0
#include "orchestrator/answers/pack/export_pack.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <sstream>

#include "orchestrator/base/files.h"
#include "orchestrator/base/json_text.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/plan/readers.h"

namespace kneepoint {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLeastValue = 8;    // shorter ones are found everywhere
constexpr std::size_t kLeastInFile = 16;  // of a word in a file of keys, which has other words too

constexpr char kAround[] = "{}[]\"',:";  // YAML and JSON around a word

bool is_token(const std::string& word) {
  return word.size() >= kLeastInFile && word.front() != '/' && word.front() != '~' &&
         word.find('-') != 0 && std::all_of(word.begin(), word.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '+' || c == '/' || c == '=' || c == '.' ||
                  c == '_' || c == '-';
         });
}

PackHeader header_of(const StudyRow& row) {
  PackHeader header;
  header.kneepoint = KNEEPOINT_VERSION;
  header.study = row.id;
  header.name = row.name;
  header.backend = row.backend;
  header.site = row.site;
  header.worker = to_string(row.worker);
  header.seed = row.seed;
  header.knee_rule = row.knee_rule;
  header.knee_floor = row.knee_floor;
  header.state = row.state;
  header.plan_path = fs::path(row.plan_path).filename().string();
  header.created_ns = row.created_ns;
  header.updated_ns = row.updated_ns;
  return header;
}

// Plan and site as others may see them. A plan without a secret goes as it was written.
void add_plan_and_site(const Context& context, const StudyRow& row, PackHeader& header,
                       std::vector<TarMember>& parts, std::vector<std::string>& secrets) {
  const Redacted plan = redact(row.plan_text, row.plan_path);
  const Redacted site = redact(row.site_text, "site");
  for (const auto& [what, redacted] : {std::pair{"plan", &plan}, std::pair{"site", &site}}) {
    for (const std::string& key : redacted->left_out) {
      header.left_out.push_back(std::string(what) + "." + key);
    }
    for (std::string& one : known_secrets(context, *redacted)) secrets.push_back(std::move(one));
  }
  parts.push_back({"plan.yaml", plan.left_out.empty() ? row.plan_text : plan.json});
  if (!row.site_text.empty() && !site.json.empty()) parts.push_back({"site.json", site.json});
}

}  // namespace

std::vector<std::string> known_secrets(const Context& context, const Redacted& redacted) {
  std::vector<std::string> secrets;
  const auto add = [&](const std::string& value) {
    if (value.size() >= kLeastValue) secrets.push_back(value);
  };
  for (const std::string& value : redacted.secrets) add(value);
  for (const std::string& name : redacted.variables) {
    if (const auto value = context.environment(name)) add(*value);
  }
  for (std::string path : redacted.files) {
    if (path.starts_with("~/")) path = context.environment("HOME").value_or("") + path.substr(1);
    const auto text = read_file("secret", path, 1);
    if (!text) continue;
    std::istringstream words(*text);
    std::string only;
    int count = 0;
    for (std::string word; words >> word; ++count) {
      const std::size_t begin = word.find_first_not_of(kAround),
                        end = word.find_last_not_of(kAround);
      word = begin == std::string::npos ? "" : word.substr(begin, end - begin + 1);
      only = word;
      if (is_token(word)) secrets.push_back(word);
    }
    if (count == 1) add(only);
  }
  return secrets;
}

Result<void> refuse_secrets(const std::vector<TarMember>& parts,
                            const std::vector<std::string>& secrets) {
  for (const TarMember& part : parts) {
    for (const std::string& secret : secrets) {
      const std::string quoted = json_quote(secret);
      if (part.bytes.find(secret) == std::string::npos &&
          part.bytes.find(quoted.substr(1, quoted.size() - 2)) == std::string::npos) {
        continue;
      }
      return Error{ErrorCode::conflict,
                   "a secret of the plan or site is in " + part.name +
                       " too, so nothing was written; give it to runs by a file or by the name of "
                       "a variable instead"};
    }
  }
  return {};
}

Result<void> check_exportable(const StudyRow& row) {
  if (row.state == "finished" || row.state == "cancelled") return {};
  return Error{ErrorCode::conflict, row.id + " is " + row.state +
                                        "; only a study that is over can be exported: finish it "
                                        "with 'run', or cancel it"};
}

Result<PackExport> export_pack(const Context& context, StudyStore& store, const StudyRow& row,
                               ExportRequest request) {
  PackExport answer;
  answer.study = row.id;
  PackHeader header = header_of(row);
  std::vector<TarMember> parts(1);  // the header's place
  std::vector<std::string> secrets;
  add_plan_and_site(context, row, header, parts, secrets);
  if (!request.prices.empty()) {
    TRY_ASSIGN(const std::string text, read_file("price book", request.prices));
    const PricesRead read = read_prices(text, request.prices);
    answer.problems = read.problems;
    if (!answer.problems.empty()) return answer;
    parts.push_back({"prices.yaml", text});
  } else if (!row.price.text.empty()) {
    parts.push_back({"prices.yaml", row.price.text});
    header.price_item = row.price.item;
  }
  for (TarMember& report : request.reports) parts.push_back(std::move(report));
  TRY_ASSIGN(const std::vector<RowTable> tables, store.study_tables(row.row));
  for (const RowTable& table : tables) parts.push_back({part_name_of(table), write_rows(table)});
  parts.front() = {kPackHeader, write_header(header)};
  TRY(refuse_secrets(parts, secrets));
  auto bytes = write_pack(parts, request.sign_key);
  if (!bytes) return bytes.error().in("--sign-key");
  answer.bytes = std::move(*bytes);
  if (answer.bytes.size() > static_cast<std::size_t>(kMostPackMiB) << 20) {
    return Error{ErrorCode::unsupported, "the pack would be larger than " +
                                             std::to_string(kMostPackMiB) +
                                             " MiB, more than anybody can import"};
  }
  // What is written can be read.
  TRY_ASSIGN(const Pack pack, open_pack(answer.bytes, std::nullopt));
  answer.digest = pack.digest;
  answer.signer = pack.signer;
  answer.words = signature_words(pack, true);
  answer.left_out = std::move(header.left_out);
  return answer;
}

}  // namespace kneepoint
