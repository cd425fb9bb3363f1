// SPDX-License-Identifier: Apache-2.0
//
// HTTP to one server, synchronous: every call ends by its deadline, with an answer of bounded size
// or an error that says what to change; several may be on their way at once, inside one call. The
// secret is read anew for each call, so that a token file that is renewed needs no restart; it is
// never logged, never part of an error, never on a command line. Redirects are not followed: a
// token goes to the server that the site names and to no other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "orchestrator/base/clock.h"
#include "orchestrator/base/result.h"

namespace kneepoint {

// Where an HTTP server is: http://host:port, https://host:port, or unix:/path of a socket. A URL
// never carries a secret: a user or password in it is refused.
struct HttpUrl {
  enum class Kind { http, https, unix_socket };
  Kind kind = Kind::http;
  std::string host;    // as written; an IPv6 address without its brackets
  int port = 0;        // 80 and 443 when not written
  std::string socket;  // unix_socket: absolute path
  std::string path;    // what all paths begin with: "" or "/prefix", without a slash at its end

  bool is_here() const;  // this machine: no proxy is ever asked
};

Result<HttpUrl> parse_http_url(std::string_view text);
// "http://host:6820/prefix", as curl wants it; a socket's is "http://localhost/prefix".
std::string base_of(const HttpUrl& url);
// For messages: what the user wrote, in its full form.
std::string to_string(const HttpUrl& url);
// One path segment or query value with everything but letters, digits, '-', '_', '.' and '~' as
// %XX.
std::string url_escaped(std::string_view text);

// Where a secret lies: a file or an environment variable. Both empty: there is none.
struct SecretSource {
  std::string file;
  std::string variable;
  bool is_set() const { return !file.empty() || !variable.empty(); }
};
// Without white space around it. The error names the place, never the content.
Result<std::string> read_secret(const SecretSource& source);

struct HttpTarget {
  std::string url;  // see parse_http_url
  SecretSource token;
  std::string token_header = "Authorization";
  std::string token_prefix = "Bearer ";
  std::string ca_file;             // PEM; "": the system's
  std::string client_certificate;  // PEM; "": none
  std::string client_key;          // PEM; "": in the file of the certificate
  // The same as texts, for what never lay in a file of ours.
  std::string ca_pem, client_certificate_pem, client_key_pem;
  std::string tls_server_name;  // the name that its certificate must have; "": the URL's host
  std::string proxy_url;        // "": the environment's
  bool insecure = false;        // certificates are not checked: only if the user's own file says so
};

struct HttpRequest {
  std::string method = "GET";
  std::string path = "/";  // with its query, escaped
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::size_t most_bytes = 64 << 20;  // of the answer's body; more is an error
};

struct HttpResponse {
  int status = 0;
  std::string body;
  int retry_after = -1;  // seconds, if the server named them
};

// unavailable: never reached, so nothing was asked. timeout: the deadline passed; it may have been
// asked. io: broken off on the way; it may have been asked. permission: certificates. invalid: the
// target or the request. A status is an answer, whatever its number.
class HttpClient {
 public:
  // `clock` outlives the client.
  static Result<std::unique_ptr<HttpClient>> make(const HttpTarget& target, const Clock& clock);
  virtual ~HttpClient() = default;
  // `deadline` on the clock's steady(). Connections are kept for the next call.
  Result<HttpResponse> call(const HttpRequest& request, Nanoseconds deadline) {
    return std::move(call_all({&request, 1}, deadline).front());
  }
  // All of them, a few at a time; answers in the order of the requests, whatever theirs was.
  virtual std::vector<Result<HttpResponse>> call_all(std::span<const HttpRequest> requests,
                                                     Nanoseconds deadline) = 0;
};

// An answer that goes on for minutes, read bit by bit by someone who has other things to do: poll()
// never waits. Ends when the server ends it, or with the object.
class HttpStream {
 public:
  static Result<std::unique_ptr<HttpStream>> open(const HttpTarget& target,
                                                  const HttpRequest& request);
  virtual ~HttpStream() = default;
  // Waits until there is an answer or an end, at most so long; what comes is kept for poll().
  // Without it the connection gets ahead by one step a poll.
  virtual void settle(Nanoseconds at_most) { static_cast<void>(at_most); }
  struct State {
    int status = 0;  // 0: no answer yet
    bool ended = false;
  };
  // Adds what has come to `data`, of any status.
  virtual Result<State> poll(std::string& data) = 0;
};

}  // namespace kneepoint
