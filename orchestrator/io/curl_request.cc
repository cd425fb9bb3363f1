// SPDX-License-Identifier: Apache-2.0
//
// Redirects are not followed, and only http and https are spoken.
#include "orchestrator/io/curl_request.h"

#include <curl/curl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "orchestrator/base/files.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostSecretBytes = 64 << 10;

Result<void> check_readable(const std::string& what, const std::string& path) {
  if (path.empty() || ::access(path.c_str(), R_OK) == 0) return {};
  return system_error("read the " + what + " '" + path + "'", errno);
}

template <typename Value>
void option(void* easy, CURLoption name, Value value) {
  curl_easy_setopt(easy, name, value);
}

// curl copies neither: the text lives as long as the target.
void blob(void* easy, CURLoption name, const std::string& text) {
  if (text.empty()) return;
  curl_blob bytes{};
  bytes.data = const_cast<char*>(text.data());
  bytes.len = text.size();
  bytes.flags = CURL_BLOB_NOCOPY;
  curl_easy_setopt(easy, name, &bytes);
}

bool fits_in_header(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c != 127; });
}

}  // namespace

Result<void> start_curl() {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) return Error{ErrorCode::io, "libcurl can't be started", false};
  return {};
}

CurlRequest::~CurlRequest() {
  curl_slist_free_all(static_cast<curl_slist*>(headers_));
  curl_slist_free_all(static_cast<curl_slist*>(connect_to_));
}

Result<void> CurlRequest::add_header(const std::string& name, const std::string& value) {
  if (!fits_in_header(name) || !fits_in_header(value)) {
    return Error{ErrorCode::invalid, "header " + name + " holds a control character", false};
  }
  headers_ = curl_slist_append(static_cast<curl_slist*>(headers_), (name + ": " + value).c_str());
  return {};
}

Result<void> CurlRequest::set(void* easy, const HttpTarget& target, const HttpUrl& url,
                              const HttpRequest& request) {
  if (!request.path.starts_with('/') || !fits_in_header(request.path) ||
      request.path.find(' ') != std::string::npos) {
    return Error{ErrorCode::invalid, "'" + request.path + "' is no path of a request", false};
  }
  for (const auto& [name, value] : request.headers) TRY(add_header(name, value));
  if (target.token.is_set()) {
    TRY_ASSIGN(const std::string token, read_secret(target.token));
    TRY(add_header(target.token_header, target.token_prefix + token));
  }
  TRY(add_header("Expect", ""));  // a small request needs no leave to be sent
  set_target(easy, target, url);
  address_ = base_of(url) + request.path;
  if (!target.tls_server_name.empty()) {
    // Name and certificate are the server name's, the connection goes to the host all the same.
    const std::string port = std::to_string(url.port);
    address_ = "https://" + target.tls_server_name + ":" + port + url.path + request.path;
    connect_to_ = curl_slist_append(
        nullptr, (target.tls_server_name + ":" + port + ":" + url.host + ":" + port).c_str());
    option(easy, CURLOPT_CONNECT_TO, static_cast<curl_slist*>(connect_to_));
  }
  option(easy, CURLOPT_URL, address_.c_str());
  option(easy, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
    option(easy, CURLOPT_POSTFIELDS, request.body.c_str());
    option(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  }
  if (request.method == "HEAD") option(easy, CURLOPT_NOBODY, 1L);
  option(easy, CURLOPT_HTTPHEADER, static_cast<curl_slist*>(headers_));
  return {};
}

void CurlRequest::set_target(void* easy, const HttpTarget& target, const HttpUrl& url) {
  option(easy, CURLOPT_NOSIGNAL, 1L);
  option(easy, CURLOPT_FOLLOWLOCATION, 0L);
  option(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  if (url.kind == HttpUrl::Kind::unix_socket) {
    option(easy, CURLOPT_UNIX_SOCKET_PATH, url.socket.c_str());
  }
  if (!target.proxy_url.empty()) {
    option(easy, CURLOPT_PROXY, target.proxy_url.c_str());
  } else if (url.is_here()) {
    option(easy, CURLOPT_PROXY, "");
  }
  if (!target.ca_file.empty()) option(easy, CURLOPT_CAINFO, target.ca_file.c_str());
  if (!target.client_certificate.empty()) {
    option(easy, CURLOPT_SSLCERT, target.client_certificate.c_str());
    option(easy, CURLOPT_SSLKEY,
           (target.client_key.empty() ? target.client_certificate : target.client_key).c_str());
  }
  blob(easy, CURLOPT_CAINFO_BLOB, target.ca_pem);
  blob(easy, CURLOPT_SSLCERT_BLOB, target.client_certificate_pem);
  blob(easy, CURLOPT_SSLKEY_BLOB, target.client_key_pem);
  if (target.insecure) {
    option(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    option(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  }
}

Error curl_error(int code, const char* words, const HttpUrl& url, Nanoseconds waited) {
  const std::string place = to_string(url);
  const std::string said = *words != '\0' ? words : curl_easy_strerror(static_cast<CURLcode>(code));
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return {ErrorCode::timeout, place + " gave no answer within " + to_duration_text(waited),
              true};
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
      return {ErrorCode::unavailable, place + " can't be reached: " + said, false};
    case CURLE_PEER_FAILED_VERIFICATION:
      return {ErrorCode::permission,
              place + " can't prove who it is: " + said + "; name its authority in ca_file", false};
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CONNECT_ERROR:
      return {ErrorCode::permission, place + ": no secure connection: " + said, false};
    case CURLE_URL_MALFORMAT:
    case CURLE_UNSUPPORTED_PROTOCOL:
      return {ErrorCode::invalid, place + ": " + said, false};
    default:
      return {ErrorCode::io, place + " broke off: " + said, true};
  }
}

Result<void> check_target_files(const HttpTarget& target) {
  TRY(check_readable("authority's certificate", target.ca_file));
  TRY(check_readable("client certificate", target.client_certificate));
  return check_readable("client key", target.client_key);
}

Result<std::string> read_secret(const SecretSource& source) {
  std::string place = "the environment variable " + source.variable;
  std::string secret;
  if (!source.file.empty()) {
    place = "the token file '" + source.file + "'";
    const auto text = read_file_if_there(source.file, kMostSecretBytes + 1);
    if (text && !*text) return system_error("read " + place, ENOENT);
    if (text ? (*text)->size() > kMostSecretBytes : text.error().code == ErrorCode::invalid) {
      return Error{ErrorCode::invalid, place + " is not a regular file of at most 64 KiB", false};
    }
    if (!text) return text.error().in(place);
    secret = **text;
  } else {
    const char* value = std::getenv(source.variable.c_str());
    if (value == nullptr) {
      return Error{ErrorCode::permission, place + " is not set; it should hold the token", false};
    }
    secret = value;
  }
  constexpr const char* kSpace = " \t\r\n";
  secret.erase(secret.find_last_not_of(kSpace) + 1);
  secret.erase(0, std::min(secret.find_first_not_of(kSpace), secret.size()));
  if (secret.empty()) return Error{ErrorCode::permission, place + " is empty", false};
  if (secret.size() > kMostSecretBytes || !fits_in_header(secret)) {
    return Error{ErrorCode::invalid, place + " holds more than one line of text", false};
  }
  return secret;
}

}  // namespace kneepoint
