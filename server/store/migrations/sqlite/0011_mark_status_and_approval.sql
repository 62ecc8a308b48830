PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_grade` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`assessment_id` text NOT NULL,
	`term_id` text NOT NULL,
	`student_id` text NOT NULL,
	`score` real,
	`status` text,
	`remarks` text,
	`is_excluded` integer NOT NULL,
	`exclusion_reason` text,
	`created_by` text,
	`updated_by` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`assessment_id`,`term_id`) REFERENCES `assessment`(`school_id`,`id`,`term_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`student_id`) REFERENCES `student`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "grade_score" CHECK("__new_grade"."score" between 0 and 100000)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_grade`("id", "school_id", "assessment_id", "term_id", "student_id", "score", "status", "remarks", "is_excluded", "exclusion_reason", "created_by", "updated_by", "created_at", "updated_at") SELECT "id", "school_id", "assessment_id", "term_id", "student_id", "score", NULL, "remarks", "is_excluded", "exclusion_reason", "created_by", "updated_by", "created_at", "updated_at" FROM `grade`;--> statement-breakpoint
DROP TABLE `grade`;--> statement-breakpoint
ALTER TABLE `__new_grade` RENAME TO `grade`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `grade_once` ON `grade` (`school_id`,`assessment_id`,`student_id`);--> statement-breakpoint
CREATE INDEX `grade_student_term` ON `grade` (`school_id`,`student_id`,`term_id`,`assessment_id`,`score`,`is_excluded`);--> statement-breakpoint
ALTER TABLE `school` ADD `mark_codes` text;--> statement-breakpoint
ALTER TABLE `school` ADD `approves_reports` integer;--> statement-breakpoint
ALTER TABLE `report_book` ADD `approved_at` text;--> statement-breakpoint
ALTER TABLE `report_book` ADD `approved_by` text;