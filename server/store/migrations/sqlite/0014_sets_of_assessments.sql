PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_assessment` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`term_id` text NOT NULL,
	`subject_id` text NOT NULL,
	`student_group_id` text,
	`title` text NOT NULL,
	`assessment_type` text NOT NULL,
	`assessment_date` text,
	`max_score` real NOT NULL,
	`weight` real,
	`is_excluded` integer NOT NULL,
	`exclusion_reason` text,
	`sort_order` integer,
	`category_id` text,
	`teaching_set_id` text,
	`created_by` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`term_id`) REFERENCES `term`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`subject_id`) REFERENCES `subject`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`student_group_id`) REFERENCES `student_group`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`category_id`) REFERENCES `assessment_category`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`teaching_set_id`) REFERENCES `teaching_set`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "assessment_type_known" CHECK("__new_assessment"."assessment_type" in ('exam', 'coursework')),
	CONSTRAINT "assessment_max_score" CHECK("__new_assessment"."max_score" > 0 and "__new_assessment"."max_score" <= 100000),
	CONSTRAINT "assessment_weight" CHECK("__new_assessment"."weight" between 0 and 1000)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_assessment`("id", "school_id", "term_id", "subject_id", "student_group_id", "title", "assessment_type", "assessment_date", "max_score", "weight", "is_excluded", "exclusion_reason", "sort_order", "category_id", "teaching_set_id", "created_by", "created_at", "updated_at") SELECT "id", "school_id", "term_id", "subject_id", "student_group_id", "title", "assessment_type", "assessment_date", "max_score", "weight", "is_excluded", "exclusion_reason", "sort_order", "category_id", NULL, "created_by", "created_at", "updated_at" FROM `assessment`;--> statement-breakpoint
DROP TABLE `assessment`;--> statement-breakpoint
ALTER TABLE `__new_assessment` RENAME TO `assessment`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `assessment_in_term` ON `assessment` (`school_id`,`id`,`term_id`);--> statement-breakpoint
CREATE INDEX `assessment_term_subject` ON `assessment` (`school_id`,`term_id`,`subject_id`);--> statement-breakpoint
CREATE INDEX `assessment_category_use` ON `assessment` (`school_id`,`category_id`);--> statement-breakpoint
CREATE INDEX `assessment_set` ON `assessment` (`school_id`,`teaching_set_id`);