// SPDX-License-Identifier: Apache-2.0
//
// The dashboard over a real database: every route, who may ask, and what can't be done through it.
#include "orchestrator/server/dashboard/dashboard.h"

#include <nlohmann/json.hpp>
#include <set>

#include "orchestrator/server/dashboard/routes.h"
#include "tests/fakes/fake_hooks.h"
#include "tests/fakes/moving_clock.h"
#include "tests/fakes/web_caller.h"
#include "tests/unit/store/store_fixture.h"

namespace kneepoint {
namespace {

using testing_support::WebCaller;
using testing_support::WebResponse;

constexpr char kToken[] = "0123456789abcdef0123456789abcdef";
constexpr char kPage[] = "<!doctype html><script>1 + 1</script><p>page</p>";

class DashboardTest : public StoreTest {
 protected:
  void SetUp() override {
    store_ = open();
    study_ = create(*store_);
    put_matrix(*store_, study_.row);
    start(kToken);
  }
  void start(const std::string& token) {
    server_.reset();
    DashboardOptions options;
    options.database = path();
    options.access.token = token;
    options.page = kPage;
    auto made = Dashboard::make(options, hooks_, moving_);
    ASSERT_TRUE(made) << made.error().message;
    dashboard_ = std::move(*made);
    dashboard_->count_with([this] { return server_ ? server_->stats() : WebStats{}; });
    WebServerOptions serving;
    serving.sweep = kMillisecond;
    auto server = WebServer::start(serving, std::nullopt, *dashboard_, moving_);
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
  }
  WebResponse ask(const std::string& method, const std::string& path,
                  const std::string& token = kToken, const std::string& body = "") {
    return WebCaller(server_->port()).ask(method, path, token, body);
  }
  nlohmann::json get(const std::string& path) {
    const WebResponse answer = ask("GET", path);
    EXPECT_EQ(answer.status, 200) << path << answer.body;
    return nlohmann::json::parse(answer.body, nullptr, false);
  }
  std::string error_code(const WebResponse& answer) {
    const auto json = nlohmann::json::parse(answer.body, nullptr, false);
    return json.is_object() && json.value("schema", "") == "kneepoint.api/1"
               ? json["error"]["code"].get<std::string>()
               : "no error object: " + answer.body;
  }
  // A path of the route with values that are there.
  std::string example(const RouteSpec& spec) const {
    std::string path(spec.pattern);
    const bool of_series = spec.schema == "Series";
    const std::pair<std::string, std::string> values[] = {
        {"{id}", of_series ? "jacobi-0a1b2c3d" : study_.id}, {"{n}", "1"}, {"{form}", "md"}};
    for (const auto& [name, value] : values) {
      if (const std::size_t at = path.find(name); at != std::string::npos) {
        path.replace(at, name.size(), value);
      }
    }
    if (spec.schema == "Comparison") path += "?study=" + study_.id + "&study=" + study_.id;
    return path;
  }

