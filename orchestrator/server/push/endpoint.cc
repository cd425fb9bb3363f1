// SPDX-License-Identifier: Apache-2.0
//
// The key outlives the controller, so that an agent started by an earlier one is known; so does the
// port, so that it finds us.
#include "orchestrator/server/push/endpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include "orchestrator/base/fd.h"
#include "orchestrator/base/files.h"
#include "orchestrator/base/hash.h"
#include "orchestrator/server/http/certificate.h"

namespace kneepoint {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kMostFileBytes = 1 << 20;

// Only for its owner, whatever the umask.
Result<void> make_private_folder(const std::string& path) {
  std::error_code failure;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failure);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_error("make folder '" + path + "'", errno);
  }
  if (::chmod(path.c_str(), 0700) != 0) return system_error("chmod '" + path + "'", errno);
  return {};
}

// "" if there is none.
Result<std::string> read_text(const std::string& path) {
  TRY_ASSIGN(auto text, read_file_if_there(path, kMostFileBytes));
  return std::move(text).value_or("");
}

Result<std::string> read_named_file(const char* key, const std::string& path) {
  TRY_ASSIGN(std::string text, read_text(path));
  if (!text.empty()) return text;
  return Error{ErrorCode::invalid,
               std::string("push.") + key + " of the site: '" + path + "' is not there or empty",
               false};
}

// On disk under a name that no other controller has; the name.
Result<std::string> write_own(const std::string& path, const std::string& text) {
  std::string own = path + ".new-" + std::to_string(::getpid());
  TRY(write_whole_file(own, text, kOwnerOnly));
  const Fd file(::open(own.c_str(), O_RDONLY | O_CLOEXEC));
  if (::fsync(file.get()) != 0) return system_error("write '" + own + "'", errno);
  return own;
}

