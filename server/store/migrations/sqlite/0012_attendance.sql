CREATE TABLE `attendance_register` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`student_group_id` text NOT NULL,
	`day` text NOT NULL,
	`lesson` integer NOT NULL,
	`created_by` text,
	`created_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`student_group_id`) REFERENCES `student_group`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "attendance_register_lesson" CHECK("attendance_register"."lesson" between 0 and 12)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `attendance_register_once` ON `attendance_register` (`school_id`,`student_group_id`,`day`,`lesson`);--> statement-breakpoint
CREATE TABLE `attendance_mark` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`student_group_id` text NOT NULL,
	`student_id` text NOT NULL,
	`day` text NOT NULL,
	`lesson` integer NOT NULL,
	`code` text NOT NULL,
	`note` text,
	`created_by` text,
	`updated_by` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`student_group_id`) REFERENCES `student_group`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`student_id`) REFERENCES `student`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "attendance_mark_lesson" CHECK("attendance_mark"."lesson" between 0 and 12),
	CONSTRAINT "attendance_mark_code" CHECK("attendance_mark"."code" in ('present', 'absent', 'late', 'excused'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `attendance_mark_once` ON `attendance_mark` (`school_id`,`student_group_id`,`day`,`lesson`,`student_id`);--> statement-breakpoint
CREATE INDEX `attendance_mark_student` ON `attendance_mark` (`school_id`,`student_id`,`day`);