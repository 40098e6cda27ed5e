ALTER TABLE `connection_state` ADD `reason` text;--> statement-breakpoint
ALTER TABLE `connection_state` ADD `status_changed_at` integer;--> statement-breakpoint
ALTER TABLE `connection_state` ADD `bridge_id` text;--> statement-breakpoint
CREATE INDEX `connection_state_bridge` ON `connection_state` (`bridge_id`);