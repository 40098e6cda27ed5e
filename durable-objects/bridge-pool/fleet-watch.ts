// Watches the fleet through its bridges' reports: raises and clears alarms, and batches emails about them.
import { type Alarm, AWAY, type BridgeReport, CONTAINER, judge, nameOf, type Signal, signalsOf } from "@gateway/domain/fleet/alarms.ts";
import { alarmMail, outageMail, rejectedMail } from "@gateway/domain/fleet/mails.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { errorFields, log } from "#root/src/log.ts";
import type { FromBridgeControl, Trouble } from "@gateway/protocol/bridge-socket.ts";
import { DEFAULT_POOL } from "@gateway/protocol/internal-http.ts";
import { MINUTE_MS, earliest } from "@gateway/protocol/units.ts";
import { type MailClaim, poolOf } from "#root/src/services/bridges/pool-stub.ts";
import { activeAdministrators, ownersOfAway } from "#root/src/services/fleet/people.ts";
import { alarmEvent } from "./alarm-webhook.ts";
import type { StoredTimes } from "../shared/stored-times.ts";
import { ADMINISTRATORS, type FleetMails } from "./fleet-mails.ts";
import { readNumber } from "../shared/read-number.ts";

/** Bridges report every few seconds, but alarms are evaluated at most this often. */
const JUDGE_INTERVAL_MS = 5_000;
/** Events within this time share one email. Administrators get at most one email per `MAIL_INTERVAL_MS`. */
const GATHER_MS = 30_000;
const MAIL_INTERVAL_MS = 10 * MINUTE_MS;
/** Delay for emails to owners, because the numbers hit by an outage do not all complete their hour offline at the same time. */
const OUTAGE_GATHER_MS = 10 * MINUTE_MS;
const RETRY_MS = MINUTE_MS;

type AlarmRow = { kind: string; code: string; sessions: number; raised_at: number; below_since: number | null; mail: MailState };
type MailState = "raised" | "over" | "none";

type Dependencies = {
  env: Env;
  sql: SqlStorage;
  times: StoredTimes;
  mails: FleetMails;
  pool: string;
  rearm: () => void;
};

export class FleetWatch {
  readonly #env: Env;
  readonly #sql: SqlStorage;
  readonly #times: StoredTimes;
  readonly #mails: FleetMails;
  readonly #pool: string;
  readonly #rearm: () => void;
  /** The latest report from each bridge. Kept in memory, because bridges repeat their report within seconds. */
  readonly #reports = new Map<string, BridgeReport>();
  /** Containers replaced because their bridges did not connect, each with the number of sessions waiting at that time. */
  readonly #replaced = new Map<string, number>();
  #judgedAt = 0;
  #isMailing = false;
  #mailAt: number | null | undefined;

  constructor({ env, sql, times, mails, pool, rearm }: Dependencies) {
    this.#pool = pool;
    this.#env = env;
    this.#sql = sql;
    this.#times = times;
    this.#mails = mails;
    this.#rearm = rearm;
  }

  reported(bridge: string, { sessions, away = 0, troubles = [] }: Extract<FromBridgeControl, { type: "load" }>): void {
    this.#reports.set(bridge, { sessions, away, troubles });
  }

  removed(bridge: string): void {
    this.#reports.delete(bridge);
  }

  /** Raises an alarm, which clears some minutes after the bridge has connected. */
  containerReplaced(bridge: string, waiting: number): void {
    this.#replaced.set(bridge, waiting);
    this.#judge(Date.now());
    this.#rearm();
  }

