// Changes app state. Unlike the library's `chatModify`, this code does not treat a missing response or a conflict as success.
import {
  type ChatModification,
  chatModificationToAppPatch,
  encodeSyncdPatch,
  ensureLTHashStateVersion,
  getBinaryNodeChild,
  newLTHashState,
  proto,
  S_WHATSAPP_NET,
  type WAPatchCreate,
} from "baileys";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { networkCode } from "../session/network-failures.ts";
import { queryNetwork } from "../queries/network-query.ts";
import { outsideSync } from "../socket/app-state-guard.ts";
import type { SessionContext } from "../session/session-context.ts";

const CONFLICT = 409;
const MAX_ATTEMPTS = 4;
const AUTHOR_IN_INDEX = 4;

/** `jid` is the changed chat, or "" for settings. The network does not echo the change, so callers report it. Throws if refused. */
export async function changeAppState(
  ctx: SessionContext,
  change: ChatModification,
  jid: string,
  author: string | null = null,
): Promise<Outcome<Record<string, never>>> {
  const { creds, keys } = ctx.auth;
  const keyId = creds.myAppStateKeyId;
  if (keyId === undefined) return fail("unavailable");
  const patch = chatModificationToAppPatch(change, jid);
  // The library never sets the author, and phones would not find the message without it.
  if (author !== null) patch.index[AUTHOR_IN_INDEX] = author;
  await keys.transaction(() => push(ctx, patch, keyId), creds.me?.id ?? "app-patch");
  return { ok: true, value: {} };
}

async function push(ctx: SessionContext, patch: WAPatchCreate, keyId: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pushOnce(ctx, patch, keyId);
    } catch (error) {
      if (networkCode(error) !== CONFLICT || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

async function pushOnce(ctx: SessionContext, patch: WAPatchCreate, keyId: string): Promise<void> {
  const { keys } = ctx.auth;
  const name = patch.type;
  await ctx.sock.resyncAppState([name], false);
  const { [name]: current } = await outsideSync(() => keys.get("app-state-sync-version", [name]));
  const before = current ? ensureLTHashStateVersion(current) : newLTHashState();
  const keyOf = async (id: string) => (await keys.get("app-state-sync-key", [id]))[id];
  const encoded = await encodeSyncdPatch(patch, keyId, before, keyOf);
  const bytes = proto.SyncdPatch.encode(encoded.patch).finish();
  const attrs = { name, version: String(encoded.state.version - 1), return_snapshot: "false" };
  const reply = await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "set", xmlns: "w:sync:app:state" }, [
    { tag: "sync", attrs: {}, content: [{ tag: "collection", attrs, content: [{ tag: "patch", attrs: {}, content: bytes }] }] },
  ]);
  const refusal = getBinaryNodeChild(getBinaryNodeChild(getBinaryNodeChild(reply, "sync"), "collection"), "error");
  if (refusal !== undefined) throw Object.assign(new Error("the change was refused"), { data: Number(refusal.attrs["code"]) });
  await keys.set({ "app-state-sync-version": { [name]: encoded.state } });
}
