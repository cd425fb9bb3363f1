// SPDX-License-Identifier: Apache-2.0
//
// A whole series in one file: its studies, and what was decided about it. The container and its
// tables of rows are those of an evidence pack; the tables of all studies lie together, each row
// with the number of its study. What is read is somebody's word until it was checked.
#pragma once

#include <string>
#include <vector>

#include "orchestrator/answers/context.h"
#include "orchestrator/base/fields.h"
#include "orchestrator/base/result.h"
#include "orchestrator/model/baseline.h"
#include "orchestrator/pack/pack.h"
#include "orchestrator/store/study_store.h"

namespace kneepoint {

inline constexpr char kSeriesFormat[] = "kneepoint.series/1";

struct SeriesArchive {
  std::string kneepoint;  // version that wrote it
  std::string name, hash8;
  std::vector<StudyRow> studies;    // by n; with their ids, but no work_dir
  std::vector<RowTable> tables;     // of all of them, each row with its study's n first
  std::vector<RowTable> decisions;  // StudyStore::series_tables()

  std::string series() const { return name + "-" + hash8; }
};

std::vector<TarMember> parts_of(const SeriesArchive& archive);

bool is_series_archive(const Pack& pack);
// Its form is checked, not yet what the rows say.
Result<SeriesArchive> archive_of(const Pack& pack);

// The archive of a study's series as a file: `bytes` are to be written to it.
struct SeriesExport {
  std::string series, file, bytes;
  std::size_t studies = 0, size = 0;
  int unfinished = 0;  // studies that are not in it
  std::string digest, signer;
  std::vector<std::string> left_out;  // keys of plans and sites that may be secret
  static constexpr auto fields() {
    using T = SeriesExport;
    return described(KP_NAMED(series, file, studies), field("not_finished", &T::unfinished),
                     field("bytes", &T::size), field("sha256", &T::digest),
                     KP_NAMED(signer, left_out));
  }
};
// `file` "": after the series. `private_key` "": not signed.
Result<SeriesExport> export_series(const Context& context, StudyStore& store, const StudyRow& of,
                                   const std::string& file, const std::string& private_key);

// A series back under its own name, so that the gate answers as before. Nothing that is there is
// replaced; all of it is put, or nothing.
struct SeriesImport {
  std::string series, file, digest, signer;
  std::string origin;                // a sentence
  std::vector<std::string> studies;  // ids
  int known = 0;                     // there already, and the same
  std::vector<std::string> kept;     // decisions that were there and stay
  static constexpr auto fields() {
    using T = SeriesImport;
    return described(KP_NAMED(series, file), field("sha256", &T::digest),
                     KP_NAMED(signer, studies, known, kept));
  }
};
// Would it be taken? Tried in a database that is in memory and forgotten. The name of the series.
Result<std::string> try_import_series(const Pack& pack);
// `file`: its name without folders; `trusted`: it was signed by a key that the user named.
Result<SeriesImport> import_series(const Context& context, const Pack& pack,
                                   const std::string& file, bool trusted);

}  // namespace kneepoint
