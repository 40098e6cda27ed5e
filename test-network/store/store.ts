// Writes the server's state, with one method per record. The state is read only once, on startup (`load.ts`).
import { encodeBinaryNode } from "baileys";
import type { Changes } from "../changes.ts";
import { encodedForm, type Queued } from "../delivery/device-queue.ts";
import type { Account, Device, Group, Newsletter, NewsletterMessage } from "../model.ts";
import { node } from "../node.ts";
import type { Journal } from "./journal.ts";
import { accountRecord, groupRecord, newsletterMessageRecord, newsletterRecord } from "./records.ts";

const SAVE = {
  setting: "INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)",
  account: "INSERT OR REPLACE INTO account (pn, lid, state) VALUES (?, ?, ?)",
  acquaintance: "INSERT OR IGNORE INTO acquaintance (pn, other) VALUES (?, ?)",
  chat: "INSERT OR IGNORE INTO chat (pn, other) VALUES (?, ?)",
  device: `INSERT OR REPLACE INTO device (pn, id, platform, noise_key, registration_id, identity_key, skey_id, skey, skey_signature)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  preKey: "INSERT OR REPLACE INTO prekey (pn, device, id, value) VALUES (?, ?, ?, ?)",
  queued: "INSERT INTO queue (seq, pn, device, stanza) VALUES (?, ?, ?, ?)",
  refused: "UPDATE queue SET refused = 1 WHERE seq = ?",
  patch: "INSERT INTO patch (pn, collection, version, patch) VALUES (?, ?, ?, ?)",
  group: 'INSERT OR REPLACE INTO "group" (id, state) VALUES (?, ?)',
  newsletter: "INSERT OR REPLACE INTO newsletter (id, state) VALUES (?, ?)",
  newsletterMessage: "INSERT OR REPLACE INTO newsletter_message (newsletter, server_id, state, stanza) VALUES (?, ?, ?, ?)",
} as const;

const REMOVE = {
  device: "DELETE FROM device WHERE pn = ? AND id = ?",
  preKey: "DELETE FROM prekey WHERE pn = ? AND device = ? AND id = ?",
  preKeys: "DELETE FROM prekey WHERE pn = ? AND device = ?",
  queued: "DELETE FROM queue WHERE seq = ?",
  queue: "DELETE FROM queue WHERE pn = ? AND device = ?",
  newsletter: "DELETE FROM newsletter WHERE id = ?",
  newsletterMessages: "DELETE FROM newsletter_message WHERE newsletter = ?",
} as const;

export class Store {
  readonly journal: Journal;
  readonly #changes: Changes;
  #sequence: number;

  constructor(journal: Journal, changes: Changes) {
    this.journal = journal;
    this.#changes = changes;
    this.#sequence = Number(journal.read("SELECT MAX(seq) AS last FROM queue")[0]?.["last"] ?? 0);
  }

  nextSequence(): number {
    return ++this.#sequence;
  }

  setting(name: string): Buffer | undefined {
    const [row] = this.journal.read("SELECT value FROM setting WHERE name = ?", name);
    return row ? Buffer.from(row["value"] as Uint8Array) : undefined;
  }

  saveSetting(name: string, value: Uint8Array): void {
    this.journal.write(`setting|${name}`, SAVE.setting, () => [name, value]);
  }

  saveAccount(account: Account): void {
    this.journal.write(`account|${account.pn}`, SAVE.account, () => [account.pn, account.lid, accountRecord(account)]);
    this.#changes.report({ part: "people" });
  }

  saveAcquaintance(pn: string, other: string): void {
    this.journal.write(`acquaintance|${pn}|${other}`, SAVE.acquaintance, () => [pn, other]);
  }

  saveChat(pn: string, other: string): void {
    this.journal.write(`chat|${pn}|${other}`, SAVE.chat, () => [pn, other]);
  }

  saveDevice(device: Device): void {
    this.journal.write(`device|${nameOf(device)}`, SAVE.device, () => {
      const { account, id, platform, noiseKey, keys } = device;
      return [
        account.pn,
        id,
        platform,
        noiseKey ?? null,
        keys?.registrationId ?? null,
        keys?.identityKey ?? null,
        keys?.skey.id ?? null,
        keys?.skey.value ?? null,
        keys?.skey.signature ?? null,
      ];
    });
    this.#changes.report({ part: "phone", phone: device.account.pn });
  }

  removeDevice(device: Device): void {
    const name = nameOf(device);
    const {
      account: { pn },
      id,
    } = device;
    this.removePreKeys(device);
    for (const queued of device.queue.entries()) this.removeQueued(queued.seq);
    this.journal.write(`device|${name}`, REMOVE.device, () => [pn, id]);
    this.journal.write(`queue-of|${name}`, REMOVE.queue, () => [pn, id]);
    this.#changes.report({ part: "phone", phone: pn });
  }

  savePreKey(device: Device, id: number, value: Uint8Array): void {
    this.journal.write(`prekey|${nameOf(device)}|${id}`, SAVE.preKey, () => [device.account.pn, device.id, id, value]);
  }

  removePreKey(device: Device, id: number): void {
    this.journal.write(`prekey|${nameOf(device)}|${id}`, REMOVE.preKey, () => [device.account.pn, device.id, id]);
  }

  removePreKeys(device: Device): void {
    for (const id of device.preKeys.keys()) this.removePreKey(device, id);
    this.journal.write(`prekeys-of|${nameOf(device)}`, REMOVE.preKeys, () => [device.account.pn, device.id]);
  }

  saveQueued(device: Device, queued: Queued): void {
    this.journal.write(`queue|${queued.seq}`, SAVE.queued, () => [queued.seq, device.account.pn, device.id, encodedForm(queued)]);
  }

  /** The refusal is stored in a separate row, because the stanza itself may be written in the same turn. */
  saveRefused(seq: number): void {
    this.journal.write(`refused|${seq}`, SAVE.refused, () => [seq]);
  }

  removeQueued(seq: number): void {
    this.journal.write(`queue|${seq}`, REMOVE.queued, () => [seq]);
  }

  savePatch(account: Account, collection: string, version: number, patch: Uint8Array): void {
    this.journal.write(`patch|${account.pn}|${collection}|${version}`, SAVE.patch, () => [account.pn, collection, version, patch]);
  }

  saveGroup(group: Group): void {
    this.journal.write(`group|${group.id}`, SAVE.group, () => [group.id, groupRecord(group)]);
    this.#changes.report({ part: "groups" });
  }

  saveNewsletter(newsletter: Newsletter): void {
    this.journal.write(`newsletter|${newsletter.id}`, SAVE.newsletter, () => [newsletter.id, newsletterRecord(newsletter)]);
  }

  removeNewsletter({ id, messages }: Newsletter): void {
    for (const serverId of messages.keys()) this.journal.write(`newsletter|${id}|${serverId}`, REMOVE.newsletterMessages, () => [id]);
    this.journal.write(`newsletter|${id}`, REMOVE.newsletter, () => [id]);
  }

  saveNewsletterMessage({ id }: Newsletter, message: NewsletterMessage): void {
    this.journal.write(`newsletter|${id}|${message.serverId}`, SAVE.newsletterMessage, () => [
      id,
      Number(message.serverId),
      newsletterMessageRecord(message),
      encodeBinaryNode(node("message", {}, message.content)),
    ]);
  }
}

function nameOf(device: Device): string {
  return `${device.account.pn}|${device.id}`;
}
