import { GATE_MIGRATIONS, GATE_TIMES } from "../shared/gate/gate.ts";
import type { Migrations } from "../shared/migrate.ts";
import type { TimeColumn } from "../shared/clock-steps.ts";
import { UPLOAD_MIGRATIONS } from "../shared/upload-ledger.ts";
import { CALLER_MIGRATIONS } from "./callers.ts";
import { PUSH_MIGRATIONS, PUSH_TIMES } from "./change-push.ts";
import { FAILING_MIGRATIONS } from "./failing-connections.ts";
import { OWED_MAIL_MIGRATIONS, OWED_MAIL_TIMES } from "./owed-mail.ts";
import { NOTICE_MIGRATIONS, NOTICE_TIMES } from "./owner-notices.ts";

const REMOVAL_MIGRATIONS: Migrations = [
  `CREATE TABLE removal (one INTEGER PRIMARY KEY CHECK (one = 1), user_id TEXT NOT NULL, email TEXT NOT NULL);
   CREATE TABLE confirmation (at INTEGER NOT NULL);`,
];

export const ACCOUNT_GUARD_MIGRATIONS: readonly (readonly [concern: string, Migrations])[] = [
  ["gate", GATE_MIGRATIONS],
  ["removal", REMOVAL_MIGRATIONS],
  ["push", PUSH_MIGRATIONS],
  ["failing", FAILING_MIGRATIONS],
  ["uploads", UPLOAD_MIGRATIONS],
  ["notices", NOTICE_MIGRATIONS],
  ["owed_link", OWED_MAIL_MIGRATIONS],
  ["callers", CALLER_MIGRATIONS],
];

export const ACCOUNT_GUARD_TIMES: readonly TimeColumn[] = [...GATE_TIMES, ...PUSH_TIMES, ...NOTICE_TIMES, ...OWED_MAIL_TIMES];
