ALTER TABLE `history` ADD `detail` text;--> statement-breakpoint
ALTER TABLE `history` ADD `proof` text;