-- What using the study's site costs: the price book that the site named, as it was then.

ALTER TABLE studies ADD COLUMN price_path TEXT NOT NULL DEFAULT '';
ALTER TABLE studies ADD COLUMN price_item TEXT NOT NULL DEFAULT '';
ALTER TABLE studies ADD COLUMN price_text TEXT NOT NULL DEFAULT '';
