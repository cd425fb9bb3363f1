-- What a preloaded profile saw of an attempt's MPI calls, and whether a point asks for one.

ALTER TABLE points ADD COLUMN profile TEXT NOT NULL DEFAULT 'none'
  CHECK (profile IN ('none', 'mpi'));

CREATE TABLE profile_ranks (
  attempt INTEGER NOT NULL REFERENCES attempts (id) ON DELETE CASCADE,
  rank INTEGER NOT NULL,
  complete INTEGER NOT NULL CHECK (complete IN (0, 1)),
  threads INTEGER NOT NULL,
  window_ns INTEGER NOT NULL,
  collective_ns INTEGER NOT NULL,
  point_to_point_ns INTEGER NOT NULL,
  wait_ns INTEGER NOT NULL,
  one_sided_ns INTEGER NOT NULL,
  other_ns INTEGER NOT NULL,
  other_threads_ns INTEGER NOT NULL,
  PRIMARY KEY (attempt, rank)
) STRICT, WITHOUT ROWID;

CREATE TABLE profile_operations (
  attempt INTEGER NOT NULL REFERENCES attempts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  calls INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  time_ns INTEGER NOT NULL,
  max_ns INTEGER NOT NULL,
  PRIMARY KEY (attempt, name)
) STRICT, WITHOUT ROWID;
