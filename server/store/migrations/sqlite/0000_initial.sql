CREATE TABLE `academic_year` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`name` text NOT NULL,
	`start_date` text NOT NULL,
	`end_date` text NOT NULL,
	`grading_model` text NOT NULL,
	`calculation_model` text NOT NULL,
	`year_exam_weight` real,
	`year_coursework_weight` real,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`) REFERENCES `school`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "academic_year_dates" CHECK("academic_year"."end_date" > "academic_year"."start_date"),
	CONSTRAINT "academic_year_model" CHECK("academic_year"."grading_model" in ('term_based', 'year_based')),
	CONSTRAINT "academic_year_calculation" CHECK("academic_year"."calculation_model" in ('weighted_cumulative', 'weighted_continuous', 'continuous_cumulative')),
	CONSTRAINT "academic_year_weights" CHECK("academic_year"."year_exam_weight" between 0 and 100 and "academic_year"."year_coursework_weight" between 0 and 100)
) STRICT;
--> statement-breakpoint
CREATE TABLE `active_year` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`academic_year_id` text,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`) REFERENCES `school`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`academic_year_id`) REFERENCES `academic_year`(`school_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `active_year_once` ON `active_year` (`school_id`);--> statement-breakpoint
CREATE TABLE `assessment` (
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
	`created_by` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`term_id`) REFERENCES `term`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`subject_id`) REFERENCES `subject`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`student_group_id`) REFERENCES `student_group`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "assessment_type_known" CHECK("assessment"."assessment_type" in ('exam', 'coursework')),
	CONSTRAINT "assessment_max_score" CHECK("assessment"."max_score" > 0 and "assessment"."max_score" <= 100000),
	CONSTRAINT "assessment_weight" CHECK("assessment"."weight" between 0 and 1000)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `assessment_in_term` ON `assessment` (`school_id`,`id`,`term_id`);--> statement-breakpoint
CREATE INDEX `assessment_term_subject` ON `assessment` (`school_id`,`term_id`,`subject_id`);--> statement-breakpoint
CREATE TABLE `attempt` (
	`key` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	`resets_at` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `attempt_expiry` ON `attempt` (`resets_at`);--> statement-breakpoint
CREATE TABLE `class_report_file` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`student_group_id` text NOT NULL,
	`term_id` text NOT NULL,
	`report_type` text NOT NULL,
	`file_type` text NOT NULL,
	`file_path` text NOT NULL,
	`file_size` integer NOT NULL,
	`sha256` text,
	`generated_by` text,
	`generated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`student_group_id`) REFERENCES `student_group`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`term_id`) REFERENCES `term`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "class_report_file_report_type" CHECK("class_report_file"."report_type" in ('term', 'year_end')),
	CONSTRAINT "class_report_file_file_type" CHECK("class_report_file"."file_type" in ('pdf', 'csv', 'xlsx'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `class_report_file_class` ON `class_report_file` (`school_id`,`student_group_id`,`term_id`);--> statement-breakpoint
CREATE INDEX `class_report_file_path` ON `class_report_file` (`file_path`);--> statement-breakpoint
CREATE TABLE `class_teacher` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`student_group_id` text NOT NULL,
	`user_profile_id` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`student_group_id`) REFERENCES `student_group`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`user_profile_id`,`student_group_id`) REFERENCES `teacher_group_assignment`(`school_id`,`user_profile_id`,`student_group_id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `class_teacher_once` ON `class_teacher` (`school_id`,`student_group_id`);--> statement-breakpoint
CREATE TABLE `enrolment` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`student_id` text NOT NULL,
	`student_group_id` text NOT NULL,
	`academic_year_id` text NOT NULL,
	`enrolled_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`student_id`) REFERENCES `student`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`student_group_id`,`academic_year_id`) REFERENCES `student_group`(`school_id`,`id`,`academic_year_id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `enrolment_once` ON `enrolment` (`school_id`,`student_id`,`academic_year_id`);--> statement-breakpoint
CREATE INDEX `enrolment_class` ON `enrolment` (`school_id`,`student_group_id`);--> statement-breakpoint
CREATE TABLE `grade` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`assessment_id` text NOT NULL,
	`term_id` text NOT NULL,
	`student_id` text NOT NULL,
	`score` real NOT NULL,
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
	CONSTRAINT "grade_score" CHECK("grade"."score" between 0 and 100000)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `grade_once` ON `grade` (`school_id`,`assessment_id`,`student_id`);--> statement-breakpoint
CREATE INDEX `grade_student_term` ON `grade` (`school_id`,`student_id`,`term_id`,`assessment_id`,`score`,`is_excluded`);--> statement-breakpoint
CREATE TABLE `grading_scale` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`pass_mark` real NOT NULL,
	`bands` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`) REFERENCES `school`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "grading_scale_pass_mark" CHECK("grading_scale"."pass_mark" between 0 and 100)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `grading_scale_once` ON `grading_scale` (`school_id`);--> statement-breakpoint
