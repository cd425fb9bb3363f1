-- The nightly gate: baselines of series with their pinned builds, acknowledged changes, nights from
-- before the first study, calibrations and verdicts. A series is '<name>-<hash8>'; it and the ids of
-- studies are texts here, so that deleting a study takes no decision of people with it.

CREATE TABLE series_baselines (
  id INTEGER PRIMARY KEY,
  series TEXT NOT NULL,
  study_id TEXT NOT NULL,
  note TEXT NOT NULL,
  who TEXT NOT NULL,
  made_ns INTEGER NOT NULL,
  dropped_ns INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX series_baselines_in_force ON series_baselines (series) WHERE dropped_ns = 0;

CREATE TABLE pinned_builds (
  baseline INTEGER NOT NULL REFERENCES series_baselines (id) ON DELETE CASCADE,
  workload TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('path', 'image')),
  value TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (baseline, workload)
) STRICT, WITHOUT ROWID;

CREATE TABLE acknowledged_changes (
  series TEXT NOT NULL,
  study_id TEXT NOT NULL,
  note TEXT NOT NULL,
  who TEXT NOT NULL,
  made_ns INTEGER NOT NULL,
  PRIMARY KEY (series, study_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE imported_nights (
  id INTEGER PRIMARY KEY,
  series TEXT NOT NULL,
  night TEXT NOT NULL,
  order_ns INTEGER NOT NULL,
  build TEXT NOT NULL,
  source TEXT NOT NULL,
  file_hash TEXT NOT NULL,
  made_ns INTEGER NOT NULL,
  UNIQUE (series, night)
) STRICT;

CREATE TABLE imported_times (
  night INTEGER NOT NULL REFERENCES imported_nights (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  case_name TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('strong', 'weak')),
  k INTEGER NOT NULL CHECK (k >= 1),
  seconds REAL NOT NULL CHECK (seconds > 0),
  PRIMARY KEY (night, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE calibrations (
  id INTEGER PRIMARY KEY,
  series TEXT NOT NULL,
  made_ns INTEGER NOT NULL,
  repeat_sd REAL NOT NULL,
  night_sd REAL,
  node_sd REAL,
  false_alarm_rate REAL NOT NULL,
  smallest_detectable REAL NOT NULL,
  repeats INTEGER NOT NULL,
  nights INTEGER NOT NULL,
  recommended_repeats INTEGER NOT NULL,
  recommended_history INTEGER NOT NULL
) STRICT;
CREATE INDEX calibrations_by_series ON calibrations (series, made_ns);

CREATE TABLE verdicts (
  study INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  verdict TEXT NOT NULL CHECK (verdict IN (
    'PASS', 'IMPROVED', 'SUSPECT', 'REGRESSED', 'INCONCLUSIVE', 'ENV_CHANGE', 'NO_BASELINE',
    'FAILED')),
  why TEXT NOT NULL,
  line TEXT NOT NULL,
  made_ns INTEGER NOT NULL,
  PRIMARY KEY (study, position)
) STRICT, WITHOUT ROWID;
