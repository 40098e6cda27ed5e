// The rounds in which bridges check the proxies (docs/operations.md, "Proxies"). What the checks say is written to D1; here is only when the
// next round begins.
import { type Env, settingsOf } from "../../src/env.ts";
import { bindTicket, boundTicket, makeExitTicket } from "../../src/domain/keys/bridge-credential.ts";
import { errorFields, log } from "../../src/log.ts";
import type { ToBridgeControl } from "../../src/protocol/bridge-socket.ts";
import { PROXY_CHECK_TIMEOUT_MS, type ProxyCheck, type ProxyCheckResult } from "../../src/protocol/bridge/proxy-checks.ts";
import { type CheckedProxy, type DueCheck, proxiesToCheck, proxyToCheck, recordChecks } from "../../src/services/proxies/checks.ts";
import { sendProxyNotices } from "../../src/services/proxies/notices.ts";

/** Proxies read from D1 at once. */
const PAGE = 200;
/** Results written to D1 at once, of different proxies. */
const WRITE_BATCH = 50;
/** People told at once, and how often in one go: the rest is told in the next round. */
const PEOPLE_BATCH = 20;
const MAX_PEOPLE_BATCHES = 60;
/** How long somebody who asked for a check waits for the bridge: longer than the check may take. */
const ANSWER_TIMEOUT_MS = PROXY_CHECK_TIMEOUT_MS + 10_000;
const JUDGE_TIMEOUT_MS = 8_000;

/** In place of a proxy's id: an address that is none yet. */
const JUDGED = "judged";

type Dependencies = {
  env: Env;
  sql: SqlStorage;
  intervalMs: number;
  /** The bridges that can be asked now. */
  bridges(): readonly string[];
  /** False when the bridge's socket is not here. */
  send(bridge: string, frame: ToBridgeControl): boolean;
};

type Round = { next_at: number; rounds: number };

export class ProxyChecks {
  readonly #deps: Dependencies;
  /** Who waits for a check, by its name; nobody does for those of a round. */
  readonly #waiting = new Map<string, (result: ProxyCheckResult | null) => void>();
  /** Of this round and manual checks since. */
  readonly #answered = new Set<string>();
  readonly #unwritten: CheckedProxy[] = [];
  #writing: Promise<void> | null = null;
  #sending = false;
  #nextAt: number;
  #rounds: number;

  constructor(deps: Dependencies) {
    this.#deps = deps;
    // The first round is stored as well: an object that starts again must not put it off.
    deps.sql.exec("INSERT OR IGNORE INTO proxy_round (one, next_at, rounds) VALUES (1, ?, 0)", Date.now() + deps.intervalMs);
    const { next_at, rounds } = deps.sql.exec<Round>("SELECT next_at, rounds FROM proxy_round").one();
    this.#nextAt = next_at;
    this.#rounds = rounds;
  }

  /** Unix ms; null while no bridge can be asked. */
  nextDue(): number | null {
    return this.#deps.bridges().length === 0 ? null : this.#nextAt;
  }