  /** Called every minute with the names of the needed containers. */
  keptContainers(names: readonly string[]): void {
    for (const bridge of this.#replaced.keys()) if (!names.includes(bridge)) this.#replaced.delete(bridge);
  }

  connected(bridge: string): void {
    this.#replaced.delete(bridge);
  }

  reportsOf(bridges: readonly string[]): BridgeReport[] {
    return bridges.flatMap((bridge) => this.#reports.get(bridge) ?? []);
  }

  troubles(): Trouble[] {
    const sums = new Map<string, Trouble>();
    for (const trouble of [...this.#reports.values()].flatMap(({ troubles }) => troubles)) {
      const { total = 0, sessions = 0 } = sums.get(nameOf(trouble)) ?? {};
      sums.set(nameOf(trouble), { ...trouble, total: total + trouble.total, sessions: sessions + trouble.sessions });
    }
    return [...sums.values()].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  away(): number {
    return [...this.#reports.values()].reduce((sum, { away }) => sum + away, 0);
  }

  alarms(): Alarm[] {
    return this.#rows("mail != 'over'").map(alarmOf);
  }

  /** Called when a number was offline for an hour. True if many are: the pool then sends each owner one email about all their numbers. */
  takeAway(connection: string, now: number): boolean {
    if (!this.alarms().some((alarm) => nameOf(alarm) === nameOf(AWAY))) return false;
    this.#sql.exec("INSERT OR IGNORE INTO away_number (connection, at) VALUES (?, ?)", connection, now);
    this.#mailAt = undefined;
    return true;
  }

  nextDue(): number | null {
    if (this.#isMailing) return null;
    if (this.#mailAt === undefined) {
      this.#mailAt = earliest([this.#mailDueAt(), this.#outageDueAt()]);
    }
    return this.#mailAt;
  }

  clockSetBack(): void {
    this.#judgedAt = 0;
    this.#mailAt = undefined;
  }

  run(now: number): void {
    if (now - this.#judgedAt >= JUDGE_INTERVAL_MS) this.#judge(now);
    if (this.#isMailing || (this.nextDue() ?? Number.POSITIVE_INFINITY) > now) return;
    this.#isMailing = true;
    void this.#mailDue(now)
      .catch((error: unknown) => {
        log("fleet.mail_failed", errorFields(error));
        this.#times.set("mailed_at", now - MAIL_INTERVAL_MS + RETRY_MS);
        this.#sql.exec("UPDATE away_number SET at = ?", now - OUTAGE_GATHER_MS + RETRY_MS);
      })
      .finally(() => {
        this.#isMailing = false;
        this.#mailAt = undefined;
        this.#rearm();
      });
  }

  mailRejected(build: string, trouble: string, now: number): void {
    this.#mails.add("fleet_alarm", ADMINISTRATORS, rejectedMail(build, trouble), now);
    this.#mails.run(now);
  }

  #judge(now: number): void {
    this.#judgedAt = now;
    // Without bridges, the state of the fleet is unknown, so no alarm is cleared.
    const isUnknown = this.#reports.size === 0;
    const before = this.alarms().filter(({ kind }) => !isUnknown || kind === CONTAINER);
    if (isUnknown && this.#replaced.size + before.length === 0) return;
    this.#mailAt = undefined;
    const containers = [...this.#replaced].map(([code, sessions]): Signal => ({ kind: CONTAINER, code, sessions, level: 1 }));
    const { alarms, raised, over } = judge([...signalsOf([...this.#reports.values()]), ...containers], before, now);
    for (const { kind, code, sessions, raisedAt, belowSince } of alarms) {
      this.#sql.exec(
        `INSERT INTO fleet_alarm (kind, code, sessions, raised_at, below_since, mail) VALUES (?1, ?2, ?3, ?4, ?5, 'raised')
         ON CONFLICT (kind, code) DO UPDATE SET sessions = ?3, below_since = ?5,
           raised_at = CASE mail WHEN 'over' THEN ?4 ELSE raised_at END, mail = CASE mail WHEN 'over' THEN 'none' ELSE mail END`,
        kind,
        code,
        sessions,
        raisedAt,
        belowSince,
      );
    }
    const total = [...this.#reports.values()].reduce((sum, { sessions }) => sum + sessions, 0);
    for (const { kind, code, sessions } of raised) {
      log("fleet.alarm", { kind, code, sessions, of: total });
      // Cleared when the next outage begins, not when the alarm ends, because emails about this outage may still be due.
      if (nameOf({ kind, code }) === nameOf(AWAY)) this.#sql.exec("DELETE FROM away_owner");
    }
    for (const { kind, code, sessions, raisedAt } of over) {
      log("fleet.alarm_over", { kind, code, sessions, ms: now - raisedAt });
      this.#sql.exec("DELETE FROM fleet_alarm WHERE kind = ? AND code = ? AND mail = 'raised'", kind, code);
      this.#sql.exec("UPDATE fleet_alarm SET mail = 'over' WHERE kind = ? AND code = ?", kind, code);
    }
    if (raised.length + over.length > 0) this.#times.set("changed_at", now);
    if (settingsOf(this.#env).ALARM_WEBHOOK === null) return;
    for (const alarm of raised) this.#post("alarm.raised", alarm, now);
    for (const alarm of over) this.#post("alarm.over", alarm, now);
  }

  #post(type: "alarm.raised" | "alarm.over", alarm: Alarm, now: number): void {
    const { id, body } = alarmEvent(this.#env, type, alarm, this.#pool, now);
    this.#mails.add("alarm_webhook", ADMINISTRATORS, { subject: id, text: body }, now);
  }

  #mailDueAt(): number | null {
    if (this.#rows("mail != 'none'").length === 0) return null;
    return Math.max((this.#times.get("changed_at") ?? 0) + GATHER_MS, (this.#times.get("mailed_at") ?? 0) + MAIL_INTERVAL_MS);
  }

  #outageDueAt(): number | null {
    const at = readNumber(this.#sql, "SELECT min(at) FROM away_number");
    return at === null ? null : at + OUTAGE_GATHER_MS;
  }

  async #mailDue(now: number): Promise<void> {
    if ((this.#mailDueAt() ?? Number.POSITIVE_INFINITY) <= now) await this.#mailAdministrators(now);
    if ((this.#outageDueAt() ?? Number.POSITIVE_INFINITY) <= now) await this.#mailOwners(now);
  }

  async #mailAdministrators(now: number): Promise<void> {
    const people = await activeAdministrators(this.#env.DB);
    const rows = this.#rows("mail != 'none'");
    const alarmsIn = (state: MailState) => rows.filter(({ mail }) => mail === state).map(alarmOf);
    const claimed = await this.#claim({ raised: alarmsIn("raised").map(nameOf), over: alarmsIn("over").map(nameOf), owners: [] });
    const raised = alarmsIn("raised").filter((alarm) => claimed.raised.includes(nameOf(alarm)));
    const over = alarmsIn("over").filter((alarm) => claimed.over.includes(nameOf(alarm)));
    // Updates only these rows, because another alarm may have begun or ended while the emails were being claimed.
    for (const { kind, code, mail } of rows) {
      if (mail === "over") this.#sql.exec("DELETE FROM fleet_alarm WHERE kind = ? AND code = ? AND mail = 'over'", kind, code);
      else this.#sql.exec("UPDATE fleet_alarm SET mail = 'none' WHERE kind = ? AND code = ? AND mail = 'raised'", kind, code);
    }
    this.#times.set("mailed_at", now);
    if (raised.length + over.length === 0) return;
    for (const person of people) this.#mails.add("fleet_alarm", person, alarmMail(raised, over), now);
  }

  /** Returns the emails that this pool has to send. If the default pool cannot be reached, these are all of them. */
  async #claim(claim: Omit<MailClaim, "pool">): Promise<Omit<MailClaim, "pool">> {
    if (this.#pool === DEFAULT_POOL && settingsOf(this.#env).POOL_SHARDS.length === 0) return claim;
    try {
      return await poolOf(this.#env, null).claimMails({ pool: this.#pool, ...claim });
    } catch (error) {
      log("pool.unreachable", { pool: DEFAULT_POOL, ...errorFields(error) });
      return claim;
    }
  }

  /** Each owner gets one email per outage, even if more of their numbers follow. */
  async #mailOwners(now: number): Promise<void> {
    const numbers = this.#sql.exec<{ connection: string }>("SELECT connection FROM away_number").toArray();
    const away = numbers.map(({ connection }) => connection);
    const owners = await ownersOfAway(this.#env.DB, away);
    const isMailed = (owner: string) => this.#sql.exec("SELECT 1 FROM away_owner WHERE owner = ?", owner).toArray().length > 0;
    const claimed = await this.#claim({ raised: [], over: [], owners: [...owners.keys()].filter((owner) => !isMailed(owner)) });
    for (const owner of claimed.owners) {
      this.#sql.exec("INSERT OR IGNORE INTO away_owner (owner) VALUES (?)", owner);
      this.#mails.add("numbers_away", owner, outageMail(owners.get(owner) ?? []), now);
    }
    this.#sql.exec("DELETE FROM away_number WHERE connection IN (SELECT value FROM json_each(?))", JSON.stringify(away));
  }

  #rows(which: string): AlarmRow[] {
    return this.#sql.exec<AlarmRow>(`SELECT * FROM fleet_alarm WHERE ${which} ORDER BY raised_at`).toArray();
  }
}

function alarmOf({ kind, code, sessions, raised_at, below_since }: AlarmRow): Alarm {
  return { kind, code, sessions, raisedAt: raised_at, belowSince: below_since };
}