CREATE TABLE `history` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`seq` integer NOT NULL,
	`node_seq` integer NOT NULL,
	`at` text NOT NULL,
	`actor_id` text,
	`node_id` text NOT NULL,
	`entity` text NOT NULL,
	`row_id` text NOT NULL,
	`near_id` text NOT NULL,
	`action` text NOT NULL,
	`changes` text NOT NULL,
	`head` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `history_of_row` ON `history` (`school_id`,`near_id`,`seq`,`row_id`);--> statement-breakpoint
CREATE INDEX `history_of_feed` ON `history` (`school_id`,`seq`);--> statement-breakpoint
CREATE TABLE `job` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`wanted` text,
	`input` text NOT NULL,
	`done` integer NOT NULL,
	`total` integer NOT NULL,
	`result_url` text,
	`failures` text NOT NULL,
	`created_by` text NOT NULL,
	`created_at` text NOT NULL,
	`ended_at` text,
	`runner` text,
	`leased_until` text,
	`taken` integer NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	CONSTRAINT "job_kind" CHECK("job"."kind" in ('report_pdfs')),
	CONSTRAINT "job_status" CHECK("job"."status" in ('queued', 'running', 'done', 'failed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `job_once` ON `job` (`school_id`,`wanted`);--> statement-breakpoint
CREATE INDEX `job_waiting` ON `job` (`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `job_ended` ON `job` (`ended_at`);--> statement-breakpoint
CREATE TABLE `node` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`created_at` text NOT NULL,
	`ended_at` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `node_one_current` ON `node` (`kind`) WHERE ended_at is null;--> statement-breakpoint
CREATE TABLE `otp_code` (
	`email` text NOT NULL,
	`kind` text NOT NULL,
	`code_hash` text NOT NULL,
	`sent_at` text NOT NULL,
	`expires_at` text NOT NULL,
	`wrong_tries` integer NOT NULL,
	PRIMARY KEY(`email`, `kind`),
	CONSTRAINT "otp_code_kind" CHECK("otp_code"."kind" in ('mail', 'desk', 'console'))
) STRICT;
--> statement-breakpoint
CREATE TABLE `recovery_code` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`slot` integer NOT NULL,
	`set_id` text NOT NULL,
	`sealed_hash` text NOT NULL,
	`used_set_id` text,
	`used_at` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user_profile`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `recovery_code_slot` ON `recovery_code` (`user_id`,`slot`);--> statement-breakpoint
CREATE TABLE `report_book` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`student_id` text NOT NULL,
	`academic_year_id` text NOT NULL,
	`term_id` text NOT NULL,
	`student_group_id` text NOT NULL,
	`report_type` text NOT NULL,
	`status` text NOT NULL,
	`sent_snapshot` text,
	`snapshot` text NOT NULL,
	`overall_average` real,
	`position` integer,
	`total_students` integer NOT NULL,
	`class_teacher_remark` text,
	`conduct` text,
	`attendance_percentage` real,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`student_id`) REFERENCES `student`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`term_id`) REFERENCES `term`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`student_group_id`,`academic_year_id`) REFERENCES `student_group`(`school_id`,`id`,`academic_year_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "report_book_type" CHECK("report_book"."report_type" in ('term', 'year_end')),
	CONSTRAINT "report_book_status" CHECK("report_book"."status" in ('draft', 'published', 'sent_to_ministry')),
	CONSTRAINT "report_book_attendance" CHECK("report_book"."attendance_percentage" between 0 and 100)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `report_book_once` ON `report_book` (`school_id`,`student_id`,`term_id`,`report_type`);--> statement-breakpoint
CREATE INDEX `report_book_class_term` ON `report_book` (`school_id`,`student_group_id`,`term_id`,`report_type`);--> statement-breakpoint
CREATE TABLE `report_book_entry` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`report_book_id` text NOT NULL,
	`subject_id` text NOT NULL,
	`coursework_average` real,
	`exam_average` real,
	`term_composite` real,
	`year_grade` real,
	`computed_letter` text,
	`manual_letter` text,
	`teacher_remark` text,
	`sort_order` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`report_book_id`) REFERENCES `report_book`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`subject_id`) REFERENCES `subject`(`school_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `report_book_entry_once` ON `report_book_entry` (`school_id`,`report_book_id`,`subject_id`);--> statement-breakpoint
CREATE TABLE `report_book_pdf` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`report_book_id` text NOT NULL,
	`file_path` text NOT NULL,
	`file_size` integer NOT NULL,
	`sha256` text,
	`generated_by` text,
	`generated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`report_book_id`) REFERENCES `report_book`(`school_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `report_book_pdf_book` ON `report_book_pdf` (`school_id`,`report_book_id`);--> statement-breakpoint
CREATE INDEX `report_book_pdf_path` ON `report_book_pdf` (`file_path`);--> statement-breakpoint
CREATE TABLE `school` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`code` text,
	`school_type` text NOT NULL,
	`address` text,
	`email` text,
	`phone` text,
	`crest_path` text,
	`crest_type` text,
	`crest_size` integer,
	`crest_sha256` text,
	`crest_updated_at` text,
	`is_active` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	CONSTRAINT "school_type_known" CHECK("school"."school_type" in ('primary', 'secondary'))
) STRICT;
--> statement-breakpoint
CREATE TABLE `school_join_request` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`user_id` text NOT NULL,
	`status` text NOT NULL,
	`message` text,
	`requested_at` text NOT NULL,
	`reviewed_at` text,
	`reviewed_by` text,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`) REFERENCES `school`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `user_profile`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "school_join_request_status" CHECK("school_join_request"."status" in ('pending', 'approved', 'rejected'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `school_join_request_one_pending` ON `school_join_request` (`user_id`,`school_id`) WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX `school_join_request_user` ON `school_join_request` (`user_id`,`status`);--> statement-breakpoint
CREATE TABLE `school_management` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`is_active` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`) REFERENCES `school`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`) REFERENCES `user_profile`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "school_management_role" CHECK("school_management"."role" in ('admin', 'teacher', 'member'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `school_management_once` ON `school_management` (`user_id`,`school_id`);--> statement-breakpoint
CREATE TABLE `server_secret` (
	`use` text PRIMARY KEY NOT NULL,
	`mark` text NOT NULL,
	`seen_at` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`refresh_hash` text NOT NULL,
	`previous_hash` text,
	`rotated_at` text,
	`generation` integer NOT NULL,
	`created_at` text NOT NULL,
	`last_used_at` text NOT NULL,
	`expires_at` text NOT NULL,
	`revoked_at` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `session_user` ON `session` (`user_id`);--> statement-breakpoint
CREATE INDEX `session_expiry` ON `session` (`expires_at`);--> statement-breakpoint
CREATE TABLE `student` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`first_name` text NOT NULL,
	`last_name` text NOT NULL,
	`gender` text NOT NULL,
	`date_of_birth` text,
	`enrollment_date` text,
	`is_active` integer NOT NULL,
	`student_number` text,
	`sort_key` text NOT NULL,
	`search_key` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`) REFERENCES `school`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "student_gender" CHECK("student"."gender" in ('male', 'female', 'other'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `student_number_once` ON `student` (`school_id`,`student_number`);--> statement-breakpoint
CREATE INDEX `student_by_name` ON `student` (`school_id`,`sort_key`,`id`);--> statement-breakpoint
CREATE TABLE `student_group` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`name` text NOT NULL,
	`academic_year_id` text NOT NULL,
	`created_by` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`academic_year_id`) REFERENCES `academic_year`(`school_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `student_group_in_year` ON `student_group` (`school_id`,`id`,`academic_year_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `student_group_name_once` ON `student_group` (`school_id`,`academic_year_id`,`name`);--> statement-breakpoint
CREATE TABLE `student_subject` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`student_id` text NOT NULL,
	`subject_id` text NOT NULL,
	`student_group_id` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`student_id`) REFERENCES `student`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`subject_id`) REFERENCES `subject`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`student_group_id`) REFERENCES `student_group`(`school_id`,`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `student_subject_once` ON `student_subject` (`school_id`,`student_id`,`subject_id`,`student_group_id`);--> statement-breakpoint
CREATE INDEX `student_subject_class` ON `student_subject` (`school_id`,`student_group_id`);--> statement-breakpoint
CREATE TABLE `subject` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`name` text NOT NULL,
	`code` text NOT NULL,
	`sort_order` integer NOT NULL,
	`is_active` integer NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`) REFERENCES `school`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `subject_code_once` ON `subject` (`school_id`,`code`);--> statement-breakpoint