  /** Starts a round that is due, without awaiting it. */
  run(now: number): void {
    if (this.#nextAt > now || this.#deps.bridges().length === 0) return;
    const { intervalMs, sql } = this.#deps;
    this.#rounds += 1;
    this.#answered.clear();
    // In step with the rounds before, unless they have stopped for long.
    this.#nextAt = Math.max(this.#nextAt + intervalMs, now + intervalMs / 2);
    sql.exec("UPDATE proxy_round SET next_at = ?, rounds = ?", this.#nextAt, this.#rounds);
    void this.#round(now).catch((error: unknown) => log("proxy.round_failed", errorFields(error)));
    void this.#sendNotices(now);
  }

  /**
   * What a bridge says of a check: also of one that was asked before this object started again, but only of one that this bridge was asked,
   * and once.
   */
  answered(bridge: string, check: string, result: ProxyCheckResult, now: number): void {
    const name = boundTicket(settingsOf(this.#deps.env).BRIDGE_SECRET, check, bridge);
    const { id, revision, round } = /^(?<id>[^.]+)\.(?<revision>\d+)\.(?<round>\d+)(\.|$)/.exec(name ?? "")?.groups ?? {};
    if (id === undefined || Number(round) < this.#rounds - 1 || this.#answered.has(check)) return;
    this.#answered.add(check);
    const waiting = this.#waiting.get(check);
    if (id === JUDGED) {
      waiting?.(result);
      return;
    }
    this.#unwritten.push({ id, revision: Number(revision), result });
    void this.#write(now).then(() => waiting?.(result));
  }

  /** Checks one proxy now; its health is in D1 then. False when no bridge has answered, or there is no such proxy. */
  async check(id: string, now: number): Promise<boolean> {
    const due = await proxyToCheck(this.#deps.env, id, now);
    if (due === null) return false;
    const check = this.#ask(due, `.${crypto.randomUUID()}`, this.#rounds, now);
    return check !== null && (await this.#waitFor(check, ANSWER_TIMEOUT_MS)) !== null;
  }

  /** Where the host of the address leads, as a bridge sees it; null when none has answered. */
  judge(url: string): Promise<ProxyCheckResult | null> {
    const due = { id: JUDGED, revision: 0, url, exit: false };
    const check = this.#ask(due, `.${crypto.randomUUID()}`, this.#rounds, Date.now(), "address");
    return check === null ? Promise.resolve(null) : this.#waitFor(check, JUDGE_TIMEOUT_MS);
  }

  /** Each proxy is asked of another bridge in each round, so that one that has no internet makes no proxy look dead. */
  async #round(now: number): Promise<void> {
    let turn = this.#rounds;
    for (let after = ""; ;) {
      const page = await proxiesToCheck(this.#deps.env, after, PAGE, now);
      for (const due of page) {
        turn += 1;
        this.#ask(due, "", turn, now);
      }
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.id;
    }
  }

  /** The name of the check, which its answer has to bear; null when no bridge can be asked. */
  #ask(
    { id, revision, url, exit }: DueCheck,
    nonce: string,
    turn: number,
    now: number,
    reach: ProxyCheck["reach"] = "network",
  ): string | null {
    const bridges = this.#deps.bridges();
    const bridge = bridges[turn % Math.max(1, bridges.length)];
    if (bridge === undefined) return null;
    const { BRIDGE_SECRET } = settingsOf(this.#deps.env);
    const check = bindTicket(BRIDGE_SECRET, `${id}.${revision}.${this.#rounds}${nonce}`, bridge);
    const exit_ticket = exit ? makeExitTicket(BRIDGE_SECRET, now) : null;
    return this.#deps.send(bridge, { type: "check_proxy", check, url, reach, exit_ticket }) ? check : null;
  }

  /** A bridge that does not answer in time says nothing about the proxy: null. */
  #waitFor(check: string, timeoutMs: number): Promise<ProxyCheckResult | null> {
    const { promise, resolve } = Promise.withResolvers<ProxyCheckResult | null>();
    const timer = setTimeout(() => resolve(null), timeoutMs);
    this.#waiting.set(check, resolve);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(check);
    });
  }

  /** One batch after the other; resolves when everything that had come by now is written. */
  async #write(now: number): Promise<void> {
    while (this.#unwritten.length > 0) {
      this.#writing ??= this.#writeBatch(now).finally(() => {
        this.#writing = null;
      });
      await this.#writing;
    }
    await this.#writing;
  }

  async #writeBatch(now: number): Promise<void> {
    const batch = new Map<string, CheckedProxy>();
    while (batch.size < WRITE_BATCH) {
      const next = this.#unwritten.findIndex(({ id }) => !batch.has(id));
      const [checked] = next === -1 ? [] : this.#unwritten.splice(next, 1);
      if (checked === undefined) break;
      batch.set(checked.id, checked);
    }
    try {
      if (await recordChecks(this.#deps.env.DB, [...batch.values()], now)) void this.#sendNotices(now);
    } catch (error) {
      // The next round checks them again.
      log("proxy.not_recorded", { proxies: batch.size, ...errorFields(error) });
    }
  }

  async #sendNotices(now: number): Promise<void> {
    if (this.#sending) return;
    this.#sending = true;
    try {
      for (let batch = 0; batch < MAX_PEOPLE_BATCHES; batch += 1) {
        if (!(await sendProxyNotices(this.#deps.env, now, PEOPLE_BATCH))) break;
      }
    } catch (error) {
      log("proxy.notices_failed", errorFields(error));
    } finally {
      this.#sending = false;
    }
  }
}
