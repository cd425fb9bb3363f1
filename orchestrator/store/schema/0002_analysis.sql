-- What a point's workload says of its own work; 0 = not known, as in every point of before.

ALTER TABLE points ADD COLUMN flops REAL NOT NULL DEFAULT 0;
ALTER TABLE points ADD COLUMN bytes REAL NOT NULL DEFAULT 0;
ALTER TABLE points ADD COLUMN parallelism REAL NOT NULL DEFAULT 0;
