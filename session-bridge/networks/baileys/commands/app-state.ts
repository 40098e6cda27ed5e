// Changes to what all devices of the account share (contacts, labels, archived chats, …). The library's `chatModify` takes silence and a
// conflict for success, and counts on from a version that the network does not have; this asks the same question and reads the answer.
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
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import { networkCode } from "../session/network-failures.ts";
import { queryNetwork } from "../queries/network-query.ts";
import type { SessionContext } from "../session/session-context.ts";

/** Another device was faster. */
const CONFLICT = 409;
const MAX_ATTEMPTS = 4;
/** Of what is about one message: kind, chat, id, own or not, author. */
const AUTHOR_IN_INDEX = 4;

/**
 * Carries a change out on all devices of the account; `jid` is what it is about ("" for settings). The network does not tell it back:
 * what follows from it here is for the caller to report. Throws the network's refusal. `unavailable` before the phone has shared its key.
 * `author`: who wrote the message of a group that it is about.
 */
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
  // The library always names nobody, and phones would look for such a message in vain.
  if (author !== null) patch.index[AUTHOR_IN_INDEX] = author;
  // The lock under which the library itself reads and writes app state.
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
  const { [name]: current } = await keys.get("app-state-sync-version", [name]);
  const before = current ? ensureLTHashStateVersion(current) : newLTHashState();
  const keyOf = async (id: string) => (await keys.get("app-state-sync-key", [id]))[id];
  const encoded = await encodeSyncdPatch(patch, keyId, before, keyOf);
  const bytes = proto.SyncdPatch.encode(encoded.patch).finish();
  const attrs = { name, version: String(encoded.state.version - 1), return_snapshot: "false" };
  const answer = await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "set", xmlns: "w:sync:app:state" }, [
    { tag: "sync", attrs: {}, content: [{ tag: "collection", attrs, content: [{ tag: "patch", attrs: {}, content: bytes }] }] },
  ]);
  const refusal = getBinaryNodeChild(getBinaryNodeChild(getBinaryNodeChild(answer, "sync"), "collection"), "error");
  if (refusal !== undefined) throw Object.assign(new Error("the change was refused"), { data: Number(refusal.attrs["code"]) });
  await keys.set({ "app-state-sync-version": { [name]: encoded.state } });
}