CREATE TABLE `sync_conflict` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`entity` text NOT NULL,
	`row_id` text NOT NULL,
	`unit` text NOT NULL,
	`kind` text NOT NULL,
	`reason` text,
	`value` text,
	`node_id` text NOT NULL,
	`counter` integer NOT NULL,
	`hlc` integer NOT NULL,
	`actor_id` text,
	`status` text NOT NULL,
	`resolved_at` text,
	`resolved_by` text,
	`resolution` text,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`) REFERENCES `school`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sync_conflict_kind" CHECK("sync_conflict"."kind" in ('value', 'delete', 'rule', 'right')),
	CONSTRAINT "sync_conflict_status" CHECK("sync_conflict"."status" in ('noticed', 'open', 'resolved'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `sync_conflict_row` ON `sync_conflict` (`school_id`,`entity`,`row_id`);--> statement-breakpoint
CREATE INDEX `sync_conflict_open` ON `sync_conflict` (`school_id`,`status`,`hlc`);--> statement-breakpoint
CREATE TABLE `sync_feed` (
	`school_id` text PRIMARY KEY NOT NULL,
	`seq` integer NOT NULL,
	`head` text NOT NULL,
	`floor` integer DEFAULT 0 NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `sync_file` (
	`peer_id` text NOT NULL,
	`table_name` text NOT NULL,
	`row_id` text NOT NULL,
	`direction` text NOT NULL,
	`tries` integer NOT NULL,
	`next_at` text NOT NULL,
	`reason` text,
	PRIMARY KEY(`peer_id`, `table_name`, `row_id`),
	CONSTRAINT "sync_file_direction" CHECK("sync_file"."direction" in ('down', 'up'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `sync_file_next` ON `sync_file` (`peer_id`,`next_at`);--> statement-breakpoint
CREATE TABLE `sync_file_place` (
	`peer_id` text PRIMARY KEY NOT NULL,
	`epoch` text NOT NULL,
	`seq` integer NOT NULL,
	`people` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `sync_held` (
	`school_id` text NOT NULL,
	`table_name` text NOT NULL,
	`row_id` text NOT NULL,
	`state` text NOT NULL,
	`reason` text NOT NULL,
	`peer_id` text,
	`since` text NOT NULL,
	`tries` integer NOT NULL,
	PRIMARY KEY(`school_id`, `table_name`, `row_id`)
) STRICT;
--> statement-breakpoint
CREATE TABLE `sync_invitation` (
	`id` text PRIMARY KEY NOT NULL,
	`code_hash` text NOT NULL,
	`kind` text NOT NULL,
	`school_id` text,
	`user_id` text,
	`created_by` text,
	`created_at` text NOT NULL,
	`expires_at` text NOT NULL,
	`used_at` text
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `sync_invitation_code` ON `sync_invitation` (`code_hash`);--> statement-breakpoint
CREATE TABLE `sync_peer` (
	`id` text PRIMARY KEY NOT NULL,
	`side` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`school_id` text,
	`user_id` text,
	`node_id` text NOT NULL,
	`url` text,
	`place` integer NOT NULL,
	`public_key` text NOT NULL,
	`box_key` text NOT NULL,
	`own_epoch` text,
	`own_seq` integer NOT NULL,
	`own_people` integer NOT NULL,
	`their_epoch` text,
	`their_cursor` text,
	`highest_counter` integer NOT NULL,
	`history_head` text,
	`scope` text,
	`schema` integer DEFAULT 0 NOT NULL,
	`clock_offset` integer,
	`session_nonce` text,
	`session_number` integer NOT NULL,
	`enrolled_at` text NOT NULL,
	`last_seen_at` text,
	`revoked_at` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `sync_peer_school` ON `sync_peer` (`school_id`);--> statement-breakpoint
CREATE TABLE `sync_refused` (
	`id` text PRIMARY KEY NOT NULL,
	`school_id` text NOT NULL,
	`table_name` text NOT NULL,
	`row_id` text NOT NULL,
	`unit` text NOT NULL,
	`value` text,
	`actor_id` text,
	`hlc` integer NOT NULL,
	`code` text NOT NULL,
	`refused_at` text NOT NULL,
	`seen_at` text
) STRICT;
--> statement-breakpoint
CREATE INDEX `sync_refused_school` ON `sync_refused` (`school_id`,`refused_at`);--> statement-breakpoint
CREATE TABLE `sync_row` (
	`school_id` text NOT NULL,
	`table_name` text NOT NULL,
	`row_id` text NOT NULL,
	`seq` integer NOT NULL,
	`vv` text NOT NULL,
	`units` text NOT NULL,
	`deleted` integer NOT NULL,
	`schema` integer NOT NULL,
	`extra` text,
	`source_id` text,
	`settled` integer NOT NULL,
	PRIMARY KEY(`school_id`, `table_name`, `row_id`)
) STRICT;
--> statement-breakpoint
CREATE INDEX `sync_row_feed` ON `sync_row` (`school_id`,`seq`);--> statement-breakpoint
CREATE INDEX `sync_row_settled` ON `sync_row` (`school_id`,`table_name`) WHERE settled;--> statement-breakpoint
CREATE TABLE `teacher_group_assignment` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`user_profile_id` text NOT NULL,
	`student_group_id` text NOT NULL,
	`academic_year_id` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`user_profile_id`) REFERENCES `user_profile`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`student_group_id`,`academic_year_id`) REFERENCES `student_group`(`school_id`,`id`,`academic_year_id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `teacher_group_assignment_once` ON `teacher_group_assignment` (`school_id`,`user_profile_id`,`student_group_id`);--> statement-breakpoint
