// The Connection object with methods for moves. Only the worker for moves contains it (docs/operate/moving.md, "To and from the edge").
import { fromBase64, toBase64 } from "@gateway/domain/base64.ts";
import { wantsSession } from "@gateway/domain/instance/state.ts";
import { currentSecret } from "@gateway/domain/keys/secrets.ts";
import {
  awayOf,
  changeState,
  hasMoved,
  holdsConnection,
  lastDeparture,
  makeTombstone,
  makeMovingCopy,
  stateOf,
} from "@gateway/domain/moving/moved-object.ts";
import { ACCOUNT_ROWS } from "@gateway/domain/moving/account-rows.ts";
import { type Departing, departing, refusalOf } from "@gateway/domain/moving/departing.ts";
import { linesIn, linesOf, type ObjectDatabase, PARTS, toParts, rebuild } from "@gateway/domain/moving/object-database.ts";
import { addWaitingRows, waitingRows } from "@gateway/domain/moving/waiting-rows.ts";
import { Connection as ProductionConnection } from "../../durable-objects/connection/connection.ts";
import { MIGRATIONS } from "../../durable-objects/connection/schema.ts";
import { type Env, settingsOf } from "../env.ts";
import { derivedKey, Vault } from "../services/secrets/vault.ts";

export const KNOWN_SCHEMA: ReadonlyMap<string, number> = new Map(MIGRATIONS.map(([concern, { length }]) => [concern, length]));

export const IN_USE = "the number is being paired at that gateway; disconnect it there first";

const END_WITHIN_MS = 20_000;
const ASK_AGAIN_MS = 100;

/** `key` is in base64. */
export type DataKey = { name: string; key: string };
/** `away` is the move that took the connection away from here. */
export type Whereabouts = { away: { id: string; target: string } | null; isUsed: boolean; hasSession: boolean; parts: number };
export type Arrival = { uuid: string; id: string; parts: number; keys: readonly DataKey[] };
type Done = { ok: true } | { ok: false; problem: string };