  FakeHooks hooks_;
  MovingClock moving_;
  std::unique_ptr<StudyStore> store_;
  StudyRow study_;
  std::unique_ptr<Dashboard> dashboard_;
  std::unique_ptr<WebServer> server_;
};

TEST_F(DashboardTest, EveryRouteOfTheOpenApiIsAnsweredAsItSays) {
  const auto document = nlohmann::json::parse(openapi_json());
  ASSERT_TRUE(store_->set_study_state(study_.row, "finished"));  // so that the stream ends
  int asked = 0;
  for (const RouteSpec& spec : routes()) {
    const auto& operation =
        document["paths"][std::string(spec.pattern)][spec.method == "GET" ? "get" : "post"];
    const std::string body = spec.body.empty() ? "" : R"({"plan":"x.yaml"})";
    const WebResponse answer = ask(std::string(spec.method), example(spec), kToken, body);
    EXPECT_TRUE(operation["responses"].contains(std::to_string(answer.status)))
        << spec.pattern << " answered " << answer.status << " " << answer.body;
    const std::string type = answer.header("Content-Type");
    const std::string said =
        operation["responses"][std::to_string(spec.status())]["content"].begin().key();
    const bool is_report = spec.type == "application/octet-stream";
    EXPECT_TRUE(is_report || type.starts_with(said)) << spec.pattern << type;
    if (!spec.schema.empty()) {
      const auto json = nlohmann::json::parse(answer.body, nullptr, false);
      const auto& schema = document["components"]["schemas"][std::string(spec.schema)];
      for (const auto& key : schema["required"]) {
        const bool by_hooks =
            std::set<std::string_view>{"Series", "Story", "Comparison"}.count(spec.schema) > 0;
        EXPECT_TRUE(by_hooks || json.contains(key.get<std::string>())) << spec.pattern << key;
      }
    }
    ++asked;
  }
  EXPECT_EQ(asked, 17);
}

TEST_F(DashboardTest, StudiesArePagedNewestFirst) {
  for (int n = 2; n <= 5; ++n) {
    clock_.advance(kSecond);
    create(*store_, "jacobi", "0a1b2c3d", n);
  }
  const auto first = get("/api/v1/studies?limit=2");
  ASSERT_EQ(first["studies"].size(), 2U);
  EXPECT_EQ(first["studies"][0]["id"], "jacobi-0a1b2c3d-5");
  EXPECT_EQ(first["next"], "jacobi-0a1b2c3d-4");
  const auto second = get("/api/v1/studies?limit=2&before=jacobi-0a1b2c3d-4");
  EXPECT_EQ(second["studies"][0]["id"], "jacobi-0a1b2c3d-3");
  const auto last = get("/api/v1/studies?limit=2&before=jacobi-0a1b2c3d-2");
  EXPECT_EQ(last["studies"].size(), 1U);
  EXPECT_TRUE(last["next"].is_null());
  EXPECT_EQ(last["studies"][0]["runs"], 6);
  EXPECT_EQ(last["studies"][0]["series"], "jacobi-0a1b2c3d");
  EXPECT_EQ(error_code(ask("GET", "/api/v1/studies?limit=0")), "invalid");
  EXPECT_EQ(error_code(ask("GET", "/api/v1/studies?limit=x")), "invalid");
  EXPECT_EQ(ask("GET", "/api/v1/studies?before=none").status, 404);
}

TEST_F(DashboardTest, RunsArePagedByNumber) {
  const auto first = get("/api/v1/studies/" + study_.id + "/runs?limit=4");
  ASSERT_EQ(first["runs"].size(), 4U);
  EXPECT_EQ(first["runs"][0]["run"], 1);
  EXPECT_EQ(first["runs"][0]["state"], "planned");
  EXPECT_TRUE(first["runs"][0]["seconds"].is_null());
  EXPECT_EQ(first["next"], 4);
  const auto rest = get("/api/v1/studies/" + study_.id + "/runs?limit=4&after=4");
  EXPECT_EQ(rest["runs"].size(), 2U);
  EXPECT_TRUE(rest["next"].is_null());
}

TEST_F(DashboardTest, LogsHaveTheirLastLines) {
  const std::string log = "/api/v1/studies/" + study_.id + "/runs/1/log";
  EXPECT_EQ(ask("GET", log + "?tail=2").body, "two\nthree of stdout\n");
  EXPECT_EQ(ask("GET", log + "?tail=3&stream=stderr").body, "one\ntwo\nthree of stderr\n");
  EXPECT_EQ(ask("GET", log).header("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(ask("GET", log + "?stream=../../etc").status, 400);
  EXPECT_EQ(ask("GET", "/api/v1/studies/" + study_.id + "/runs/x").status, 404);
}

TEST_F(DashboardTest, ReportsAreForKeeping) {
  const WebResponse answer = ask("GET", "/api/v1/studies/" + study_.id + "/report.html");
  EXPECT_EQ(answer.body, "report of " + study_.id + " as html");
  EXPECT_EQ(answer.header("Content-Disposition"),
            "attachment; filename=\"" + study_.id + ".html\"");
  EXPECT_NE(answer.header("Content-Security-Policy").find("sandbox"), std::string::npos);
  EXPECT_EQ(ask("GET", "/api/v1/studies/" + study_.id + "/report.exe").status, 404);
}

TEST_F(DashboardTest, TheTokenIsAskedForBeforeAnythingElseIsSaid) {
  for (const RouteSpec& spec : routes()) {
    const WebResponse without = ask(std::string(spec.method), example(spec), "");
    const WebResponse wrong = ask(std::string(spec.method), example(spec), "x123456789abcdef");
    if (spec.needs == Needs::nothing) {
      EXPECT_EQ(without.status, 200) << spec.pattern;
      continue;
    }
    EXPECT_EQ(without.status, 401) << spec.pattern;
    EXPECT_EQ(wrong.status, 401) << spec.pattern;
    EXPECT_EQ(error_code(wrong), "no_token");
    EXPECT_EQ(wrong.header("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(wrong.body.find(kToken), std::string::npos);
  }
  EXPECT_EQ(ask("GET", "/api/v1/studies/none", "").status, 401) << "nor whether a study is there";
  EXPECT_EQ(hooks_.acts, 0);
  EXPECT_NE(ask("GET", "/metrics").body.find("kneepoint_wrong_tokens_total 14\n"),
            std::string::npos);
}

TEST_F(DashboardTest, WithoutATokenFileActionsAreOff) {
  start("");
  EXPECT_EQ(ask("GET", "/api/v1/studies", "").status, 200);
  for (const char* path : {"/api/v1/studies", "/api/v1/studies/x/cancel"}) {
    for (const char* token : {"", "x", kToken}) {
      const WebResponse answer = ask("POST", path, token, "{}");
      EXPECT_EQ(answer.status, 403) << path;
      EXPECT_NE(answer.body.find("--token-file"), std::string::npos);
    }
  }
  EXPECT_EQ(hooks_.acts, 0);
}

TEST_F(DashboardTest, ActionsReachTheHooks) {
  EXPECT_EQ(ask("POST", "/api/v1/studies/" + study_.id + "/cancel").status, 202);
  EXPECT_EQ(ask("POST", "/api/v1/studies/" + study_.id + "/resume").status, 202);
  const WebResponse started = ask("POST", "/api/v1/studies", kToken, R"({"plan":"a.yaml"})");
  EXPECT_EQ(started.status, 202);
  EXPECT_EQ(nlohmann::json::parse(started.body)["message"], "started a.yaml");
  EXPECT_EQ(hooks_.acts, 3);
  EXPECT_EQ(ask("POST", "/api/v1/studies/none/cancel").status, 404);
  EXPECT_EQ(ask("POST", "/api/v1/studies", kToken, R"({"plan":"../a"})").status, 400);
  EXPECT_EQ(ask("POST", "/api/v1/studies", kToken, "not json").status, 400);
  EXPECT_EQ(hooks_.acts, 3);
}

TEST_F(DashboardTest, WrongMethodsAreToldTheRightOnes) {
  for (const char* method : {"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FOO"}) {
    const WebResponse answer = ask(method, "/api/v1/studies");
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.header("Allow"), "GET, HEAD, POST");
  }
  EXPECT_EQ(ask("GET", "/api/v1/studies/" + study_.id + "/cancel").header("Allow"), "POST");
  EXPECT_EQ(hooks_.acts, 0);
}

TEST_F(DashboardTest, PathsLeadNowhereElse) {
  for (const char* path :
       {"/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/api/v1/studies/..%2f..%2fetc/runs",
        "/api/v1/studies/%2e%2e/runs", "/api/v1/studies/x%00/runs", "//etc/passwd",
        "/api/v1/studies/'; DROP TABLE studies; --", "/static/../../x"}) {
    const WebResponse answer = ask("GET", path);
    EXPECT_TRUE(answer.status == 400 || answer.status == 404) << path << " " << answer.status;
    EXPECT_EQ(answer.body.find("root:"), std::string::npos);
  }
  EXPECT_EQ(ask("GET", "/api/v1/studies/%27%3B%20DROP%20TABLE%20studies%3B%20--").status, 404);
  EXPECT_EQ(get("/api/v1/studies")["studies"].size(), 1U);
}

TEST_F(DashboardTest, ANameOfSomebodyElseIsMisdirected) {
  for (const char* host : {"Host: evil.example\r\n", "", "Host: \r\n"}) {
    WebCaller caller(server_->port());
    ASSERT_TRUE(caller.send(std::string("GET /healthz HTTP/1.1\r\n") + host + "\r\n"));
    const WebResponse answer = caller.answer();
    EXPECT_EQ(answer.status, 421) << host;
    EXPECT_EQ(error_code(answer), "wrong_host");
  }
}

TEST_F(DashboardTest, ThePageRunsItsOwnScriptsAndNoOthers) {
  const WebResponse answer = ask("GET", "/", "");
  EXPECT_EQ(answer.body, kPage);
  EXPECT_EQ(answer.header("Content-Type"), "text/html; charset=utf-8");
  const std::string policy = answer.header("Content-Security-Policy");
  // echo -n '1 + 1' | openssl dgst -sha256 -binary | base64
  EXPECT_NE(policy.find("script-src 'sha256-"), std::string::npos) << policy;
  EXPECT_EQ(policy.find("script-src 'unsafe-inline'"), std::string::npos);
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_NE(policy.find("connect-src 'self'"), std::string::npos);
}

TEST_F(DashboardTest, VerdictsAreJudgedOncePerNewestStudy) {
  get("/api/v1/series");
  const auto list = get("/api/v1/series");
  EXPECT_EQ(list["series"][0]["verdict"], "PASS");
  EXPECT_EQ(list["series"][0]["newest"], study_.id);
  EXPECT_EQ(hooks_.verdicts, 1);
  create(*store_, "jacobi", "0a1b2c3d", 2);
  EXPECT_EQ(get("/api/v1/series")["series"][0]["studies"], 2);
  EXPECT_EQ(hooks_.verdicts, 2);
}

TEST_F(DashboardTest, AStreamFollowsTheStudyToItsEnd) {
  WebCaller caller(server_->port());
  ASSERT_TRUE(caller.send(
      WebCaller::request("GET", "/api/v1/studies/" + study_.id + "/events", kToken, "")));
  EXPECT_EQ(caller.answer().status, 200);
  EXPECT_NE(caller.read_until("\n\n").find("\"state\":\"running\""), std::string::npos);
  ASSERT_TRUE(store_->set_study_state(study_.row, "finished"));
  moving_.advance(kSecond);
  EXPECT_NE(caller.read_until("\n\n").find("\"state\":\"finished\""), std::string::npos);
  EXPECT_EQ(caller.read_until("\n\n"), "event: end\ndata: {}\n\n");
  EXPECT_TRUE(caller.is_closed());
}

TEST_F(DashboardTest, TheDatabaseIsNotWrittenByAnyAnswer) {
  const auto version = [this] {
    auto view = DashboardView::open(path());
    return view->data_version().value();
  };
  auto view = DashboardView::open(path());
  ASSERT_TRUE(view);
  const auto before = view->data_version().value();
  for (const RouteSpec& spec : routes()) {
    if (spec.type == "text/event-stream") continue;
    ask(std::string(spec.method), example(spec), kToken, R"({"plan":"x.yaml"})");
  }
  EXPECT_EQ(view->data_version().value(), before) << "nobody has written since";
  EXPECT_GE(version(), 0);
  auto database = Database::open_read_only(path());
  ASSERT_TRUE(database);
  EXPECT_FALSE((*database)->run("DELETE FROM studies")) << "the handle itself refuses";
}

}  // namespace
}  // namespace kneepoint
