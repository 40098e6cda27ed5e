ALTER TABLE `connection` ADD `cloud_phone_number_id` text;--> statement-breakpoint
ALTER TABLE `connection` ADD `cloud_waba_id` text;--> statement-breakpoint
ALTER TABLE `connection` ADD `cloud_token_last4` text;--> statement-breakpoint
CREATE UNIQUE INDEX `connection_cloud_number` ON `connection` (`cloud_phone_number_id`) WHERE removed_at IS NULL;--> statement-breakpoint
CREATE INDEX `connection_cloud_waba` ON `connection` (`cloud_waba_id`) WHERE cloud_waba_id IS NOT NULL;