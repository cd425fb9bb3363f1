// SPDX-License-Identifier: Apache-2.0
//
// libcurl's easy interface, one handle for each server; nothing of curl leaves this file.
#include "orchestrator/io/http_client.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "orchestrator/io/http_url.h"

namespace kneepoint {
namespace {

constexpr std::size_t kMostSecretBytes = 64 << 10;
constexpr std::size_t kMostHeaderBytes = 64 << 10;

std::string trimmed(std::string text) {
  const char* const space = " \t\r\n";
  text.erase(text.find_last_not_of(space) + 1);
  text.erase(0, std::min(text.find_first_not_of(space), text.size()));
  return text;
}

bool fits_in_header(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c != 127; });
}

Result<std::string> read_secret_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return system_error("read the token file '" + path + "'", errno);
  std::string text(kMostSecretBytes + 1, '\0');
  std::size_t size = 0;
  struct stat status {};
  bool good = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  while (good && size < text.size()) {
    const ssize_t got = ::read(descriptor, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    size += static_cast<std::size_t>(got);
  }
  ::close(descriptor);
  if (!good || size > kMostSecretBytes) {
    return Error{ErrorCode::invalid,
                 "the token file '" + path + "' is not a regular file of at most 64 KiB", false};
  }
  text.resize(size);
  return text;
}

Result<void> check_readable(const std::string& what, const std::string& path) {
  if (path.empty() || ::access(path.c_str(), R_OK) == 0) return {};
  return system_error("read the " + what + " '" + path + "'", errno);
}

struct Collected {
  const HttpRequest& request;
  CURL* handle;
  HttpResponse response;
  std::size_t taken = 0;
  std::size_t header_bytes = 0;
  bool too_large = false;
};

std::size_t on_body(char* data, std::size_t one, std::size_t count, void* where) {
  auto& collected = *static_cast<Collected*>(where);
  const std::size_t size = one * count;
  collected.taken += size;
  if (collected.taken > collected.request.most_bytes) {
    collected.too_large = true;
    return CURL_WRITEFUNC_ERROR;
  }
  long status = 0;
  curl_easy_getinfo(collected.handle, CURLINFO_RESPONSE_CODE, &status);
  if (collected.request.on_data && status >= 200 && status < 300) {
    if (collected.request.on_data({data, size})) return size;
    collected.response.stopped = true;
    return CURL_WRITEFUNC_ERROR;
  }
  collected.response.body.append(data, size);
  return size;
}

std::size_t on_header(char*, std::size_t one, std::size_t count, void* where) {
  auto& collected = *static_cast<Collected*>(where);
  collected.header_bytes += one * count;
  if (collected.header_bytes <= kMostHeaderBytes) return one * count;
  collected.too_large = true;
  return 0;
}

class HeaderList {
 public:
  HeaderList() = default;
  ~HeaderList() { curl_slist_free_all(list_); }
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  Result<void> add(const std::string& name, const std::string& value) {
    if (!fits_in_header(name) || !fits_in_header(value)) {
      return Error{ErrorCode::invalid, "header " + name + " holds a control character", false};
    }
    list_ = curl_slist_append(list_, (name + ": " + value).c_str());
    return {};
  }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

class CurlClient final : public HttpClient {
 public:
  CurlClient(HttpTarget target, HttpUrl url, CURL* handle, const Clock& clock)
      : target_(std::move(target)), url_(std::move(url)), handle_(handle), clock_(clock) {}
  ~CurlClient() override { curl_easy_cleanup(handle_); }
  CurlClient(const CurlClient&) = delete;
  CurlClient& operator=(const CurlClient&) = delete;

  Result<HttpResponse> call(const HttpRequest& request, Nanoseconds deadline) override {
    const Nanoseconds left = deadline - clock_.steady();
    if (left <= 0) {
      return Error{ErrorCode::timeout, "the deadline passed before " + place() + " was asked",
                   true};
    }
    if (!request.path.starts_with('/') || !fits_in_header(request.path) ||
        request.path.find(' ') != std::string::npos) {
      return Error{ErrorCode::invalid, "'" + request.path + "' is no path of a request", false};
    }
    HeaderList headers;
    for (const auto& [name, value] : request.headers) TRY(headers.add(name, value));
    if (target_.token.is_set()) {
      TRY_ASSIGN(const std::string token, read_secret(target_.token));
      TRY(headers.add(target_.token_header, target_.token_prefix + token));
    }
    TRY(headers.add("Expect", ""));  // a small request needs no leave to be sent
    curl_easy_reset(handle_);        // keeps the connections
    set_target();
    Collected collected{request, handle_, {}, 0, 0, false};
    const std::string address = base_of(url_) + request.path;
    set(CURLOPT_URL, address.c_str());
    set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
    if (!request.body.empty() || request.method == "POST" || request.method == "PUT") {
      set(CURLOPT_POSTFIELDS, request.body.c_str());
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    }
    if (request.method == "HEAD") set(CURLOPT_NOBODY, 1L);
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_WRITEFUNCTION, &on_body);
    set(CURLOPT_WRITEDATA, &collected);
    set(CURLOPT_HEADERFUNCTION, &on_header);
    set(CURLOPT_HEADERDATA, &collected);
    const long milliseconds = static_cast<long>(std::max<Nanoseconds>(left / kMillisecond, 1));
    set(CURLOPT_TIMEOUT_MS, milliseconds);
    set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds);
    char words[CURL_ERROR_SIZE] = "";
    set(CURLOPT_ERRORBUFFER, words);
    const CURLcode code = curl_easy_perform(handle_);
    set(CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
    if (code != CURLE_OK && !collected.response.stopped) {
      return error_of(code, words, collected, left);
    }
    long status = 0;
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    collected.response.status = static_cast<int>(status);
    const char* type = nullptr;
    curl_easy_getinfo(handle_, CURLINFO_CONTENT_TYPE, &type);
    if (type != nullptr) collected.response.content_type = type;
    return std::move(collected.response);
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(handle_, option, value);
  }

