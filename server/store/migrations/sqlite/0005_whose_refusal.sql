ALTER TABLE `sync_refused` ADD `node_id` text;--> statement-breakpoint
ALTER TABLE `sync_refused` ADD `counter` integer;--> statement-breakpoint
ALTER TABLE `sync_refused` ADD `parent_id` text;