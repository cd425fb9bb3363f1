// SPDX-License-Identifier: Apache-2.0
//
// An evidence pack: named parts, a list of their SHA-256 and perhaps a signature of that list, in
// one tar that coreutils and openssl can check too (docs/decisions/0019-evidence-pack.md). Pure. A
// pack that opens is whole: every byte of it was checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/row_table.h"

namespace kneepoint {

// A POSIX tar (ustar) of plain files in one form only: no times, owners, links or folders. The
// reader takes exactly what the writer makes, so that every byte that differs is an error.
struct TarMember {
  std::string name;  // a-z, A-Z, 0-9 and ._-/ ; relative, at most 99 characters, no ".."
  std::string bytes;
};

constexpr std::size_t kMostTarMembers = 64;

bool is_member_name(std::string_view name);

// Every name is a member name and stands there once: else it is a bug.
std::string write_tar(const std::vector<TarMember>& members);

// The error says at which byte it went wrong.
Result<std::vector<TarMember>> read_tar(std::string_view bytes);

// Does it look like a tar at all? For telling a pack from a table.
bool looks_like_tar(std::string_view bytes);

// Ed25519 signatures with keys in PEM files, as `openssl genpkey -algorithm ed25519` writes them.
// OpenSSL stays inside pack.cc. No key is ever made, stored or printed here.
struct Signature {
  std::string bytes;       // 64, raw
  std::string public_key;  // PEM
};

// Keys with a password are refused: nobody is asked.
Result<Signature> sign_ed25519(const std::string& private_key, std::string_view message);

// ErrorCode::invalid where the key can't be read; false where the signature is another's.
Result<bool> is_signed_by(const std::string& public_key, std::string_view message,
                          std::string_view signature);

// "SHA256:1f0c..." of the public key (DER, SubjectPublicKeyInfo), whatever PEM it stood in. Takes
// the PEM of a public key.
Result<std::string> key_fingerprint(const std::string& public_key);

inline constexpr char kPackSums[] = "SHA256SUMS";
inline constexpr char kPackSignature[] = "SHA256SUMS.sig";
inline constexpr char kPackSigner[] = "signer.pem";
inline constexpr int kMostPackMiB = 512;

struct Pack {
  std::vector<TarMember> parts;  // without the three above, in the order of the file
  std::string digest;            // sha256 of the list of sums: the name of the whole
  std::string signer;            // fingerprint of the key that signed; "": nobody did
  std::string signer_key;        // PEM

  const std::string* part(std::string_view name) const;  // nullptr: there is none
};

// `private_key` "": not signed. The same parts and key give the same bytes.
Result<std::string> write_pack(const std::vector<TarMember>& parts, const std::string& private_key);

// `trusted_key`: the pack must be signed by it (a public key in PEM); none: any signature that fits
// its own key will do, and a pack without one too.
Result<Pack> open_pack(std::string_view bytes, const std::optional<std::string>& trusted_key);

bool looks_like_pack(std::string_view bytes);

// "signed by SHA256:...", or that it is not: what every answer about a pack says.
std::string signature_words(const Pack& pack, bool trusted);

// Tables of a study as parts of a pack: `data/<table>.ndjson`, the columns in the first line, then
// one array a row. What is read is only values: no text of a pack ever becomes SQL.
std::string part_name_of(const RowTable& table);
std::string write_rows(const RowTable& table);

// Bounded: columns and names are few and short, cells at most 4 MiB. `part` is for the message.
Result<RowTable> read_rows(std::string_view text, const std::string& part);

inline constexpr char kPackHeader[] = "pack.json";
inline constexpr char kPackFormat[] = "kneepoint.pack/1";

// What of a study is in no table of rows: pack.json.
struct PackHeader {
  std::string study;  // id where it was made
  std::string name, backend, site, worker, knee_rule, state, plan_path, kneepoint;
  std::string price_item;  // of prices.yaml; "": not said
  std::uint64_t seed = 0;
  double knee_floor = 0.7;
  std::int64_t created_ns = 0, updated_ns = 0;
  std::vector<std::string> left_out;  // keys of plan and site whose values were
  static constexpr auto fields() {
    using T = PackHeader;
    return described(
        field("format", [](const T&) { return kPackFormat; }),
        KP_NAMED(kneepoint, study, name, backend, site, worker, seed, knee_rule, knee_floor, state,
                 plan_path, price_item, created_ns, updated_ns, left_out));
  }
};

std::string write_header(const PackHeader& header);
Result<PackHeader> read_header(const std::string& text);

}  // namespace kneepoint
