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

#include "orchestrator/io/curl_request.h"
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
    CurlRequest prepared;
    curl_easy_reset(handle_);  // keeps the connections
    TRY(prepared.set(handle_, target_, url_, request));
    Collected collected{request, handle_, {}, 0, 0, false};
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
    if (collected.too_large) {
      return Error{
          ErrorCode::corrupt,
          place() + " answered with more than " + std::to_string(request.most_bytes >> 10) + " KiB",
          false};
    }
    if (code != CURLE_OK && !collected.response.stopped) {
      return curl_error(code, words, url_, left);
    }
    long status = 0;
    curl_easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    collected.response.status = static_cast<int>(status);
    const char* type = nullptr;
    curl_easy_getinfo(handle_, CURLINFO_CONTENT_TYPE, &type);
    if (type != nullptr) collected.response.content_type = type;
    collected.response.retry_after = retry_after_of(handle_);
    return std::move(collected.response);
  }

 private:
  template <typename Value>
  void set(CURLoption option, Value value) {
    curl_easy_setopt(handle_, option, value);
  }

  std::string place() const { return to_string(url_); }

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
  TRY(start_curl());
  TRY_ASSIGN(HttpUrl url, parse_http_url(target.url));
  TRY(check_target_files(target));
  CURL* handle = curl_easy_init();
  if (handle == nullptr) return Error{ErrorCode::io, "libcurl has no memory", true};
  return std::unique_ptr<HttpClient>(
      std::make_unique<CurlClient>(target, std::move(url), handle, clock));
}

}  // namespace kneepoint
