ALTER TABLE `audit_entry` ADD `key_id` text;--> statement-breakpoint
ALTER TABLE `audit_entry` ADD `reason` text;--> statement-breakpoint
ALTER TABLE `audit_entry` ADD `before` text;--> statement-breakpoint
ALTER TABLE `audit_entry` ADD `after` text;--> statement-breakpoint
ALTER TABLE `audit_entry` ADD `outcome` text;--> statement-breakpoint
ALTER TABLE `audit_entry` ADD `failure` text;--> statement-breakpoint
CREATE INDEX `audit_action` ON `audit_entry` (`action`,`at`);--> statement-breakpoint
ALTER TABLE `user` ADD `removal_due_at` integer;--> statement-breakpoint
ALTER TABLE `user` ADD `invited_at` integer;--> statement-breakpoint
ALTER TABLE `user` ADD `last_seen_at` integer;--> statement-breakpoint
CREATE INDEX `user_created` ON `user` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `user_removal_due` ON `user` (`removal_due_at`) WHERE removal_due_at IS NOT NULL;