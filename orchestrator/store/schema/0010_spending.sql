-- What a budget needs to hold: the time limit of an attempt where it is not the plan's (0: it is), and
-- by which of the study's earlier prices the attempt is billed (0: by the present one).

ALTER TABLE attempts ADD COLUMN limit_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN price INTEGER NOT NULL DEFAULT 0;

CREATE TABLE earlier_prices (
  study INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 1),
  path TEXT NOT NULL,
  item TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (study, number)
) STRICT, WITHOUT ROWID;
