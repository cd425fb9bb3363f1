-- Where an attempt was placed and what its queue said of it. Waiting is never part of T.

ALTER TABLE attempts ADD COLUMN nodes TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN waiting TEXT NOT NULL DEFAULT '';
ALTER TABLE attempts ADD COLUMN expected_start_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE attempts ADD COLUMN queue_wait_ns INTEGER NOT NULL DEFAULT 0;
