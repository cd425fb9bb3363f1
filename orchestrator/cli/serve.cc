// SPDX-License-Identifier: Apache-2.0
//
// kneepoint serve: the dashboard over a database. It reads; studies are driven by controllers of
// their own, which it may start for the holder of the token.
#include <charconv>
#include <csignal>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "orchestrator/answers/lookup.h"
#include "orchestrator/answers/places.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/json_put.h"
#include "orchestrator/cli/shell/command.h"
#include "orchestrator/io/poller.h"
#include "orchestrator/server/dashboard/controllers.h"
#include "orchestrator/server/dashboard/dashboard.h"
#include "orchestrator/server/http/web_server.h"
#include "orchestrator/web/bundle.h"

namespace kneepoint::cli {
namespace {

namespace fs = std::filesystem;

constexpr char kDefaultListen[] = "127.0.0.1:7878";
constexpr Nanoseconds kBetweenRounds = kSecond;

struct Address {
  std::string host;
  int port = 0;
};

Error wrong_setting(const std::string& message) {
  return Error{ErrorCode::invalid, message};
}

Result<Address> read_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  Address address;
  if (colon != std::string::npos) {
    address.host = text.substr(0, colon);
    if (address.host.size() > 2 && address.host.front() == '[' && address.host.back() == ']') {
      address.host = address.host.substr(1, address.host.size() - 2);
    }
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + colon + 1, end, address.port);
    if (!address.host.empty() && read.ec == std::errc() && read.ptr == end && address.port >= 0 &&
        address.port <= 65535) {
      return address;
    }
  }
  return wrong_setting("--listen: expected ADDRESS:PORT, got '" + text + "'");
}

// All that must be said before anybody but this machine's users may look.
Result<void> check_exposure(const Address& address, const Arguments& arguments) {
  if (arguments.has("--tls-cert") != arguments.has("--tls-key")) {
    return wrong_setting("--tls-cert and --tls-key belong together");
  }
  if (is_loopback(address.host)) return {};
  const std::string opening =
      "--listen " + arguments.text("--listen") + " can be reached from other machines: ";
  if (!arguments.has("--token-file")) return wrong_setting(opening + "say --token-file FILE");
  if (!arguments.has("--tls-cert") && !arguments.has("--behind-proxy")) {
    return wrong_setting(
        opening +
        "say --tls-cert FILE and --tls-key FILE, or --behind-proxy if TLS ends in front "
        "of this server");
  }
  return {};
}

Result<std::optional<TlsContext>> tls_of(const Arguments& arguments) {
  if (!arguments.has("--tls-cert")) return std::optional<TlsContext>();
  TRY_ASSIGN(const std::string certificate,
             read_file("certificate", arguments.text("--tls-cert"), 1));
  TRY_ASSIGN(const std::string key, read_file("key", arguments.text("--tls-key"), 1));
  auto context = TlsContext::make(certificate, key);
  if (!context) return context.error().in("--tls-cert and --tls-key");
  return std::optional<TlsContext>(std::move(context).value());
}

Result<std::string> plans_folder(const Arguments& arguments) {
  if (!arguments.has("--plans")) return std::string();
  const std::string folder = absolute_path(arguments.text("--plans"), fs::current_path().string());
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) return folder;
  return wrong_setting("--plans: there is no folder '" + arguments.text("--plans") + "'");
}

std::vector<std::string> words_in(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream stream(list);
  for (std::string word; std::getline(stream, word, ',');) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

void say_where(Session& session, const std::string& url, bool has_token) {
  if (session.json) {
    JsonWriter json;
    json.begin_object().put("url", url).put("actions", has_token).end_object();
    session.out << json.text() << std::endl;
    return;
  }
  session.out << url << std::endl;
  session.err << (has_token ? "" : "without --token-file: nobody may start or stop studies here\n")
              << "Ctrl-C ends it; studies go on\n"
              << std::flush;
}

Result<int> serve(Session& session, const Arguments& arguments) {
  const std::string listen =
      arguments.has("--listen") ? arguments.text("--listen") : kDefaultListen;
  TRY_ASSIGN(const Address address, read_address(listen));
  TRY(check_exposure(address, arguments));
  DashboardOptions options;
  if (arguments.has("--token-file")) {
    TRY_ASSIGN(options.access.token, read_token_file(arguments.text("--token-file")));
  }
  options.access.hosts = words_in(arguments.text("--allow-host"));
  options.access.hosts.push_back(address.host);
  TRY_ASSIGN(auto tls, tls_of(arguments));
  TRY_ASSIGN(const std::string plans, plans_folder(arguments));
  TRY_ASSIGN(options.database, database_of(session));
  {  // made or brought up to date once; from here on it is only read
    TRY_ASSIGN(const auto store, open_database(session, StudyStore::Access::read_write));
  }
  options.page = web_bundle().dashboard_html;
  Poller poller;
  TRY(poller.take_signals());
  std::signal(SIGPIPE, SIG_IGN);
  Controllers hooks(session, options.database, plans);
  TRY_ASSIGN(const auto dashboard, Dashboard::make(options, hooks, session.clock));
  WebServerOptions serving;
  serving.host = address.host;
  serving.port = address.port;
  serving.workers = options.workers;
  const bool has_tls = tls.has_value();
  std::unique_ptr<WebServer> server;
  dashboard->count_with([&server] { return server ? server->stats() : WebStats{}; });
  TRY_ASSIGN(server, WebServer::start(serving, std::move(tls), *dashboard, session.clock));
  const bool is_v6 = address.host.find(':') != std::string::npos;
  say_where(session,
            (has_tls ? "https://" : "http://") + (is_v6 ? "[" + address.host + "]" : address.host) +
                ":" + std::to_string(server->port()) + "/",
            !options.access.token.empty());
  for (;;) {
    if (arguments.has("--resume")) hooks.resume_unattended();
    hooks.judge_what_is_over();
    hooks.reap();
    TRY_ASSIGN(const Poller::Woken woken, poller.wait(kBetweenRounds));
    if (!woken.signals.empty()) break;
  }
  server.reset();
  return kExitDone;
}

}  // namespace

CommandSpec serve_command() {
  return {
      "serve",
      "Show studies in a browser, live",
      "Serves a dashboard over the database: studies and series, live progress, stories of runs, "
      "reports to download; a JSON API (/openapi.json) and /metrics for Prometheus. Listens on "
      "this machine alone unless --listen names another address, which takes a token and TLS. "
      "Whoever has the token may cancel, resume and start studies; their controllers are "
      "processes of their own and outlive the server. Prints its URL, and ends with Ctrl-C or "
      "SIGTERM.",
      {},
      {{"--listen", "ADDRESS:PORT",
        std::string("Where to listen (default: ") + kDefaultListen + "; port 0: any that is free)"},
       file_flag("--token-file",
                 "File with the token (mode 600) that every call of the API must carry"),
       file_flag("--tls-cert", "Certificate or chain, PEM"),
       file_flag("--tls-key", "Its key, PEM"),
       {"--behind-proxy", "", "TLS ends in front of this server: serve plain HTTP on any address"},
       {"--allow-host", "NAMES", "Further host names that requests may be for, with commas"},
       file_flag("--plans", "Folder with the plans and sites that may be started through the API",
                 "DIR"),
       {"--resume", "", "Go on with studies whose controller is gone, now and later"}},
      {"kneepoint serve",
       "kneepoint serve --listen 0.0.0.0:7878 --token-file token --tls-cert cert.pem --tls-key "
       "key.pem",
       "kneepoint serve --token-file token --plans plans --resume"},
      serve};
}

}  // namespace kneepoint::cli
