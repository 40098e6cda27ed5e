// One simulated phone, which is the primary device of an account. Its methods only call this folder's functions.
import { addTransactionCapability, DEFAULT_CONNECTION_CONFIG, jidEncode, type BinaryNode, type ChatModification } from "baileys";
import pLimit from "p-limit";
import pino from "pino";
import type { Part } from "../changes.ts";
import { changeAppState, withholdKey, shareKeys } from "./app-state.ts";
import { chatIdOf, jidOf } from "./addresses.ts";
import { freezeIdentity, type Identity } from "./phone-keys.ts";
import { takeIn } from "./incoming-stanzas.ts";
import { enterCode, scanQr, type Linked } from "./linking.ts";
import type { OutgoingContent } from "./messages/outgoing-content.ts";
import { noCounts, type PhoneDependencies, type PhoneObserver } from "./dependencies.ts";
import { showOnline } from "./presence.ts";
import { playChat, readChat } from "./messages/receipts.ts";
import { refused, type Outcome } from "./refusal.ts";
import { loseSessions } from "./messages/retries.ts";
import { answerEvent, deleteForEveryone, edit, pin, react, sendContent, vote, type SendOptions, type Sent } from "./messages/sending.ts";
import { inTransaction, statement, type Database } from "./store/database.ts";
import { Documents } from "./store/documents.ts";
import { Messages, type MessageRecord, Receipts } from "./store/messages.ts";
import { SignalKeys } from "./store/signal-keys.ts";
import type { Uplink } from "./uplink.ts";
import type { PhoneOptions } from "./views.ts";
import { sendInitialHistory } from "./history.ts";

const silent = pino({ level: "silent" });
const TRANSACTIONS = { maxCommitRetries: 1, delayBetweenTriesMs: 1 };

export type Changed = (part: Part, chatId?: string) => void;

export class SimulatedPhone {
  readonly deps: PhoneDependencies;
  /** Runs one task at a time, because Signal sessions change over several awaits and concurrent steps would lose a change. */
  readonly #oneAtATime = pLimit(1);
  readonly #troubles: string[] = [];

  constructor(identity: Identity, link: Uplink, db: Database, changed: Changed, observer: PhoneObserver) {
    this.deps = assemble(identity, link, db, changed, observer);
    for (const device of owedWelcomes(this.deps)) this.#welcomeWhenReady(device);
  }

  get pn(): string {
    return this.deps.pn;
  }

  get options(): Readonly<PhoneOptions> {
    return this.deps.identity.options;
  }

  /** Errors inside the phone, for debugging tests. Contains no message text or keys. */
  get troubles(): readonly string[] {
    return this.#troubles;
  }

  receive(stanza: BinaryNode): void {
    this.act((phone) => takeIn(phone, stanza)).catch((error: unknown) =>
      this.#troubles.push(`${stanza.tag}: ${error instanceof Error ? error.message : "failed"}`),
    );
  }

