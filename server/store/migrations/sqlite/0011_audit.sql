CREATE TABLE `audit_run` (
	`id` text PRIMARY KEY NOT NULL,
	`school_id` text NOT NULL,
	`begun_at` text NOT NULL,
	`leased_until` text NOT NULL,
	`ended_at` text,
	`is_bad` integer,
	`found` text,
	`seal` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_run_school` ON `audit_run` (`school_id`,`begun_at`);--> statement-breakpoint
CREATE INDEX `history_by_time` ON `history` (`school_id`,`at`);