// App state of chats, labels and contacts. The server stores encrypted patches; the phone owns the key.
import {
  BufferJSON,
  chatModificationToAppPatch,
  decodePatches,
  encodeSyncdPatch,
  extractSyncdPatches,
  newLTHashState,
  proto,
  type ChatModification,
  type LTHashState,
  type WAPatchCreate,
  type WAPatchName,
} from "baileys";
import pino from "pino";
import { child, node, SERVER } from "../node.ts";
import { applyMutation, labelledChat } from "./app-state-effects.ts";
import { keyById, keyFor } from "./app-state-keys.ts";
import type { PhoneDependencies } from "./dependencies.ts";
import { saltChange } from "./privacy-tokens.ts";

const silent = pino({ level: "silent" });
const MAX_TRIES = 5;

export async function changeAppState(phone: PhoneDependencies, change: ChatModification, jid: string): Promise<void> {
  const patch = chatModificationToAppPatch(change, jid);
  if (patch.index[0] === "label_jid") patch.index[2] = labelledChat(phone, jid);
  await pushAppState(phone, patch);
}

export async function shareSalt(phone: PhoneDependencies): Promise<void> {
  const change = saltChange(phone);
  if (change !== null) await pushAppState(phone, change);
}

async function pushAppState(phone: PhoneDependencies, patch: WAPatchCreate): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    await pullAppState(phone, patch.type);
    if (await push(phone, patch)) {
      phone.commit(() => applyMutation(phone, patch.syncAction, patch.index));
      return;
    }
  }
  throw new Error(`app state ${patch.type} kept changing under the phone`);
}

export async function pullAppState(phone: PhoneDependencies, name: WAPatchName): Promise<void> {
  const state = collectionState(phone, name);
  const reply = sync(phone, name, state.version);
  const patches = (await extractSyncdPatches(reply, {}))[name]?.patches ?? [];
  if (patches.length === 0) return;
  const decoded = await decodePatches(name, patches, state, async (id) => keyById(phone, id), {}, state.version, silent, true);
  phone.commit(() => {
    saveCollection(phone, name, decoded.state);
    for (const mutation of Object.values(decoded.mutationMap)) applyMutation(phone, mutation.syncAction.value, mutation.index);
  });
}

async function push(phone: PhoneDependencies, patch: WAPatchCreate): Promise<boolean> {
  const before = collectionState(phone, patch.type);
  const { id, data } = keyFor(phone, patch.type);
  const encoded = await encodeSyncdPatch(patch, id, before, async () => data);
  const reply = sync(phone, patch.type, before.version, proto.SyncdPatch.encode(encoded.patch).finish());
  const collection = child(child(reply, "sync"), "collection");
  if (!collection || collection.attrs["type"] === "error" || child(collection, "error")) return false;
  // After a crash, a phone ahead of the server could never push again.
  await phone.link.durable();
  phone.commit(() => saveCollection(phone, patch.type, encoded.state));
  return true;
}

function sync(phone: PhoneDependencies, name: WAPatchName, version: number, patch?: Uint8Array) {
  const content = patch ? [node("patch", {}, patch)] : undefined;
  return phone.link.request(
    node("iq", { to: SERVER, type: "set", xmlns: "w:sync:app:state", id: phone.link.nextId() }, [
      node("sync", {}, [node("collection", { name, version: String(version), return_snapshot: "false" }, content)]),
    ]),
  );
}

function collectionState(phone: PhoneDependencies, name: WAPatchName): LTHashState {
  const saved = phone.documents.get("collection", name);
  return saved ? (JSON.parse(saved.state, BufferJSON.reviver) as LTHashState) : newLTHashState();
}

function saveCollection(phone: PhoneDependencies, name: WAPatchName, state: LTHashState): void {
  phone.documents.put("collection", name, { state: JSON.stringify(state, BufferJSON.replacer) });
}
