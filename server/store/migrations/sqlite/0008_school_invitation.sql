CREATE TABLE `school_invitation` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`code_hash` text,
	`invited_by` text NOT NULL,
	`invited_at` text NOT NULL,
	`expires_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `email`),
	CONSTRAINT "school_invitation_role" CHECK("school_invitation"."role" in ('admin', 'teacher', 'member'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `school_invitation_email` ON `school_invitation` (`email`);