CREATE TABLE `account_key` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`scopes` text,
	`instance_ids` text,
	`expires_at` integer,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `account_key_hash_unique` ON `account_key` (`hash`);--> statement-breakpoint
CREATE INDEX `account_key_user` ON `account_key` (`user_id`);--> statement-breakpoint
CREATE TABLE `account_webhook` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`url` text NOT NULL,
	`events` text NOT NULL,
	`secret_sealed` text,
	`description` text,
	`instance_id` text,
	`headers` text DEFAULT '{}' NOT NULL,
	`retry_count` integer DEFAULT 3 NOT NULL,
	`timeout_ms` integer DEFAULT 5000 NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `account_webhook_user` ON `account_webhook` (`user_id`);--> statement-breakpoint
CREATE TABLE `audit_entry` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at` integer NOT NULL,
	`actor_id` text NOT NULL,
	`key_id` text,
	`action` text NOT NULL,
	`target` text NOT NULL,
	`reason` text,
	`before` text,
	`after` text,
	`outcome` text,
	`failure` text,
	`request_id` text
);
--> statement-breakpoint
CREATE INDEX `audit_at` ON `audit_entry` (`at`);--> statement-breakpoint
CREATE INDEX `audit_actor` ON `audit_entry` (`actor_id`,`at`);--> statement-breakpoint
CREATE INDEX `audit_action` ON `audit_entry` (`action`,`at`);--> statement-breakpoint
CREATE INDEX `audit_target` ON `audit_entry` (`target`,`at`);--> statement-breakpoint
CREATE TABLE `endpoint_set` (
	`user_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`told_revision` integer DEFAULT 0 NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `endpoint_set_untold` ON `endpoint_set` (`changed_at`) WHERE told_revision < revision;--> statement-breakpoint
