-- Records that an agent pushed and whose attempt is not over yet, each once by its place in the
-- attempt's records. They go when the attempt's result is written.

CREATE TABLE pushed_records (
  attempt INTEGER NOT NULL REFERENCES attempts(id) ON DELETE CASCADE,
  seq INTEGER NOT NULL CHECK (seq >= 0),
  type TEXT NOT NULL,
  line TEXT NOT NULL,
  PRIMARY KEY (attempt, seq)
) STRICT, WITHOUT ROWID;
