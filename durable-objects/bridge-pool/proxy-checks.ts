// Rounds of proxy checks by the bridges (docs/operate/proxies.md, "Proxies"). Results are written to D1.
import { isAhead } from "@gateway/domain/clock-set-back.ts";
import { type Env, settingsOf } from "#root/src/env.ts";
import { bindTicket, boundTicket, makeExitTicket } from "@gateway/domain/keys/bridge-credential.ts";
import { errorFields, log } from "#root/src/log.ts";
import { type ToBridgeControl, PROXY_CHECK_TIMEOUT_MS, type ProxyCheck, type ProxyCheckResult } from "@gateway/protocol/bridge-socket.ts";
import { MINUTE_MS, earliest } from "@gateway/protocol/units.ts";
import type { StoredTimes } from "../shared/stored-times.ts";
import { type CheckedProxy, type DueCheck, proxiesToCheck, proxyToCheck, recordChecks } from "#root/src/services/proxies/checks.ts";
import { sendProxyNotices } from "#root/src/services/proxies/notices.ts";

const PAGE = 200;
const WRITE_BATCH = 50;
/** Email recipients per invocation. Each takes about six of the 1,000 subrequests. The alarm continues with the other recipients. */
const PEOPLE_BATCH = 100;
const NOTICES = "proxy_notices";
const NOTICES_AGAIN_MS = MINUTE_MS;
/** How long a caller waits for a check. This is longer than a check may take. */
const ANSWER_TIMEOUT_MS = PROXY_CHECK_TIMEOUT_MS + 10_000;
const JUDGE_TIMEOUT_MS = 8_000;
/** Maximum duration of a check in a round, including the exit address look-up. */
const MADE_IN_MS = PROXY_CHECK_TIMEOUT_MS + 5_000;
/** Time for the result to arrive, so that a check ends before the next round begins. */
const LATENCY_MS = 5_000;

/** Placeholder id for checking a URL that is not a stored proxy. */
const JUDGED = "judged";

type Dependencies = {
  env: Env;
  sql: SqlStorage;
  times: StoredTimes;
  intervalMs: number;
  isShared: boolean;
  bridges(): readonly string[];
  send(bridge: string, frame: ToBridgeControl): boolean;
  recorded(): void;
  rearm(): void;
};

type Round = { next_at: number; rounds: number };
type Askable = Omit<DueCheck, "checkedAt">;
type Wanted = { startWithinMs: number; urgent: boolean; reach: ProxyCheck["reach"] };
type Unwritten = { checked: CheckedProxy; written(): void };

