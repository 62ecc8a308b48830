CREATE TABLE `account_notice` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`session_id` text NOT NULL,
	`kind` text NOT NULL,
	`at` text NOT NULL,
	`program` text,
	`system` text,
	`address` text,
	CONSTRAINT "account_notice_kind" CHECK("account_notice"."kind" in ('sign_in', 'totp', 'recovery_codes'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `account_notice_once` ON `account_notice` (`user_id`,`session_id`,`kind`);--> statement-breakpoint
ALTER TABLE `session` ADD `program` text;--> statement-breakpoint
ALTER TABLE `session` ADD `system` text;--> statement-breakpoint
ALTER TABLE `session` ADD `address` text;