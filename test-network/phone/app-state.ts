// App state of chats, labels and contacts. The server stores encrypted patches, and the phone owns the key.
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
  toNumber,
} from "baileys";
import pino from "pino";
import { randomBytes } from "node:crypto";
import { child, node, SERVER } from "../node.ts";
import type { PhoneDependencies } from "./dependencies.ts";
import { saltChange } from "./privacy-tokens.ts";
import { sendPeerMessage } from "./history.ts";
import type { AppStateKey } from "./phone-keys.ts";
import { chatIdOf, isSharedChat, personOf } from "./addresses.ts";
import { changeChat, chatOf, markChatRead } from "./chats.ts";

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
  // Waits, because a phone that is ahead of the server after a crash could never push again.
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

// App-state keys. The phone creates them and shares them with its linked devices, except for a withheld one.
const { Type } = proto.Message.ProtocolMessage;

function keyFor(phone: PhoneDependencies, collection: string): AppStateKey {
  const { laterKeys, withheldFor, appStateKeyId, appStateKey } = phone.identity;
  const newest = laterKeys.at(-1);
  return newest !== undefined && withheldFor === collection ? newest : { id: appStateKeyId, data: appStateKey };
}

function keyById(phone: PhoneDependencies, id: string): proto.Message.IAppStateSyncKeyData {
  const { laterKeys, appStateKey } = phone.identity;
  return laterKeys.find((key) => key.id === id)?.data ?? appStateKey;
}

export async function shareKeys(phone: PhoneDependencies, device: number): Promise<void> {
  const { laterKeys, withheldFor, appStateKeyId, appStateKey } = phone.identity;
  const shared = [{ id: appStateKeyId, data: appStateKey }, ...(withheldFor ? laterKeys.slice(0, -1) : laterKeys)];
  await sendPeerMessage(phone, device, {
    protocolMessage: {
      type: Type.APP_STATE_SYNC_KEY_SHARE,
      appStateSyncKeyShare: { keys: shared.map(({ id, data }) => ({ keyId: { keyId: Buffer.from(id, "base64") }, keyData: data })) },
    },
  });
}

/** If `collection` is null, shares the withheld keys with all devices. */
export async function withholdKey(phone: PhoneDependencies, collection: string | null): Promise<void> {
  const { identity } = phone;
  if (collection !== null) identity.laterKeys = [...identity.laterKeys, freshKey(phone)];
  identity.withheldFor = collection;
  phone.commit(() => phone.saveIdentity());
  if (collection === null) for (const { device } of phone.link.companions()) await shareKeys(phone, device);
}

function freshKey({ identity }: PhoneDependencies): AppStateKey {
  return { id: randomBytes(6).toString("base64"), data: { ...identity.appStateKey, keyData: randomBytes(32), timestamp: Date.now() } };
}

type Effect = (phone: PhoneDependencies, action: proto.ISyncActionValue, index: readonly string[]) => void;

function applyMutation(phone: PhoneDependencies, action: proto.ISyncActionValue | null | undefined, index: readonly string[]): void {
  const effect = EFFECTS[index[0] ?? ""];
  if (effect && action) effect(phone, action, index);
}