export class ProxyChecks {
  readonly #deps: Dependencies;
  readonly #waiting = new Map<string, (result: ProxyCheckResult | null) => void>();
  /** Completed checks and their deadlines, so that a second result for the same check is ignored. */
  readonly #answered = new Map<string, number>();
  /** Checks in progress and their deadlines, keyed by proxy. */
  readonly #asked = new Map<string, { check: string; until: number }>();
  readonly #unwritten: Unwritten[] = [];
  #writing = false;
  #sending = false;
  #moreNotices = false;
  readonly #startWithinMs: number;
  #nextAt: number;
  #rounds: number;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.#startWithinMs = Math.max(deps.intervalMs / 2, deps.intervalMs - MADE_IN_MS - LATENCY_MS);
    // The next round's time is stored, so that a restart does not delay it. Shards start at random times and skip recently checked proxies.
    const later = deps.isShared ? Math.random() * deps.intervalMs : 0;
    deps.sql.exec(
      "INSERT OR IGNORE INTO proxy_round (one, next_at, rounds) VALUES (1, ?, 0)",
      Math.round(Date.now() + deps.intervalMs + later),
    );
    const { next_at, rounds } = this.#readRound();
    this.#nextAt = next_at;
    this.#rounds = rounds;
  }

  nextDue(): number | null {
    return earliest([this.#deps.bridges().length === 0 ? null : this.#nextAt, this.#deps.times.get(NOTICES)]);
  }

  clockSetBack(): void {
    this.#nextAt = this.#readRound().next_at;
    this.#asked.clear();
  }

  #readRound(): Round {
    return this.#deps.sql.exec<Round>("SELECT next_at, rounds FROM proxy_round").one();
  }

  /** Starts a due round and continues with pending emails, without awaiting either. */
  run(now: number): void {
    if ((this.#deps.times.get(NOTICES) ?? Number.POSITIVE_INFINITY) <= now) void this.#sendNotices(now);
    if (this.#nextAt > now || this.#deps.bridges().length === 0) return;
    const { intervalMs, sql } = this.#deps;
    this.#rounds += 1;
    for (const [check, until] of this.#answered) if (until <= now) this.#answered.delete(check);
    for (const [id, { until }] of this.#asked) if (until <= now) this.#asked.delete(id);
    this.#nextAt = Math.max(this.#nextAt + intervalMs, now + intervalMs / 2);
    sql.exec("UPDATE proxy_round SET next_at = ?, rounds = ?", this.#nextAt, this.#rounds);
    void this.#round(now).catch((error: unknown) => log("proxy.round_failed", errorFields(error)));
    void this.#sendNotices(now);
  }

  /** Accepts one result per check, and only from the bridge that was asked, even if an earlier instance of the pool asked it. */
  answered(bridge: string, check: string, result: ProxyCheckResult, now: number): void {
    const name = boundTicket(settingsOf(this.#deps.env).BRIDGE_SECRET, check, bridge);
    const { id, revision, until, nonce } =
      /^(?<id>[^.]+)\.(?<revision>\d+)\.(?<until>\d+)(\.(?<nonce>.+))?$/.exec(name ?? "")?.groups ?? {};
    if (id === undefined || this.#answered.has(check)) return;
    const asked = nonce === undefined ? this.#asked.get(id)?.check : undefined;
    // Ignores late results and checks replaced by a newer one.
    if (asked === undefined ? Number(until) <= now : asked !== check) return;
    if (asked !== undefined) this.#asked.delete(id);
    const waiting = this.#waiting.get(check);
    this.#answered.set(check, Number(until));
    if (id === JUDGED) {
      waiting?.(result);
      return;
    }
    const unwritten = { checked: { id, revision: Number(revision), result }, written: () => waiting?.(result) };
    if (waiting === undefined) this.#unwritten.push(unwritten);
    else this.#unwritten.unshift(unwritten);
    void this.#write();
  }

  /** Checks one proxy now and writes its health to D1. Returns false if no bridge responded or the proxy does not exist. */
  async check(id: string, now: number): Promise<boolean> {
    const due = await proxyToCheck(this.#deps.env, id, now);
    return due !== null && (await this.#askNow(due, "network", ANSWER_TIMEOUT_MS, now)) !== null;
  }

  /** Asks a bridge whether the proxy URL's host resolves to an allowed address. Null if no bridge responded. */
  judge(url: string): Promise<ProxyCheckResult | null> {
    return this.#askNow({ id: JUDGED, revision: 0, url, exit: false }, "address", JUDGE_TIMEOUT_MS, Date.now());
  }

  /** Starts with the proxies checked longest ago. Bridges take turns, so that one without internet access cannot mark a proxy down. */
  async #round(now: number): Promise<void> {
    const dues: DueCheck[] = [];
    const { intervalMs, isShared } = this.#deps;
    const before = isShared ? now - intervalMs / 2 : Number.POSITIVE_INFINITY;
    for (let after = ""; ;) {
      const page = await proxiesToCheck(this.#deps.env, after, PAGE, now);
      for (const due of page) {
        // Ignores a time in the future. Such a time remains if the clock is set back after a check.
        const checkedAt = due.checkedAt === null || isAhead(due.checkedAt, 0, now) ? null : due.checkedAt;
        if (!this.#asked.has(due.id) && (checkedAt ?? 0) <= before) dues.push({ ...due, checkedAt });
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) break;
      after = last.id;
    }
    const wanted = { startWithinMs: this.#startWithinMs, urgent: false, reach: "network" } as const;
    const until = now + this.#startWithinMs + MADE_IN_MS;
    let index = this.#rounds;
    for (const due of dues.toSorted((one, other) => (one.checkedAt ?? 0) - (other.checkedAt ?? 0))) {
      index += 1;
      const check = this.#ask(due, `${until}`, index, wanted, now);
      if (check !== null) this.#asked.set(due.id, { check, until });
    }
  }

  async #askNow(due: Askable, reach: ProxyCheck["reach"], timeoutMs: number, now: number): Promise<ProxyCheckResult | null> {
    const wanted = { startWithinMs: timeoutMs, urgent: true, reach };
    const check = this.#ask(due, `${now + timeoutMs}.${crypto.randomUUID()}`, this.#rounds, wanted, now);
    return check === null ? null : this.#waitFor(check, timeoutMs);
  }

  /** Returns the check's name, or null if no bridge is available. `until` is the deadline for the result (Unix ms). */
  #ask({ id, revision, url, exit }: Askable, until: string, index: number, { startWithinMs, urgent, reach }: Wanted, now: number) {
    const bridges = this.#deps.bridges();
    const bridge = bridges[index % Math.max(1, bridges.length)];
    if (bridge === undefined) return null;
    const { BRIDGE_SECRET } = settingsOf(this.#deps.env);
    const check = bindTicket(BRIDGE_SECRET, `${id}.${revision}.${until}`, bridge);
    const exit_ticket = exit ? makeExitTicket(BRIDGE_SECRET, now) : null;
    const frame = { type: "check_proxy", check, url, reach, exit_ticket, start_within_ms: startWithinMs, urgent } as const;
    return this.#deps.send(bridge, frame) ? check : null;
  }

  /** Returns null if the bridge does not respond in time, which proves nothing about the proxy. */
  #waitFor(check: string, timeoutMs: number): Promise<ProxyCheckResult | null> {
    const { promise, resolve } = Promise.withResolvers<ProxyCheckResult | null>();
    const timer = setTimeout(() => resolve(null), timeoutMs);
    this.#waiting.set(check, resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(check);
    });
  }

  async #write(): Promise<void> {
    if (this.#writing) return;
    this.#writing = true;
    while (this.#unwritten.length > 0) await this.#writeBatch(Date.now());
    this.#writing = false;
  }

  async #writeBatch(now: number): Promise<void> {
    const batch = new Map<string, Unwritten>();
    while (batch.size < WRITE_BATCH) {
      const next = this.#unwritten.findIndex(({ checked }) => !batch.has(checked.id));
      const [taken] = next === -1 ? [] : this.#unwritten.splice(next, 1);
      if (taken === undefined) break;
      batch.set(taken.checked.id, taken);
    }
    const results = [...batch.values()];
    try {
      const checked = results.map((one) => one.checked);
      if (await recordChecks(this.#deps.env.DB, checked, now)) void this.#sendNotices(now);
      this.#deps.recorded();
    } catch (error) {
      log("proxy.not_recorded", { proxies: batch.size, ...errorFields(error) });
    }
    for (const one of results) one.written();
  }

  /** Runs again a minute later if the pool is evicted or D1 fails. */
  async #sendNotices(now: number): Promise<void> {
    const { env, times } = this.#deps;
    times.set(NOTICES, now + NOTICES_AGAIN_MS);
    this.#moreNotices = this.#sending;
    if (this.#sending) return this.#deps.rearm();
    this.#sending = true;
    try {
      const isMore = await sendProxyNotices(env, now, PEOPLE_BATCH);
      if (isMore || this.#moreNotices) times.set(NOTICES, Date.now());
      else times.delete(NOTICES);
    } catch (error) {
      log("proxy.notices_failed", errorFields(error));
    } finally {
      this.#sending = false;
      this.#deps.rearm();
    }
  }
}