CREATE TABLE `connection` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`uuid` text NOT NULL,
	`owner_id` text NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`metadata` text DEFAULT '{}' NOT NULL,
	`settings` text DEFAULT '{}' NOT NULL,
	`proxy_id` text,
	`home` text,
	`cloud_phone_number_id` text,
	`cloud_waba_id` text,
	`cloud_token_last4` text,
	`pending_revision` integer,
	`removed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `connection_uuid_unique` ON `connection` (`uuid`);--> statement-breakpoint
CREATE INDEX `connection_owner` ON `connection` (`owner_id`,`id`);--> statement-breakpoint
CREATE INDEX `connection_removed` ON `connection` (`removed_at`);--> statement-breakpoint
CREATE INDEX `connection_proxy` ON `connection` (`proxy_id`,`id`);--> statement-breakpoint
CREATE INDEX `connection_home` ON `connection` (`home`,`id`);--> statement-breakpoint
CREATE INDEX `connection_pending` ON `connection` (`pending_revision`) WHERE pending_revision IS NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `connection_cloud_number` ON `connection` (`cloud_phone_number_id`) WHERE removed_at IS NULL;--> statement-breakpoint
CREATE INDEX `connection_cloud_waba` ON `connection` (`cloud_waba_id`) WHERE cloud_waba_id IS NOT NULL;--> statement-breakpoint
CREATE TABLE `connection_count` (
	`owner_id` text PRIMARY KEY NOT NULL,
	`connections` integer NOT NULL,
	FOREIGN KEY (`owner_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `connection_state` (
	`connection_id` integer PRIMARY KEY NOT NULL,
	`status` text,
	`reason` text,
	`status_changed_at` integer,
	`bridge_id` text,
	`phone` text,
	`state_kid` integer DEFAULT 1 NOT NULL,
	`connected` integer DEFAULT false NOT NULL,
	`waiting_deliveries` integer DEFAULT 0 NOT NULL,
	`noted_at` integer NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `connection`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `connection_state_status` ON `connection_state` (`status`);--> statement-breakpoint
CREATE INDEX `connection_state_bridge` ON `connection_state` (`bridge_id`);--> statement-breakpoint
CREATE INDEX `connection_state_kid` ON `connection_state` (`state_kid`);--> statement-breakpoint
CREATE TABLE `directory_round` (
	`one` integer PRIMARY KEY NOT NULL,
	`day` integer NOT NULL,
	`through` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `pool_shard` (
	`name` text PRIMARY KEY NOT NULL,
	`connections` integer DEFAULT 0 NOT NULL,
	`counted_at` integer DEFAULT 0 NOT NULL,
	`bridges` integer DEFAULT 0 NOT NULL,
	`places` integer DEFAULT 0 NOT NULL,
	`written_at` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `record_revision` (
	`one` integer PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `record_set` (
	`user_id` text PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL,
	`pushed_revision` integer DEFAULT 0 NOT NULL,
	`changed_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `record_set_owed` ON `record_set` (`changed_at`) WHERE pushed_revision < revision;--> statement-breakpoint
CREATE TABLE `share` (
	`connection_id` integer NOT NULL,
	`user_id` text NOT NULL,
	`role` text NOT NULL,
	`opened_at` integer,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`connection_id`, `user_id`),
	FOREIGN KEY (`connection_id`) REFERENCES `connection`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `share_user` ON `share` (`user_id`);--> statement-breakpoint
CREATE TABLE `share_invitation` (
	`id` text PRIMARY KEY NOT NULL,
	`connection_id` integer NOT NULL,
	`email` text NOT NULL,
	`role` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`connection_id`) REFERENCES `connection`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `share_invitation_address` ON `share_invitation` (`connection_id`,`email`);--> statement-breakpoint
CREATE INDEX `share_invitation_email` ON `share_invitation` (`email`);--> statement-breakpoint
CREATE TABLE `subscription` (
	`user_id` text PRIMARY KEY NOT NULL,
	`plan` text NOT NULL,
	`status` text NOT NULL,
	`max_instances` integer NOT NULL,
	`current_period_end` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `account` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`provider_id` text NOT NULL,
	`user_id` text NOT NULL,
	`access_token` text,
	`refresh_token` text,
	`id_token` text,
	`access_token_expires_at` integer,
	`refresh_token_expires_at` integer,
	`scope` text,
	`password` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `account_user` ON `account` (`user_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `account_subject` ON `account` (`provider_id`,`account_id`);--> statement-breakpoint
CREATE TABLE `jwks` (
	`id` text PRIMARY KEY NOT NULL,
	`public_key` text NOT NULL,
	`private_key` text NOT NULL,
	`alg` text,
	`crv` text,
	`created_at` integer NOT NULL,
	`expires_at` integer
);
--> statement-breakpoint
CREATE TABLE `session` (
	`id` text PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	`user_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`ip_address` text,
	`user_agent` text,
	`issuer` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `session_token_unique` ON `session` (`token`);--> statement-breakpoint
CREATE INDEX `session_user` ON `session` (`user_id`);--> statement-breakpoint
CREATE TABLE `user` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`email` text NOT NULL,
	`email_verified` integer DEFAULT false NOT NULL,
	`image` text,
	`role` text DEFAULT 'user' NOT NULL,
	`status` text DEFAULT 'active' NOT NULL,
	`removal_due_at` integer,
	`invited_at` integer,
	`last_seen_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `user_email_unique` ON `user` (`email`);--> statement-breakpoint
CREATE INDEX `user_created` ON `user` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `user_removal_due` ON `user` (`removal_due_at`) WHERE removal_due_at IS NOT NULL;--> statement-breakpoint
CREATE INDEX `user_removed` ON `user` (`updated_at`) WHERE status = 'removed';--> statement-breakpoint
CREATE TABLE `verification` (
	`id` text PRIMARY KEY NOT NULL,
	`identifier` text NOT NULL,
	`value` text NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `verification_identifier` ON `verification` (`identifier`);--> statement-breakpoint
CREATE TABLE `daily_count` (
	`scope` text NOT NULL,
	`at` integer NOT NULL,
	`counts` text NOT NULL,
	PRIMARY KEY(`scope`, `at`)
);
--> statement-breakpoint
CREATE TABLE `hourly_count` (
	`scope` text NOT NULL,
	`at` integer NOT NULL,
	`counts` text NOT NULL,
	PRIMARY KEY(`scope`, `at`)
);
--> statement-breakpoint
CREATE TABLE `proxy` (
	`id` text PRIMARY KEY NOT NULL,
	`label` text NOT NULL,
	`protocol` text NOT NULL,
	`host` text NOT NULL,
	`port` integer NOT NULL,
	`username` text,
	`password_sealed` text,
	`country` text,
	`max_instances` integer DEFAULT 10 NOT NULL,
	`is_active` integer DEFAULT true NOT NULL,
	`revision` integer DEFAULT 1 NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `proxy_health` (
	`proxy_id` text PRIMARY KEY NOT NULL,
	`status` text NOT NULL,
	`latency_ms` integer,
	`exit_ip` text,
	`exit_country` text,
	`exit_checked_at` integer,
	`consecutive_failures` integer NOT NULL,
	`past_checks` text NOT NULL,
	`checked_at` integer,
	`last_error` text,
	`outage_at` integer,
	FOREIGN KEY (`proxy_id`) REFERENCES `proxy`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `proxy_notice` (
	`proxy_id` text NOT NULL,
	`user_id` text NOT NULL,
	`news` text NOT NULL,
	`tries` integer DEFAULT 0 NOT NULL,
	`due_at` integer NOT NULL,
	PRIMARY KEY(`proxy_id`, `user_id`),
	FOREIGN KEY (`proxy_id`) REFERENCES `proxy`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `user`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `proxy_notice_due` ON `proxy_notice` (`due_at`);--> statement-breakpoint
CREATE TABLE `cron_run` (
	`cron` text PRIMARY KEY NOT NULL,
	`ran_at` integer NOT NULL,
	`succeeded_at` integer
);
--> statement-breakpoint
CREATE TABLE `mail_state` (
	`one` integer PRIMARY KEY NOT NULL,
	`failed_at` integer NOT NULL,
	`error` text NOT NULL,
	`recovered_at` integer
);
--> statement-breakpoint
CREATE TRIGGER `connection_counted` AFTER INSERT ON `connection` WHEN new.removed_at IS NULL BEGIN INSERT OR IGNORE INTO connection_count (owner_id, connections) VALUES (new.owner_id, 0); UPDATE connection_count SET connections = connections + 1 WHERE owner_id = new.owner_id; END;
--> statement-breakpoint
CREATE TRIGGER `connection_recounted` AFTER UPDATE OF `removed_at` ON `connection` WHEN (old.removed_at IS NULL) <> (new.removed_at IS NULL) BEGIN INSERT OR IGNORE INTO connection_count (owner_id, connections) VALUES (new.owner_id, 0); UPDATE connection_count SET connections = connections + (new.removed_at IS NULL) - (old.removed_at IS NULL) WHERE owner_id = new.owner_id; END;
--> statement-breakpoint
CREATE TRIGGER `connection_uncounted` AFTER DELETE ON `connection` WHEN old.removed_at IS NULL BEGIN UPDATE connection_count SET connections = connections - 1 WHERE owner_id = old.owner_id; END;
