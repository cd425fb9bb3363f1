-- What went beyond the plan's noise limit while an attempt ran, in words; '' = nothing, or no limit.
-- Which way a metric is better: lower, higher, or '' when the plan does not say.

ALTER TABLE attempts ADD COLUMN disturbed TEXT NOT NULL DEFAULT '';
ALTER TABLE metrics ADD COLUMN better TEXT NOT NULL DEFAULT '';
