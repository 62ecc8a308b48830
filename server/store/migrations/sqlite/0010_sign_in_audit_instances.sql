CREATE TABLE `second_factor` (
	`user_id` text PRIMARY KEY NOT NULL,
	`since` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `passkey` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`host` text NOT NULL,
	`public_key` text NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`name` text NOT NULL,
	`created_at` text NOT NULL,
	`last_used_at` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `passkey_credential` ON `passkey` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkey_user` ON `passkey` (`user_id`);--> statement-breakpoint
CREATE TABLE `server_instance` (
	`id` text PRIMARY KEY NOT NULL,
	`place` text NOT NULL,
	`host` text NOT NULL,
	`seen_at` text NOT NULL
) STRICT;
--> statement-breakpoint
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
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_account_notice` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`session_id` text NOT NULL,
	`kind` text NOT NULL,
	`at` text NOT NULL,
	`program` text,
	`system` text,
	`address` text,
	CONSTRAINT "account_notice_kind" CHECK("__new_account_notice"."kind" in ('sign_in', 'totp', 'recovery_codes', 'passkey', 'second_factor_off'))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_account_notice`("id", "user_id", "session_id", "kind", "at", "program", "system", "address") SELECT "id", "user_id", "session_id", "kind", "at", "program", "system", "address" FROM `account_notice`;--> statement-breakpoint
DROP TABLE `account_notice`;--> statement-breakpoint
ALTER TABLE `__new_account_notice` RENAME TO `account_notice`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `account_notice_once` ON `account_notice` (`user_id`,`session_id`,`kind`);--> statement-breakpoint
ALTER TABLE `session` ADD `proved_at` text;--> statement-breakpoint
CREATE INDEX `history_by_time` ON `history` (`school_id`,`at`) WHERE action <> '';