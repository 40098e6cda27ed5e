// Meta's Graph API and webhooks for numbers that are simulated phones. Contacts cannot tell these numbers from other phones.
import type { Database } from "../phone/store/database.ts";
import { CloudDocuments } from "./documents.ts";
import { CloudFaults } from "./faults.ts";
import { accessToken, appSecret, digits, userIdOf, usernameOf } from "./ids.ts";
import type { App, CloudNumber, SentMessage, Token, Waba } from "./model.ts";
import { signatureOf } from "./webhooks/bytes.ts";
import { bodyOf, WebhookQueue, type Change, type Destination, type Scope, type Webhook } from "./webhooks/queue.ts";
import { WebhookSender } from "./webhooks/sender.ts";

export const FIELDS = [
  "messages",
  "smb_message_echoes",
  "calls",
  "group_lifecycle_update",
  "group_participants_update",
  "group_settings_update",
  "group_status_update",
  "account_update",
  "phone_number_quality_update",
  "message_template_status_update",
  "security",
] as const;

const OF_THE_APP: ReadonlySet<string> = new Set([
  "account_update",
  "phone_number_quality_update",
  "message_template_status_update",
  "message_template_quality_update",
  "security",
]);

const WINDOW_SECONDS = 24 * 3_600;

export type NewNumber = {
  phone: string;
  name: string;
  /** An existing account that the number joins, together with the account's app. */
  waba_id?: string | undefined;
  pin?: string | undefined;
  registered?: boolean | undefined;
};

export class CloudNetwork {
  readonly documents: CloudDocuments;
  readonly faults: CloudFaults;
  readonly queue: WebhookQueue;
  readonly #sender: WebhookSender;
  /** Numbers by phone number. Kept in memory, because every message of every phone needs a look-up. */
  readonly #numbers = new Map<string, string>();
  /** Messages that Graph is sending, by message id, until the phone has stored them. */
  readonly sending = new Map<string, SentMessage>();

  constructor(db: Database) {
    this.documents = new CloudDocuments(db);
    this.faults = new CloudFaults(this.documents);
    this.queue = new WebhookQueue(db);
    this.#sender = new WebhookSender(this.queue, this.faults, (number, scope) => this.#destination(number, scope));
    for (const { phone, phone_number_id } of this.documents.list("number")) this.#numbers.set(phone, phone_number_id);
    this.#sender.wake();
  }

  /** Unix seconds of the simulated clock, used for the 24-hour window, files and tokens. */
  now(): number {
    return Math.floor(Date.now() / 1_000) + this.offset;
  }

  get offset(): number {
    return this.documents.get("clock", "clock")?.offset_s ?? 0;
  }

  close(): void {
    this.#sender.close();
  }

  /** Call it after changing faults or callback URLs, because it may then be possible to deliver pending webhooks. */
  wake(): void {
    this.#sender.wake();
  }

  /** Creates a number with account, app and token, or returns the phone's existing number. */
  create({ phone, name, waba_id, pin, registered = true }: NewNumber): CloudNumber {
    const known = this.numberOf(phone);
    if (known) return known;
    const sibling = waba_id === undefined ? undefined : this.documents.list("number").find((number) => number.waba_id === waba_id);
    const number: CloudNumber = {
      phone_number_id: digits(15),
      waba_id: sibling?.waba_id ?? digits(15),
      app_id: sibling?.app_id ?? digits(16),
      phone,
      name,
      quality: "GREEN",
      health: "AVAILABLE",
      registered,
      pin: pin ?? null,
      callback: null,
      coexistence: false,
      groups: true,
      username_only: [],
      spelling: {},
      profile: {},
    };
    if (!sibling) {
      const { app_id, waba_id } = number;
      this.documents.put("app", app_id, { app_id, name: `${name} app`, app_secret: appSecret(), fields: [...FIELDS], callback: null });
      this.documents.put("waba", waba_id, { waba_id, name, subscribed: [] });
      this.createToken(number, null);
    }
    this.save(number);
    return number;
  }

  createToken({ app_id, waba_id }: Pick<CloudNumber, "app_id" | "waba_id">, expires_in_s: number | null): Token {
    const token = { token: accessToken(), app_id, waba_id, created_at: this.now(), expires_at: expires_in_s && this.now() + expires_in_s };
    this.documents.put("token", token.token, token);
    return token;
  }

  save(number: CloudNumber): void {
    this.documents.put("number", number.phone_number_id, number);
    this.#numbers.set(number.phone, number.phone_number_id);
  }

  number(id: string): CloudNumber | null {
    return this.documents.get("number", id);
  }

  numberOf(phone: string): CloudNumber | null {
    const id = this.#numbers.get(phone);
    return id === undefined ? null : this.number(id);
  }

  app(id: string): App | null {
    return this.documents.get("app", id);
  }

  waba(id: string): Waba | null {
    return this.documents.get("waba", id);
  }

  userId({ waba_id }: CloudNumber, phone: string): string {
    return this.documents.get("user", `${waba_id}|${phone}`)?.user_id ?? userIdOf(waba_id, phone);
  }

  /** A person as webhooks identify them. People who show only a username appear without their phone number. */
  person(number: CloudNumber, phone: string): { wa_id?: string; user_id: string; username?: string } {
    const user_id = this.userId(number, phone);
    return number.username_only.includes(phone) ? { user_id, username: usernameOf(phone) } : { wa_id: phone, user_id };
  }

  /** A contact's message or call opens the 24-hour window for free-form messages. */
  openWindow(number: CloudNumber, phone: string): void {
    this.documents.put("window", `${number.phone_number_id}|${phone}`, { opened_at: this.now() });
  }

  hasWindow(number: CloudNumber, phone: string): boolean {
    const window = this.documents.get("window", `${number.phone_number_id}|${phone}`);
    return window !== null && this.now() - window.opened_at < WINDOW_SECONDS;
  }

  /** Queues a webhook, once per `key`. It can be called inside a transaction. */
  report(number: CloudNumber, key: string, field: string, parts: Record<string, unknown>): void {
    const metadata = { display_phone_number: number.phone, phone_number_id: number.phone_number_id };
    this.reportValue(number, key, field, { messaging_product: "whatsapp", metadata, ...parts });
  }

  reportValue(number: CloudNumber, key: string, field: string, value: Record<string, unknown>): void {
    if (!this.app(number.app_id)?.fields.includes(field)) return;
    if (this.queue.add(number.phone_number_id, scopeOf(field), key, { field, value })) this.#sender.wake();
  }

  push(number: CloudNumber, what: { raw: string } | { change: Change }, sign: Webhook["sign"]): number {
    const body = "raw" in what ? what.raw : bodyOf(number.waba_id, [what.change]);
    const scope = "raw" in what ? "number" : scopeOf(what.change.field);
    const id = this.queue.insert(number.phone_number_id, scope, body, sign);
    this.#sender.wake();
    return id;
  }

  isProof(app: App, token: string, proof: string): boolean {
    return signatureOf(token, app.app_secret, "right") === `sha256=${proof}`;
  }

  #destination(id: string, scope: Scope): Destination | null {
    const number = this.number(id);
    const app = number && this.app(number.app_id);
    if (!number || !app) return null;
    const subscription = this.waba(number.waba_id)?.subscribed.find(({ app_id }) => app_id === app.app_id);
    if (!subscription) return null;
    const callback = scope === "app" ? app.callback : (number.callback ?? subscription.override ?? app.callback);
    return callback && { url: callback.url, secret: app.app_secret, wabaId: number.waba_id };
  }
}

function scopeOf(field: string): Scope {
  return OF_THE_APP.has(field) ? "app" : "number";
}
