-- The folding of names no longer keeps the madda, hamza and small alif of Arabic letters (shared/domain/fold.ts).
UPDATE `student` SET
	`sort_key` = replace(replace(replace(replace(`sort_key`, char(1619), ''), char(1620), ''), char(1621), ''), char(1648), ''),
	`search_key` = replace(replace(replace(replace(`search_key`, char(1619), ''), char(1620), ''), char(1621), ''), char(1648), '');
