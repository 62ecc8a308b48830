CREATE TABLE `assessment_category` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`academic_year_id` text NOT NULL,
	`subject_id` text,
	`assessment_type` text NOT NULL,
	`name` text NOT NULL,
	`weight` real NOT NULL,
	`drop_lowest` integer NOT NULL,
	`is_extra_credit` integer NOT NULL,
	`sort_order` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`academic_year_id`) REFERENCES `academic_year`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`subject_id`) REFERENCES `subject`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "assessment_category_type" CHECK("assessment_category"."assessment_type" in ('exam', 'coursework')),
	CONSTRAINT "assessment_category_counting" CHECK("assessment_category"."weight" between 0 and 100 and "assessment_category"."drop_lowest" between 0 and 10)
) STRICT;
--> statement-breakpoint
CREATE INDEX `assessment_category_year` ON `assessment_category` (`school_id`,`academic_year_id`);--> statement-breakpoint
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
CREATE INDEX `attendance_mark_student` ON `attendance_mark` (`school_id`,`student_id`,`day`);--> statement-breakpoint
PRAGMA foreign_keys=OFF;--> statement-breakpoint
CREATE TABLE `__new_term` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`academic_year_id` text NOT NULL,
	`name` text NOT NULL,
	`start_date` text NOT NULL,
	`end_date` text NOT NULL,
	`exam_weight` real NOT NULL,
	`coursework_weight` real NOT NULL,
	`is_ministry_reporting` integer NOT NULL,
	`sort_order` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`academic_year_id`) REFERENCES `academic_year`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "term_name" CHECK(length("__new_term"."name") between 1 and 40),
	CONSTRAINT "term_dates" CHECK("__new_term"."end_date" > "__new_term"."start_date"),
	CONSTRAINT "term_weights" CHECK("__new_term"."exam_weight" between 0 and 100 and "__new_term"."coursework_weight" between 0 and 100)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_term`("id", "school_id", "academic_year_id", "name", "start_date", "end_date", "exam_weight", "coursework_weight", "is_ministry_reporting", "sort_order", "created_at", "updated_at") SELECT "id", "school_id", "academic_year_id", "name", "start_date", "end_date", "exam_weight", "coursework_weight", "is_ministry_reporting", "sort_order", "created_at", "updated_at" FROM `term`;--> statement-breakpoint
DROP TABLE `term`;--> statement-breakpoint
ALTER TABLE `__new_term` RENAME TO `term`;--> statement-breakpoint
PRAGMA foreign_keys=ON;--> statement-breakpoint
CREATE UNIQUE INDEX `term_name_once` ON `term` (`school_id`,`academic_year_id`,`name`);--> statement-breakpoint
ALTER TABLE `school` ADD `personal_data_for` text;--> statement-breakpoint
CREATE TABLE `__new_academic_year` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`name` text NOT NULL,
	`start_date` text NOT NULL,
	`end_date` text NOT NULL,
	`grading_model` text NOT NULL,
	`calculation_model` text NOT NULL,
	`year_exam_weight` real,
	`year_coursework_weight` real,
	`scale_pass_mark` real,
	`scale_bands` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`) REFERENCES `school`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "academic_year_dates" CHECK("__new_academic_year"."end_date" > "__new_academic_year"."start_date"),
	CONSTRAINT "academic_year_model" CHECK("__new_academic_year"."grading_model" in ('term_based', 'year_based')),
	CONSTRAINT "academic_year_calculation" CHECK("__new_academic_year"."calculation_model" in ('weighted_cumulative', 'weighted_continuous', 'continuous_cumulative')),
	CONSTRAINT "academic_year_weights" CHECK("__new_academic_year"."year_exam_weight" between 0 and 100 and "__new_academic_year"."year_coursework_weight" between 0 and 100),
	CONSTRAINT "academic_year_scale" CHECK("__new_academic_year"."scale_pass_mark" between 0 and 100)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_academic_year`("id", "school_id", "name", "start_date", "end_date", "grading_model", "calculation_model", "year_exam_weight", "year_coursework_weight", "scale_pass_mark", "scale_bands", "created_at", "updated_at") SELECT "id", "school_id", "name", "start_date", "end_date", "grading_model", "calculation_model", "year_exam_weight", "year_coursework_weight", NULL, NULL, "created_at", "updated_at" FROM `academic_year`;--> statement-breakpoint
DROP TABLE `academic_year`;--> statement-breakpoint
ALTER TABLE `__new_academic_year` RENAME TO `academic_year`;--> statement-breakpoint
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
	`created_by` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`term_id`) REFERENCES `term`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`subject_id`) REFERENCES `subject`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`student_group_id`) REFERENCES `student_group`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`category_id`) REFERENCES `assessment_category`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "assessment_type_known" CHECK("__new_assessment"."assessment_type" in ('exam', 'coursework')),
	CONSTRAINT "assessment_max_score" CHECK("__new_assessment"."max_score" > 0 and "__new_assessment"."max_score" <= 100000),
	CONSTRAINT "assessment_weight" CHECK("__new_assessment"."weight" between 0 and 1000)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_assessment`("id", "school_id", "term_id", "subject_id", "student_group_id", "title", "assessment_type", "assessment_date", "max_score", "weight", "is_excluded", "exclusion_reason", "sort_order", "category_id", "created_by", "created_at", "updated_at") SELECT "id", "school_id", "term_id", "subject_id", "student_group_id", "title", "assessment_type", "assessment_date", "max_score", "weight", "is_excluded", "exclusion_reason", "sort_order", NULL, "created_by", "created_at", "updated_at" FROM `assessment`;--> statement-breakpoint
DROP TABLE `assessment`;--> statement-breakpoint
ALTER TABLE `__new_assessment` RENAME TO `assessment`;--> statement-breakpoint
CREATE UNIQUE INDEX `assessment_in_term` ON `assessment` (`school_id`,`id`,`term_id`);--> statement-breakpoint
CREATE INDEX `assessment_term_subject` ON `assessment` (`school_id`,`term_id`,`subject_id`);--> statement-breakpoint
CREATE INDEX `assessment_category_use` ON `assessment` (`school_id`,`category_id`);