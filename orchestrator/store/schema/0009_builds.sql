-- The builds that `run --ab` compares, the reference first; a study without has none.

CREATE TABLE builds (
  study INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  label TEXT NOT NULL,
  workload TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('file', 'folder', 'image')),
  place TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (study, position)
) STRICT, WITHOUT ROWID;