// If another controller made it first, theirs stays and is the answer.
Result<std::string> keep_first(const std::string& path, const std::string& text) {
  TRY_ASSIGN(const std::string own, write_own(path, text));
  const int why = ::link(own.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(own.c_str());
  if (why == 0) return text;
  if (why != EEXIST) return system_error("create '" + path + "'", why);
  return read_text(path);
}

Result<void> replace(const std::string& path, const std::string& text) {
  TRY_ASSIGN(const std::string own, write_own(path, text));
  if (::rename(own.c_str(), path.c_str()) != 0) return system_error("rename '" + own + "'", errno);
  return {};
}

bool is_open_to_others(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && (status.st_mode & 077U) != 0;
}

Result<std::string> own_key(const std::string& folder) {
  const std::string path = folder + "/key";
  TRY_ASSIGN(std::string hex, read_text(path));
  if (hex.empty()) {
    TRY_ASSIGN(hex, keep_first(path, hex_of_bytes(random_bytes(kKeyBytes)) + "\n"));
  }
  if (is_open_to_others(path)) {
    return Error{ErrorCode::permission,
                 "'" + path +
                     "' can be read by others; remove it (agents that run will report by "
                     "their files), or chmod 600 it",
                 false};
  }
  while (!hex.empty() && (hex.back() == '\n' || hex.back() == '\r')) hex.pop_back();
  const std::string key = bytes_of_hex(hex);
  if (key.size() == kKeyBytes) return key;
  return Error{ErrorCode::corrupt, "'" + path + "' holds no key; remove it", false};
}

// "https://host:1/x" -> "host", "https://[::1]:1" -> "::1".
std::string host_of(const std::string& url) {
  std::string_view rest = url;
  rest.remove_prefix(std::min(rest.size(), std::string_view("https://").size()));
  rest = rest.substr(0, rest.find('/'));
  if (rest.starts_with('[')) return std::string(rest.substr(1, rest.find(']') - 1));
  return std::string(rest.substr(0, rest.find(':')));
}

Result<Identity> own_identity(const std::string& folder, const std::string& host,
                              Nanoseconds wall) {
  const std::string path = folder + "/identity.pem";
  constexpr std::string_view kKeyOpening = "-----BEGIN PRIVATE KEY-----";
  TRY_ASSIGN(const std::string text, read_text(path));
  const std::size_t split = text.find(kKeyOpening);
  if (split != std::string::npos && !is_open_to_others(path) &&
      is_good_for(text.substr(0, split), host, wall)) {
    return Identity{text.substr(0, split), text.substr(split)};
  }
  TRY_ASSIGN(Identity made, make_identity({host}, wall));
  TRY(replace(path, made.certificate + made.key));
  return made;
}

Result<Identity> named_identity(const PushSite& site) {
  Identity named;
  TRY_ASSIGN(named.certificate, read_named_file("certificate", site.certificate));
  TRY_ASSIGN(named.key, read_named_file("key", site.key));
  return named;
}

std::string url_of(const std::string& host, int port) {
  const bool is_v6 = host.find(':') != std::string::npos;
  return "https://" + (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

int port_in(const std::string& text) {
  int port = 0;
  std::from_chars(text.data(), text.data() + text.size(), port);
  return port > 0 && port <= 65535 ? port : 0;
}

// With port 0 the one of the last start, if it is free.
Result<std::unique_ptr<PushServer>> listen(const PushSite& site, const std::string& key,
                                           const std::string& spool, const Identity& identity,
                                           const Clock& clock) {
  const auto start = [&](int port) -> Result<std::unique_ptr<PushServer>> {
    TRY_ASSIGN(TlsContext context, TlsContext::make(identity.certificate, identity.key));
    return PushServer::start(site.listen_host, port, key, spool, std::move(context), clock);
  };
  if (site.listen_port != 0) return start(site.listen_port);
  const std::string path = spool + "/port";
  TRY_ASSIGN(const std::string last, read_text(path));
  if (const int port = port_in(last); port != 0) {
    if (auto again = start(port)) return again;
  }
  auto server = start(0);
  if (server) TRY(replace(path, std::to_string((*server)->port()) + "\n"));
  return server;
}

}  // namespace

std::string push_folder(const std::string& database) {
  return database + ".push";
}

std::string push_spool(const std::string& folder, const std::string& study) {
  return folder + "/" + study;
}

Result<std::unique_ptr<PushEndpoint>> PushEndpoint::open(const PushSite& site,
                                                         const std::string& folder,
                                                         const std::string& study,
                                                         const Clock& clock) {
  auto endpoint = std::make_unique<PushEndpoint>();
  TRY(make_private_folder(folder));
  const std::string spool = push_spool(folder, study);
  TRY(make_private_folder(spool));
  TRY_ASSIGN(endpoint->key_, own_key(folder));
  Identity identity;
  if (site.certificate.empty()) {
    const std::string host = site.address.empty() ? site.listen_host : host_of(site.address);
    TRY_ASSIGN(identity, own_identity(folder, host, clock.wall()));
    endpoint->ca_ = identity.certificate;
  } else {
    TRY_ASSIGN(identity, named_identity(site));
    if (!site.ca.empty()) {
      TRY_ASSIGN(endpoint->ca_, read_named_file("ca", site.ca));
    }
  }
  TRY_ASSIGN(endpoint->server_, listen(site, endpoint->key_, spool, identity, clock));
  endpoint->url_ = site.address;
  if (endpoint->url_.empty()) endpoint->url_ = url_of(site.listen_host, endpoint->server_->port());
  return endpoint;
}

Result<std::string> PushEndpoint::rehearse(const PushSite& site, const Clock& clock) {
  if (!site.certificate.empty()) {
    TRY_ASSIGN(const Identity identity, named_identity(site));
    if (!site.ca.empty()) {
      if (const auto ca = read_named_file("ca", site.ca); !ca) return ca.error();
    }
    const auto context = TlsContext::make(identity.certificate, identity.key);
    if (!context) return context.error().in("certificate '" + site.certificate + "'");
    const std::string host = site.address.empty() ? site.listen_host : host_of(site.address);
    if (!is_good_for(identity.certificate, host, clock.wall())) {
      return Error{ErrorCode::invalid,
                   "certificate '" + site.certificate + "' is not for " + host +
                       ", or ends within a day: agents would not trust it",
                   false};
    }
  }
  TRY_ASSIGN(const Listening tried, listen_on(site.listen_host, site.listen_port));
  ::close(tried.fd);
  if (!site.address.empty()) return site.address;
  return url_of(site.listen_host, site.listen_port);
}

PushTarget PushEndpoint::target(const std::string& allocation) const {
  return {url_, push_token(key_, allocation), ca_};
}

}  // namespace kneepoint
