CREATE TABLE `server_instance` (
	`id` text PRIMARY KEY NOT NULL,
	`place` text NOT NULL,
	`host` text NOT NULL,
	`seen_at` text NOT NULL
) STRICT;