CREATE INDEX `teacher_group_assignment_class` ON `teacher_group_assignment` (`school_id`,`student_group_id`);--> statement-breakpoint
CREATE TABLE `teacher_subject_assignment` (
	`id` text NOT NULL,
	`school_id` text NOT NULL,
	`user_profile_id` text NOT NULL,
	`subject_id` text NOT NULL,
	`student_group_id` text NOT NULL,
	`academic_year_id` text NOT NULL,
	`created_at` text NOT NULL,
	PRIMARY KEY(`school_id`, `id`),
	FOREIGN KEY (`school_id`,`subject_id`) REFERENCES `subject`(`school_id`,`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`school_id`,`user_profile_id`,`student_group_id`) REFERENCES `teacher_group_assignment`(`school_id`,`user_profile_id`,`student_group_id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `teacher_subject_assignment_once` ON `teacher_subject_assignment` (`school_id`,`user_profile_id`,`student_group_id`,`subject_id`);--> statement-breakpoint
CREATE INDEX `teacher_subject_assignment_class` ON `teacher_subject_assignment` (`school_id`,`student_group_id`);--> statement-breakpoint
CREATE TABLE `term` (
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
	CONSTRAINT "term_name" CHECK("term"."name" in ('michaelmas', 'hilary', 'trinity') or "term"."name" like '~%'),
	CONSTRAINT "term_dates" CHECK("term"."end_date" > "term"."start_date"),
	CONSTRAINT "term_weights" CHECK("term"."exam_weight" between 0 and 100 and "term"."coursework_weight" between 0 and 100)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `term_name_once` ON `term` (`school_id`,`academic_year_id`,`name`);--> statement-breakpoint
CREATE TABLE `totp_enrolment` (
	`user_id` text PRIMARY KEY NOT NULL,
	`sealed_secret` text NOT NULL,
	`expires_at` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `totp_enrolment_expiry` ON `totp_enrolment` (`expires_at`);--> statement-breakpoint
CREATE TABLE `user_profile` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`first_name` text,
	`last_name` text,
	`avatar_path` text,
	`avatar_type` text,
	`avatar_size` integer,
	`avatar_sha256` text,
	`avatar_updated_at` text,
	`school_id` text,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `user_profile_email` ON `user_profile` (`email`);--> statement-breakpoint
CREATE TABLE `user_totp` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`sealed_secret` text NOT NULL,
	`confirmed_at` text NOT NULL,
	`created_at` text NOT NULL,
	`updated_at` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user_profile`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `user_totp_once` ON `user_totp` (`user_id`);