const EFFECTS: Readonly<Record<string, Effect>> = {
  archive: (phone, { archiveChatAction }, index) => {
    changeChat(phone, chat(phone, index), { archived: archiveChatAction?.archived === true });
  },
  pin_v1: (phone, { pinAction }, index) => {
    changeChat(phone, chat(phone, index), { pinned: pinAction?.pinned === true });
  },
  mute: (phone, { muteAction }, index) => {
    changeChat(phone, chat(phone, index), { muted_until: muteAction?.muted ? mutedUntil(muteAction.muteEndTimestamp) : null });
  },
  markChatAsRead: (phone, { markChatAsReadAction }, index) => {
    if (markChatAsReadAction?.read) markChatRead(phone, chat(phone, index), endOf(markChatAsReadAction.messageRange));
    else changeChat(phone, chat(phone, index), { marked_unread: true });
  },
  star: (phone, { starAction }, index) => {
    if (isMeant(phone, index)) phone.messages.change(chat(phone, index), index[2] ?? "", () => ({ starred: starAction?.starred === true }));
  },
  clearChat: (phone, { clearChatAction }, index) => {
    const chatId = chat(phone, index);
    phone.messages.removeChat(chatId, endOf(clearChatAction?.messageRange));
    changeChat(phone, chatId, { cleared_at: seconds(), unread_count: 0 });
  },
  deleteChat: (phone, { deleteChatAction }, index) => {
    const chatId = chat(phone, index);
    phone.messages.removeChat(chatId, endOf(deleteChatAction?.messageRange));
    // Keeps the chat if it has messages newer than the deletion's range.
    if (phone.messages.newest(chatId)) return;
    changeChat(phone, chatId, { deleted_at: seconds(), unread_count: 0, archived: false, pinned: false });
  },
  deleteMessageForMe: (phone, _action, index) => {
    if (isMeant(phone, index)) phone.messages.remove(chat(phone, index), index[2] ?? "");
  },
  contact: (phone, { contactAction }, index) => {
    const phoneNumber = personOf(index[1] ?? "", phone.link.directory);
    const known = phone.documents.get("contact", phoneNumber);
    // The action has no name if the contact was removed.
    const fullName = contactAction?.fullName || contactAction?.firstName || null;
    phone.documents.put("contact", phoneNumber, { phone: phoneNumber, push_name: known?.push_name ?? null, full_name: fullName });
  },
  setting_pushName: (phone, { pushNameSetting }) => {
    if (!pushNameSetting?.name) return;
    phone.identity.creds.me.name = pushNameSetting.name;
    phone.saveIdentity();
  },
  label_edit: (phone, { labelEditAction: label }, index) => {
    const labelId = index[1] ?? "";
    phone.documents.put("label", labelId, {
      label_id: labelId,
      name: label?.name ?? "",
      color: label?.color ?? 0,
      deleted: label?.deleted === true,
    });
  },
  label_jid: (phone, { labelAssociationAction }, index) => {
    if (labelledChat(phone, index[2] ?? "") !== index[2]) return;
    const chatId = chat(phone, index, 2);
    changeChat(phone, chatId, { labels: toggled(chatOf(phone, chatId).labels, index[1] ?? "", labelAssociationAction?.labeled === true) });
  },
  label_message: (phone, { labelAssociationAction }, index) => {
    phone.messages.change(chat(phone, index, 2), index[3] ?? "", ({ labels }) => ({
      labels: toggled(labels, index[1] ?? "", labelAssociationAction?.labeled === true),
    }));
  },
};

/** The name under which labels are stored for a chat. */
function labelledChat(phone: PhoneDependencies, jid: string): string {
  const account = isSharedChat(jid) ? null : phone.link.account(personOf(jid, phone.link.directory));
  return account?.lidOnly === true ? account.lidJid : jid;
}

function chat(phone: PhoneDependencies, index: readonly string[], position = 1): string {
  return chatIdOf(index[position] ?? "", phone.link.directory);
}

/** `index` is `[kind, chat, id, own or not, author]`. Phones compare all five. Only other people's group messages have an author. */
function isMeant(phone: PhoneDependencies, index: readonly string[]): boolean {
  const [, jid = "", messageId = "", own, author] = index;
  const record = phone.messages.find(chat(phone, index), messageId)?.record;
  if (!record || record.from_me !== (own === "1")) return false;
  if (record.from_me || !isSharedChat(jid)) return author === "0";
  return author !== undefined && personOf(author, phone.link.directory) === record.from;
}

function toggled(labels: readonly string[], labelId: string, on: boolean): string[] {
  const others = labels.filter((label) => label !== labelId);
  return on ? [...others, labelId] : others;
}

/** The wire uses milliseconds, with -1 or 0 for forever. */
function mutedUntil(end: Parameters<typeof toNumber>[0]): number {
  const at = end ? toNumber(end) : 0;
  return at > 0 ? Math.floor(at / 1000) : -1;
}

/** Unix seconds of the newest message that the action covers. Without a range, it covers all messages. */
function endOf(range: proto.SyncActionValue.ISyncActionMessageRange | null | undefined): number {
  const at = range?.lastMessageTimestamp ? toNumber(range.lastMessageTimestamp) : 0;
  return at > 0 ? at : Number.MAX_SAFE_INTEGER;
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}