export class Connection extends ProductionConnection {
  readonly #storage: DurableObjectStorage;
  readonly #object: ObjectDatabase;
  readonly #secrets: ReturnType<typeof settingsOf>["STATE_SECRET"];

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#storage = ctx.storage;
    this.#object = databaseOf(ctx.storage.sql);
    this.#secrets = settingsOf(env).STATE_SECRET;
  }

  whereabouts(): Whereabouts {
    const parts = this.#hasParts() ? Number(this.#object.prepare(`SELECT count(*) AS parts FROM ${PARTS}`).get()?.["parts"]) : 0;
    return { away: awayOf(this.#object), isUsed: holdsConnection(this.#object), hasSession: this.#mayHaveSession(), parts };
  }

  hasArrived(id: string): boolean {
    return hasMoved(this.#object, id);
  }

  putPart(number: number, bytes: Uint8Array): void {
    this.#object.exec(`CREATE TABLE IF NOT EXISTS ${PARTS} (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL)`);
    this.#object.prepare(`INSERT OR REPLACE INTO ${PARTS} (number, bytes) VALUES (?, ?)`).run(number, bytes);
  }

  part(number: number): Uint8Array | null {
    const row = this.#hasParts() ? this.#object.prepare(`SELECT bytes FROM ${PARTS} WHERE number = ?`).get(number) : undefined;
    return row === undefined ? null : new Uint8Array(row["bytes"] as ArrayBuffer);
  }

  dropParts(): void {
    this.#object.exec(`DROP TABLE IF EXISTS ${PARTS}`);
  }

  /** Returns false if the connection has arrived. Otherwise deletes its parts, so that an arrival that is still in progress finds none. */
  cancel(id: string, moves: readonly string[]): boolean {
    if (hasMoved(this.#object, id)) return false;
    const away = lastDeparture(this.#object);
    // If the connection has since left this gateway, the stored parts belong to that move and are kept.
    if (away === null || moves.includes(away.id)) this.dropParts();
    return true;
  }

  /** Removes nothing while this object holds the possibly only copy of a connection that left. The watchdog tries again later. */
  override remove(): void {
    if (!this.#holdsCopy()) super.remove();
  }

  override async wipe(): Promise<void> {
    if (!this.#holdsCopy()) await super.wipe();
  }

  /** Returns the name and the settings, which D1 no longer has after the connection was deleted. */
  described(): { name: string; settings: string } {
    const { name = "", settings = {} } = this.record ?? {};
    return { name, settings: JSON.stringify(settings) };
  }

  /** Call it only after checking that the object is free. If the arrival succeeds, the object restarts, and the call therefore fails. */
  arrive({ uuid, id, parts, keys }: Arrival): Promise<Done> {
    return this.#changed(() => {
      if (this.#mayHaveSession()) throw new Error(IN_USE);
      const away = awayOf(this.#object);
      const waiting = away === null ? [] : waitingRows(this.#object);
      rebuild(this.#object, linesIn(this.#parts(parts)));
      if (!hasMoved(this.#object, id)) throw new Error("the connection arrived without this move");
      // Refuses a copy that was made before the connection last left this gateway.
      if (away !== null && (away.id === id || !hasMoved(this.#object, away.id)))
        throw new Error("the connection has moved on since; move it from the gateway that has it now");
      const refused = refusalOf(departing(this.#object, null), KNOWN_SCHEMA);
      if (refused !== null) throw new Error(refused);
      addWaitingRows(this.#object, waiting);
      const { kid, secret } = currentSecret(this.#secrets);
      const vault = new Vault(derivedKey(secret, uuid, "data keys"));
      const insert = this.#object.prepare("INSERT OR REPLACE INTO data_key (name, kid, sealed) VALUES (?, ?, ?)");
      for (const { name, key } of keys) insert.run(name, kid, vault.sealBytes(fromBase64(key), name));
      this.dropParts();
    });
  }

  departing(): Departing {
    return departing(this.#object, this.#storage.sql.databaseSize);
  }

  /** Ends the session, then removes the connection in one step. If that succeeds, the object restarts, and the call therefore fails. */
  async depart(id: string, target: string): Promise<Done> {
    const before = stateOf(this.#object);
    const { record } = this;
    if (before === null || record === null) return { ok: false, problem: "the gateway does not have the connection" };
    const earlier = lastDeparture(this.#object);
    if (earlier !== null && this.#holdsCopy()) {
      const problem = `the number was paired here again before ${earlier.target} had it: log it out here, and complete that move first`;
      return { ok: false, problem };
    }
    const lastDelivery = Number(this.#object.prepare("SELECT max(seq) AS last FROM delivery").get()?.["last"] ?? 0);
    // Treated like a suspension. If the move fails, the session starts again once the record says that the account is not suspended.
    this.configure({ ...record, owner_suspended: true });
    const until = Date.now() + END_WITHIN_MS;
    while (this.#mayHaveSession() && Date.now() < until) await scheduler.wait(ASK_AGAIN_MS);
    const departed = await this.#changed(() => {
      if (this.#mayHaveSession()) throw new Error("the session has not ended; repeat the command");
      this.#dropSuspensionNotices(lastDelivery);
      makeMovingCopy(this.#object, id, Date.now());
      if (wantsSession(before)) {
        this.#object.exec("UPDATE identity SET record = json_set(record, '$.owner_suspended', json('false'))");
        changeState(this.#object, (state) => ({ ...state, ...WANTING, suspended: false, held: false, announced: before.announced }));
      }
      this.dropParts();
      let number = 0;
      for (const part of toParts(linesOf(this.#object, ACCOUNT_ROWS))) this.putPart(number++, part);
      makeTombstone(this.#object, { id, target }, Date.now());
    });
    if (departed.ok) return departed;
    this.#dropSuspensionNotices(lastDelivery);
    this.configure(record);
    return departed;
  }

  /** Deliveries wait during the suspension, so no customer has been notified of it yet. */
  #dropSuspensionNotices(lastDelivery: number): void {
    const text = "coalesce(text, (SELECT text FROM body WHERE body.seq = delivery.body))";
    const notices = `seq > ? AND ${text} LIKE '%"account_suspended"%'`;
    this.#object.prepare(`DELETE FROM delivery WHERE ${notices}`).run(lastDelivery);
  }

  dataKeys(uuid: string): DataKey[] {
    const rows = this.#object.prepare("SELECT name, kid, sealed FROM data_key").all();
    return rows.map(({ name, kid, sealed }) => {
      const secret = this.#secrets.get(Number(kid));
      if (secret === undefined) throw new Error(`STATE_SECRET: entry ${String(kid)} is missing`);
      const vault = new Vault(derivedKey(secret, uuid, "data keys"));
      return { name: String(name), key: toBase64(vault.openBytes(new Uint8Array(sealed as ArrayBuffer), String(name))) };
    });
  }

  #mayHaveSession(): boolean {
    const state = stateOf(this.#object);
    if (state !== null && wantsSession(state)) return true;
    const bridge = this.#object.prepare("SELECT bridge FROM progress").get()?.["bridge"];
    return typeof bridge === "string" && this.isHostedBy(bridge);
  }

  /** Nothing else runs between the change and the restart, so nothing can write an earlier state back. */
  #changed(change: () => void): Promise<Done> {
    return this.ctx.blockConcurrencyWhile(async () => {
      try {
        this.#storage.transactionSync(change);
      } catch (error) {
        return { ok: false, problem: (error as Error).message };
      }
      await this.#storage.setAlarm(Date.now());
      await this.#storage.sync();
      this.ctx.abort("the connection has moved");
      return { ok: true };
    });
  }

  *#parts(count: number): Generator<Uint8Array> {
    for (let number = 0; number < count; number++) {
      const part = this.part(number);
      if (part === null) throw new Error(`part ${number} is missing; repeat the command`);
      yield part;
    }
  }

  #holdsCopy(): boolean {
    return this.#hasParts() && lastDeparture(this.#object) !== null;
  }

  #hasParts(): boolean {
    return this.#object.prepare("SELECT 1 FROM sqlite_master WHERE name = ?").get(PARTS) !== undefined;
  }
}

const WANTING = { status: "connecting", reason: "moving", lease: { phase: "detached", since: 0 } } as const;

function databaseOf(sql: SqlStorage): ObjectDatabase {
  return {
    exec: (text) => sql.exec(text),
    prepare: (text) => ({
      get: (...values) => sql.exec(text, ...values).toArray()[0],
      all: (...values) => sql.exec(text, ...values).toArray(),
      iterate: (...values) => sql.exec(text, ...values),
      run: (...values) => sql.exec(text, ...values),
    }),
  };
}
