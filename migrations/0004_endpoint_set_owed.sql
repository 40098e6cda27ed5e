DROP INDEX `endpoint_set_untold`;--> statement-breakpoint
CREATE INDEX `endpoint_set_owed` ON `endpoint_set` (`changed_at`) WHERE told_revision < revision;