  void set_target() {
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    if (url_.kind == HttpUrl::Kind::unix_socket) {
      set(CURLOPT_UNIX_SOCKET_PATH, url_.socket.c_str());
    }
    if (url_.is_here()) set(CURLOPT_PROXY, "");
    if (!target_.ca_file.empty()) set(CURLOPT_CAINFO, target_.ca_file.c_str());
    if (!target_.client_certificate.empty()) {
      set(CURLOPT_SSLCERT, target_.client_certificate.c_str());
      set(CURLOPT_SSLKEY,
          (target_.client_key.empty() ? target_.client_certificate : target_.client_key).c_str());
    }
  }

  std::string place() const { return to_string(url_); }

  Error error_of(CURLcode code, const char* words, const Collected& collected,
                 Nanoseconds left) const {
    const std::string said = *words != '\0' ? words : curl_easy_strerror(code);
    if (collected.too_large) {
      return {ErrorCode::corrupt,
              place() + " answered with more than " +
                  std::to_string(collected.request.most_bytes >> 10) + " KiB",
              false};
    }
    switch (code) {
      case CURLE_OPERATION_TIMEDOUT:
        return {ErrorCode::timeout, place() + " gave no answer within " + to_duration_text(left),
                true};
      case CURLE_COULDNT_RESOLVE_HOST:
      case CURLE_COULDNT_RESOLVE_PROXY:
      case CURLE_COULDNT_CONNECT:
        return {ErrorCode::unavailable, place() + " can't be reached: " + said, false};
      case CURLE_PEER_FAILED_VERIFICATION:
        return {ErrorCode::permission,
                place() + " can't prove who it is: " + said + "; name its authority in ca_file",
                false};
      case CURLE_SSL_CACERT_BADFILE:
      case CURLE_SSL_CERTPROBLEM:
      case CURLE_SSL_CONNECT_ERROR:
        return {ErrorCode::permission, place() + ": no secure connection: " + said, false};
      case CURLE_URL_MALFORMAT:
      case CURLE_UNSUPPORTED_PROTOCOL:
        return {ErrorCode::invalid, place() + ": " + said, false};
      default:
        return {ErrorCode::io, place() + " broke off: " + said, true};
    }
  }

  const HttpTarget target_;
  const HttpUrl url_;
  CURL* handle_;
  const Clock& clock_;
};

}  // namespace

Result<std::string> read_secret(const SecretSource& source) {
  std::string place = "the environment variable " + source.variable;
  std::string secret;
  if (!source.file.empty()) {
    place = "the token file '" + source.file + "'";
    TRY_ASSIGN(secret, read_secret_file(source.file));
  } else {
    const char* value = std::getenv(source.variable.c_str());
    if (value == nullptr) {
      return Error{ErrorCode::permission, place + " is not set; it should hold the token", false};
    }
    secret = value;
  }
  secret = trimmed(std::move(secret));
  if (secret.empty()) return Error{ErrorCode::permission, place + " is empty", false};
  if (secret.size() > kMostSecretBytes || !fits_in_header(secret)) {
    return Error{ErrorCode::invalid, place + " holds more than one line of text", false};
  }
  return secret;
}

Result<std::unique_ptr<HttpClient>> HttpClient::make(const HttpTarget& target, const Clock& clock) {
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) return Error{ErrorCode::io, "libcurl can't be started", false};
  TRY_ASSIGN(HttpUrl url, parse_http_url(target.url));
  TRY(check_readable("authority's certificate", target.ca_file));
  TRY(check_readable("client certificate", target.client_certificate));
  TRY(check_readable("client key", target.client_key));
  CURL* handle = curl_easy_init();
  if (handle == nullptr) return Error{ErrorCode::io, "libcurl has no memory", true};
  return std::unique_ptr<HttpClient>(
      std::make_unique<CurlClient>(target, std::move(url), handle, clock));
}

}  // namespace kneepoint