  /** Runs other work in the queue of received stanzas. */
  act<T>(work: (phone: PhoneDependencies) => T | Promise<T>): Promise<T> {
    return this.#oneAtATime(async () => {
      try {
        return await work(this.deps);
      } catch (error) {
        // A ratchet step must not be stored without its message, because the server will redeliver the message.
        this.deps.keys.discard();
        throw error;
      }
    });
  }

  idle(): Promise<void> {
    return this.#oneAtATime(() => {});
  }

  change(options: { [K in keyof PhoneOptions]?: PhoneOptions[K] | undefined }): Promise<Readonly<PhoneOptions>> {
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    return this.act((phone) => {
      const before = this.options.online;
      Object.assign(phone.identity.options, given);
      phone.commit(() => phone.saveIdentity());
      if (this.options.online !== before) phone.link.setReachable(this.options.online);
      return this.options;
    });
  }

  // Linking runs outside the queue, because the device responds over the network and the phone must keep working.

  async scan(qr: string): Promise<Outcome<Linked>> {
    return this.#connect(await scanQr(this.deps, qr));
  }

  async enterCode(code: string): Promise<Outcome<Linked>> {
    return this.#connect(await enterCode(this.deps, code.toUpperCase().replace(/[^0-9A-Z]/g, "")));
  }

  unlink(device?: number): number {
    return this.deps.link.removeCompanions(device);
  }

  async #connect(outcome: Outcome<Linked>): Promise<Outcome<Linked>> {
    if (!outcome.ok) return outcome;
    await this.act((phone) => oweWelcome(phone, outcome.value.device));
    this.#welcomeWhenReady(outcome.value.device);
    return outcome;
  }

  #welcomeWhenReady(device: number): void {
    void this.deps.link
      .companionReady(device)
      .then(() => this.act((phone) => welcome(phone, device)))
      .catch((error: unknown) => {
        this.#troubles.push(`welcome: ${error instanceof Error ? error.message : "failed"}`);
      });
  }

  send(chatId: string, content: OutgoingContent, options: SendOptions = {}): Promise<Outcome<Sent>> {
    return this.#reachable((phone) => sendContent(phone, chatId, content, options));
  }

  sendText(chatId: string, text: string, options: SendOptions = {}): Promise<Outcome<Sent>> {
    return this.send(chatId, { type: "text", text }, options);
  }

  react(chatId: string, messageId: string, reaction: string, asId?: string): Promise<Outcome<Sent>> {
    return this.#reachable((phone) => react(phone, chatId, messageId, reaction, asId));
  }

  edit(chatId: string, messageId: string, text: string): Promise<Outcome<Sent>> {
    return this.#reachable((phone) => edit(phone, chatId, messageId, text));
  }

  delete(chatId: string, messageId: string): Promise<Outcome<Sent>> {
    return this.#reachable((phone) => deleteForEveryone(phone, chatId, messageId));
  }

  pin(chatId: string, messageId: string, on: boolean): Promise<Outcome<Sent>> {
    return this.#reachable((phone) => pin(phone, chatId, messageId, on));
  }

  vote(chatId: string, pollId: string, options: readonly string[]): Promise<Outcome<Sent>> {
    return this.#reachable((phone) => vote(phone, chatId, pollId, options));
  }

  answerEvent(chatId: string, eventId: string, isComing: boolean): Promise<Outcome<Sent>> {
    return this.#reachable((phone) => answerEvent(phone, chatId, eventId, isComing));
  }

  read(chatId: string): Promise<number> {
    return this.act((phone) => readChat(phone, this.chatId(chatId)));
  }

  play(chatId: string, messageId?: string): Promise<number> {
    return this.act((phone) => playChat(phone, this.chatId(chatId), messageId));
  }

  /** Applies a change that syncs across the account's devices: archive, pin, mute, label, star, … */
  modify(change: ChatModification, chatId = ""): Promise<void> {
    return this.act((phone) => changeAppState(phone, change, chatId === "" ? "" : jidOf(chatId)));
  }

  withholdKey(collection: string | null): Promise<void> {
    return this.act((phone) => withholdKey(phone, collection));
  }

  loseSessionsWith(pn: string): Promise<number> {
    return this.act((phone) => loseSessions(phone, pn));
  }

  inbox(chatId?: string): MessageRecord[] {
    return this.deps.messages.list(chatId === undefined ? undefined : this.chatId(chatId)).map(({ record }) => record);
  }

  chatId(chatIdOrDigits: string): string {
    return chatIdOf(jidOf(chatIdOrDigits), this.deps.link.directory);
  }

  showOnline(online: boolean): void {
    showOnline(this.deps, online);
  }

  async #reachable(work: (phone: PhoneDependencies) => Promise<Outcome<Sent>>): Promise<Outcome<Sent>> {
    if (!this.options.online) return refused(409, "phone_offline", "the phone is switched off");
    const outcome = await this.act(work);
    await this.deps.link.durable();
    return outcome;
  }
}

function assemble(identity: Identity, link: Uplink, db: Database, changed: Changed, observer: PhoneObserver): PhoneDependencies {
  const { creds } = identity;
  const pn = creds.me.id.replace(/@.*$/, "");
  const keys = new SignalKeys(db, pn);
  const lidsOf = async (jids: string[]) =>
    jids.flatMap((jid) => {
      const person = link.directory.find(jid);
      return person ? [{ pn: jid, lid: jidEncode(person.lid, "lid") }] : [];
    });
  return {
    pn,
    jid: creds.me.id,
    lid: creds.me.lid,
    identity,
    link,
    keys,
    signal: DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
      { creds, keys: addTransactionCapability(keys, silent, TRANSACTIONS) },
      silent,
      lidsOf,
    ),
    messages: new Messages(db, pn, (chatId) => changed("messages", chatId)),
    documents: new Documents(db, pn, changed),
    receipts: new Receipts(db, pn),
    counters: noCounts(),
    observer,
    commit: (work) => {
      const result = inTransaction(db, () => {
        keys.write();
        return work();
      });
      keys.stored();
      return result;
    },
    saveIdentity: () => {
      statement(db, "INSERT INTO phone (pn, identity) VALUES (?, ?) ON CONFLICT (pn) DO UPDATE SET identity = excluded.identity").run(
        pn,
        freezeIdentity(identity),
      );
      changed("phone");
    },
  };
}

// Sends a newly linked device first the app-state key, then the history (docs/internals/wire-protocol.md, "After login").

async function welcome(phone: PhoneDependencies, device: number): Promise<void> {
  await shareKeys(phone, device);
  await sendInitialHistory(phone, device);
  phone.commit(() => phone.documents.remove("welcome", String(device)));
}

/** Stored, so that the device still receives its history after a restart. */
function oweWelcome(phone: PhoneDependencies, device: number): void {
  phone.commit(() => phone.documents.put("welcome", String(device), { device }));
}

function owedWelcomes(phone: PhoneDependencies): number[] {
  return phone.documents.list("welcome").map(({ device }) => device);
}
