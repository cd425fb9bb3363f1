-- The first schema. Times are integer nanoseconds (wall clock unless said otherwise), 0 = not yet.
-- Natural unique keys make every insert repeatable: running twice is resuming.

CREATE TABLE studies (
  id INTEGER PRIMARY KEY,
  study_id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  hash8 TEXT NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 1),
  state TEXT NOT NULL CHECK (state IN ('running', 'interrupted', 'finished', 'cancelled')),
  backend TEXT NOT NULL,
  site TEXT NOT NULL,
  plan_path TEXT NOT NULL,
  plan_text TEXT NOT NULL,
  site_text TEXT NOT NULL,
  work_dir TEXT NOT NULL,
  worker TEXT NOT NULL CHECK (worker IN ('node', 'rank', 'gpu')),
  seed INTEGER NOT NULL,
  knee_rule TEXT NOT NULL,
  knee_floor REAL NOT NULL,
  created_ns INTEGER NOT NULL,
  updated_ns INTEGER NOT NULL,
  UNIQUE (name, hash8, n)
) STRICT;

CREATE TABLE points (
  id INTEGER PRIMARY KEY,
  study INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  build TEXT NOT NULL,
  workload TEXT NOT NULL,
  case_name TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('strong', 'weak')),
  k INTEGER NOT NULL CHECK (k >= 1),
  nodes INTEGER NOT NULL CHECK (nodes >= 1),
  ranks INTEGER NOT NULL CHECK (ranks >= 1),
  ranks_per_node INTEGER NOT NULL,
  threads_per_rank INTEGER NOT NULL,
  gpus_per_node INTEGER NOT NULL,
  bind TEXT NOT NULL CHECK (bind IN ('core', 'socket', 'none')),
  size REAL,
  results REAL NOT NULL,
  result_name TEXT NOT NULL,
  held_fixed TEXT NOT NULL,
  work_unit TEXT NOT NULL,
  emulated INTEGER NOT NULL CHECK (emulated IN (0, 1)),
  mpi INTEGER NOT NULL CHECK (mpi IN (0, 1)),
  own_harness INTEGER NOT NULL CHECK (own_harness IN (0, 1)),
  iterations INTEGER NOT NULL CHECK (iterations >= 1),
  modelled_seconds REAL NOT NULL,
  command TEXT NOT NULL,
  UNIQUE (study, key)
) STRICT;

CREATE TABLE point_parameters (
  point INTEGER NOT NULL REFERENCES points (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (point, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE rounds (
  study INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  round INTEGER NOT NULL CHECK (round >= 0),
  evidence_hash TEXT NOT NULL,
  decided_ns INTEGER NOT NULL,
  PRIMARY KEY (study, round)
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  study INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  point INTEGER NOT NULL REFERENCES points (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 1),
  repeat INTEGER NOT NULL CHECK (repeat >= 0),
  round INTEGER NOT NULL CHECK (round >= 0),
  position INTEGER NOT NULL,
  outcome TEXT NOT NULL DEFAULT 'open' CHECK (outcome IN ('open', 'succeeded', 'failed')),
  forgiven INTEGER NOT NULL DEFAULT 0,
  UNIQUE (point, repeat),
  UNIQUE (study, number)
) STRICT;
CREATE INDEX runs_by_outcome ON runs (study, outcome);

CREATE TABLE attempts (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 1),
  state TEXT NOT NULL DEFAULT 'planned' CHECK (state IN (
    'planned', 'submitting', 'queued', 'running', 'collecting', 'succeeded', 'failed', 'timed_out',
    'preempted', 'lost', 'invalid', 'cancelled')),
  reason TEXT NOT NULL DEFAULT 'none',
  detail TEXT NOT NULL DEFAULT '',
  allocation TEXT NOT NULL,
  submissions INTEGER NOT NULL DEFAULT 0,
  job_id TEXT NOT NULL DEFAULT '',
  submitted_ns INTEGER NOT NULL DEFAULT 0,
  started_ns INTEGER NOT NULL DEFAULT 0,
  ended_ns INTEGER NOT NULL DEFAULT 0,
  exit_code INTEGER NOT NULL DEFAULT 0,
  signal INTEGER NOT NULL DEFAULT 0,
  has_result INTEGER NOT NULL DEFAULT 0 CHECK (has_result IN (0, 1)),
  seconds REAL NOT NULL DEFAULT 0,
  work_total REAL NOT NULL DEFAULT 0,
  work_min REAL NOT NULL DEFAULT 0,
  work_max REAL NOT NULL DEFAULT 0,
  compute_seconds REAL NOT NULL DEFAULT 0,
  communication_seconds REAL NOT NULL DEFAULT 0,
  hosts TEXT NOT NULL DEFAULT '',
  oversubscribed INTEGER NOT NULL DEFAULT 0 CHECK (oversubscribed IN (0, 1)),
  binding_differs INTEGER NOT NULL DEFAULT 0 CHECK (binding_differs IN (0, 1)),
  machine_busy INTEGER NOT NULL DEFAULT 0 CHECK (machine_busy IN (0, 1)),
  UNIQUE (run, number)
) STRICT;

CREATE TABLE samples (
  attempt INTEGER NOT NULL REFERENCES attempts (id) ON DELETE CASCADE,
  warmup INTEGER NOT NULL CHECK (warmup IN (0, 1)),
  iteration INTEGER NOT NULL,
  max_ns INTEGER NOT NULL,
  mean_ns INTEGER NOT NULL,
  min_ns INTEGER NOT NULL,
  compute_ns INTEGER NOT NULL,
  communication_ns INTEGER NOT NULL,
  other_ns INTEGER NOT NULL,
  PRIMARY KEY (attempt, warmup, iteration)
) STRICT, WITHOUT ROWID;

CREATE TABLE rank_totals (
  attempt INTEGER NOT NULL REFERENCES attempts (id) ON DELETE CASCADE,
  rank INTEGER NOT NULL,
  host TEXT NOT NULL,
  cpus TEXT NOT NULL,
  compute_ns INTEGER NOT NULL,
  communication_ns INTEGER NOT NULL,
  work REAL NOT NULL,
  PRIMARY KEY (attempt, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE metrics (
  attempt INTEGER NOT NULL REFERENCES attempts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value REAL NOT NULL,
  unit TEXT NOT NULL,
  PRIMARY KEY (attempt, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE provenance (
  attempt INTEGER NOT NULL REFERENCES attempts (id) ON DELETE CASCADE,
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (attempt, scope, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  study INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  run_number INTEGER NOT NULL,
  attempt_number INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL,
  kind TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX events_by_run ON events (study, run_number);

CREATE TABLE leases (
  study INTEGER PRIMARY KEY REFERENCES studies (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  heartbeat_ns INTEGER NOT NULL
) STRICT;

CREATE TABLE requests (
  id INTEGER PRIMARY KEY,
  study INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('cancel')),
  made_ns INTEGER NOT NULL,
  taken_ns INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX requests_waiting ON requests (study, kind) WHERE taken_ns = 0;
