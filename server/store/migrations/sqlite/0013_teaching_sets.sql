CREATE TABLE `teaching_set` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`academic_year_id` text NOT NULL,
	`subject_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`academic_year_id`) REFERENCES `academic_year`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`subject_id`) REFERENCES `subject`(`school_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `teaching_set_year` ON `teaching_set` (`school_id`,`academic_year_id`,`subject_id`);--> statement-breakpoint
CREATE TABLE `teaching_set_teacher` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`teaching_set_id` text NOT NULL,
	`user_profile_id` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`teaching_set_id`) REFERENCES `teaching_set`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_profile_id`) REFERENCES `user_profile`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `teaching_set_teacher_once` ON `teaching_set_teacher` (`school_id`,`teaching_set_id`,`user_profile_id`);--> statement-breakpoint
CREATE INDEX `teaching_set_teacher_user` ON `teaching_set_teacher` (`school_id`,`user_profile_id`);--> statement-breakpoint
CREATE TABLE `teaching_set_member` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`teaching_set_id` text NOT NULL,
	`student_id` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`teaching_set_id`) REFERENCES `teaching_set`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`student_id`) REFERENCES `student`(`school_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `teaching_set_member_once` ON `teaching_set_member` (`school_id`,`teaching_set_id`,`student_id`);--> statement-breakpoint
CREATE INDEX `teaching_set_member_student` ON `teaching_set_member` (`school_id`,`student_id`);