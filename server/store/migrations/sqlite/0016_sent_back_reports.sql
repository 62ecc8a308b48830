ALTER TABLE `report_book` ADD `sent_back_at` text;--> statement-breakpoint
ALTER TABLE `report_book` ADD `sent_back_by` text;--> statement-breakpoint
ALTER TABLE `report_book` ADD `sent_back_reason` text;--> statement-breakpoint
ALTER TABLE `report_book` ADD `sent_back_hash` text;