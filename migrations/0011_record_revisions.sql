CREATE TABLE `record_revision` (
	`one` integer PRIMARY KEY NOT NULL,
	`revision` integer NOT NULL
);
