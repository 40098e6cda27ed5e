// The salt for first-contact tokens. If neither history nor app state delivers it, the bridge reads the app-state collection once.
import {
  decodePatches,
  decodeSyncdSnapshot,
  extractSyncdPatches,
  getBinaryNodeChild,
  newLTHashState,
  S_WHATSAPP_NET,
  type BaileysEventMap,
} from "baileys";
import { errorFacts } from "#bridge/log.ts";
import { saltInHistory, saltInLocale } from "../durability/salt-fields.ts";
import { queryNetwork } from "../queries/network-query.ts";
import { perSession } from "../session/per-session.ts";
import type { SessionContext } from "../session/session-context.ts";
import { downloadOptions } from "../session/whole-bodies.ts";

const COLLECTION = "regular_high";
const INDEX = JSON.stringify(["nct_salt_sync"]);
/** This row and the next are deleted together with the credentials. */
const SALT_ROW = "nct-salt|own";
const READ_ROW = "bridge|nct-salt-read";
const READ = "1";
/** The collection contained a salt, so later salts arrive as ordered changes. */
const HAS_SALT = "has-salt";
/** How long a first message waits for the salt. This leaves enough time for the send itself. */
const WAIT_MS = 4_000;
/** Sends stop waiting this long after the first one began to wait, because the salt may never arrive. */
const GIVE_UP_AFTER_MS = 60_000;

const waitsOf = perSession(() => ({ waiting: new Set<() => void>(), since: null as number | null }));

export function saltOfSettings(ctx: SessionContext, { setting, value }: BaileysEventMap["settings.update"]): void {
  if (setting === "locale") keepOfCollection(ctx, saltInLocale(value));
}

/** History must not replace a salt from the collection, because the phone may have encoded the chunk before the salt changed. */
export function saltOfHistory(ctx: SessionContext, set: BaileysEventMap["messaging-history.set"]): void {
  if (knownSalt(ctx) === null || ctx.rows.get(READ_ROW)?.toString() !== HAS_SALT) keep(ctx, saltInHistory(set));
}

export function knownSalt({ rows }: Pick<SessionContext, "rows">): Buffer | null {
  const row = rows.get(SALT_ROW);
  return Buffer.isBuffer(row) ? row : null;
}

export async function waitForSalt(ctx: SessionContext): Promise<void> {
  if (isSettled(ctx)) return;
  const waits = waitsOf(ctx.session);
  waits.since ??= ctx.now();
  if (ctx.now() - waits.since >= GIVE_UP_AFTER_MS) return;
  const { waiting } = waits;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, WAIT_MS);
  waiting.add(resolve);
  await promise;
  waiting.delete(resolve);
  clearTimeout(timer);
}

/** Does nothing before the phone has shared an app-state key. In that case, the salt arrives by itself. */
export function readMissingSalt(ctx: SessionContext): void {
  if (isSettled(ctx) || ctx.auth.creds.myAppStateKeyId === undefined) return;
  const { creds, keys } = ctx.auth;
  void keys
    .transaction(() => readSalt(ctx), creds.me?.id ?? "nct-salt")
    .catch((error: unknown) => ctx.logger.warn(errorFacts(error), "salt.unread"));
}

function isSettled(ctx: SessionContext): boolean {
  return knownSalt(ctx) !== null || ctx.rows.get(READ_ROW) !== undefined;
}

/** Does not change the collection's stored version, because everything else in the collection has already been reported. */
async function readSalt(ctx: SessionContext): Promise<void> {
  const options = downloadOptions(ctx.proxies, ctx.mediaHosts);
  const keyOf = async (id: string) => (await ctx.auth.keys.get("app-state-sync-key", [id]))[id];
  for (let state = newLTHashState(), hasMore = true; hasMore;) {
    const attrs = { name: COLLECTION, version: String(state.version), return_snapshot: String(state.version === 0) };
    const reply = await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "set", xmlns: "w:sync:app:state" }, [
      { tag: "sync", attrs: {}, content: [{ tag: "collection", attrs }] },
    ]);
    const refusal = getBinaryNodeChild(getBinaryNodeChild(getBinaryNodeChild(reply, "sync"), "collection"), "error");
    if (refusal !== undefined) throw Object.assign(new Error("the collection was refused"), { data: Number(refusal.attrs["code"]) });
    const { patches, snapshot, hasMorePatches } = (await extractSyncdPatches(reply, options))[COLLECTION];
    if (snapshot) {
      const decoded = await decodeSyncdSnapshot(COLLECTION, snapshot, keyOf, undefined);
      state = decoded.state;
      keepOfCollection(ctx, saltIn(decoded.mutationMap));
    }
    if (patches.length > 0) {
      const decoded = await decodePatches(COLLECTION, patches, state, keyOf, options);
      state = decoded.state;
      keepOfCollection(ctx, saltIn(decoded.mutationMap));
    }
    hasMore = hasMorePatches && patches.length > 0;
  }
  if (ctx.rows.get(READ_ROW) === undefined) ctx.rows.put(READ_ROW, READ);
  endWaits(ctx);
}

type Mutations = Awaited<ReturnType<typeof decodePatches>>["mutationMap"];

function saltIn(mutations: Mutations): Buffer | null {
  return saltInLocale(mutations[INDEX]?.syncAction.value?.localeSetting?.locale);
}

function keepOfCollection(ctx: SessionContext, salt: Buffer | null): void {
  if (salt === null) return;
  ctx.rows.put(READ_ROW, HAS_SALT);
  keep(ctx, salt);
}

function keep(ctx: SessionContext, salt: Buffer | null): void {
  if (salt === null || knownSalt(ctx)?.equals(salt)) return;
  ctx.rows.put(SALT_ROW, salt);
  endWaits(ctx);
}

function endWaits({ session }: SessionContext): void {
  for (const end of waitsOf(session).waiting) end();
}
