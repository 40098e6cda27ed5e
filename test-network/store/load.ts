import type { BinaryNode } from "baileys";
import type { Device } from "../model.ts";
import type { Network } from "../network-state.ts";
import { childrenOf, decodeStanza } from "../node.ts";
import { parseAccount, parseGroup, parseNewsletter, parseNewsletterMessage } from "./records.ts";

type TableRow = Record<string, unknown>;

export function loadState(network: Network<"directory" | "groups" | "journal" | "newsletters">): void {
  const { journal } = network;
  if (!journal.keeps) return;
  for (const row of journal.read("SELECT pn, lid, state FROM account")) {
    const record = parseAccount(text(row["state"]));
    Object.assign(network.directory.restoreAccount(text(row["pn"]), text(row["lid"]), record.business), record);
  }
  for (const row of journal.read("SELECT * FROM device")) restoreDevice(network, row);
  for (const row of journal.read("SELECT pn, device, id, value FROM prekey ORDER BY id")) {
    device(network, row)?.preKeys.set(Number(row["id"]), bytes(row["value"]));
  }
  for (const row of journal.read("SELECT pn, other FROM acquaintance")) {
    network.directory.account(text(row["pn"]))?.acquaintances.add(text(row["other"]));
  }
  for (const row of journal.read("SELECT pn, other FROM chat")) {
    network.directory.account(text(row["pn"]))?.chats.add(text(row["other"]));
  }
  for (const row of journal.read("SELECT pn, collection, patch FROM patch ORDER BY version")) restorePatch(network, row);
  for (const row of journal.read('SELECT state FROM "group"')) {
    const group = parseGroup(text(row["state"]));
    network.groups.set(group.id, group);
  }
  restoreNewsletters(network);
  for (const row of journal.read("SELECT seq, pn, device, stanza, refused FROM queue ORDER BY seq")) {
    const encoded = bytes(row["stanza"]);
    const refused = Number(row["refused"]) === 1;
    device(network, row)?.queue.add(Number(row["seq"]), decodeStanza(encoded), { encoded, refused });
  }
}

function restoreDevice(network: Network<"directory">, row: TableRow): void {
  const account = network.directory.account(text(row["pn"]));
  if (!account) return;
  const restored = network.directory.restoreDevice(account, Number(row["id"]), text(row["platform"]));
  if (row["noise_key"] !== null) restored.noiseKey = bytes(row["noise_key"]);
  if (row["identity_key"] === null) return;
  restored.keys = {
    registrationId: Number(row["registration_id"]),
    identityKey: bytes(row["identity_key"]),
    skey: { id: Number(row["skey_id"]), value: bytes(row["skey"]), signature: bytes(row["skey_signature"]) },
  };
}

function restorePatch(network: Network<"directory">, row: TableRow): void {
  const collections = network.directory.account(text(row["pn"]))?.collections;
  const name = text(row["collection"]);
  const log = collections?.get(name);
  if (log) log.push(bytes(row["patch"]));
  else collections?.set(name, [bytes(row["patch"])]);
}

function restoreNewsletters(network: Network<"journal" | "newsletters">): void {
  for (const row of network.journal.read("SELECT state FROM newsletter")) {
    const newsletter = parseNewsletter(text(row["state"]));
    network.newsletters.set(newsletter.id, newsletter);
  }
  for (const row of network.journal.read("SELECT newsletter, state, stanza FROM newsletter_message ORDER BY server_id")) {
    const content: BinaryNode[] = childrenOf(decodeStanza(bytes(row["stanza"])));
    const message = parseNewsletterMessage(text(row["state"]), content);
    network.newsletters.get(text(row["newsletter"]))?.messages.set(message.serverId, message);
  }
}

function device(network: Network<"directory">, row: TableRow): Device | undefined {
  return network.directory.account(text(row["pn"]))?.devices.get(Number(row["device"]));
}

function text(value: unknown): string {
  return String(value);
}

function bytes(value: unknown): Buffer {
  return Buffer.from(value as Uint8Array);
}
