// Maps LIDs to phone numbers. Outside the driver, people are identified by phone whenever one of five sources has the phone number.
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import { DEDUPE } from "../session/dedupe-keys.ts";
import { identityOf, type Own } from "./own-identity.ts";
import { addressOf, asChatId, isPerson, personChat } from "./jids.ts";
import { boundedCache, perSession } from "../session/per-session.ts";
import type { NetworkSession } from "../session/session-context.ts";

const LID_CACHE_SIZE = 5_000;

const PHONE = /^[1-9]\d{6,14}$/;

export type LidMappingSources = {
  own(): Own;
  storedPhone(lid: string): string | null;
  /** Called once per process and pair, because the object may have to merge two chats. */
  onMapped(lid: string, phone: string): void;
};

export class LidMapping {
  readonly #phones = boundedCache<string, string>(LID_CACHE_SIZE);
  readonly #lids = boundedCache<string, string>(LID_CACHE_SIZE);
  /** The phone number with which each LID was reported last. */
  readonly #reported = boundedCache<string, string>(LID_CACHE_SIZE);
  /** LIDs already reported without a phone number. The object may have stored chats under these LIDs. */
  readonly #unresolved = boundedCache<string, true>(LID_CACHE_SIZE);
  readonly #sources: LidMappingSources;

  constructor(sources: LidMappingSources) {
    this.#sources = sources;
  }

  /** Null unless the JID is a person. `alt` is the stanza's other address of the person, never the `remoteJidAlt` of our own messages. */
  person(jid: string | null | undefined, alt?: string | null): Person | null {
    const address = addressOf(jid);
    if (!isPerson(address)) return null;
    const other = addressOf(alt);
    if (isPerson(other) && other.kind !== address.kind) {
      this.#learn(address.kind === "lid" ? address.user : other.user, address.kind === "lid" ? other.user : address.user);
    }
    return address.kind === "phone" ? this.#byPhone(address.user) : this.#byLid(address.user);
  }

  learn(lidJid: string | null | undefined, phoneJid: string | null | undefined, report = false): void {
    const lid = addressOf(lidJid);
    const phone = addressOf(phoneJid);
    if (lid?.kind !== "lid" || phone?.kind !== "phone") return;
    this.#learn(lid.user, phone.user, report);
  }

  phoneOf(lid: string): string | null {
    const own = this.#sources.own();
    if (lid === own.lid) return own.phone;
    const known = this.#phones.get(lid);
    if (known !== undefined) return known;
    const stored = this.#sources.storedPhone(lid);
    if (stored === null || !this.#plausible(lid, stored)) return null;
    this.#remember(lid, stored);
    return stored;
  }

  lidOf(phone: string): string | null {
    const own = this.#sources.own();
    return phone === own.phone ? own.lid : (this.#lids.get(phone) ?? null);
  }

  isOwn(jid: string | null | undefined): boolean {
    const address = addressOf(jid);
    if (!isPerson(address)) return false;
    const own = this.#sources.own();
    return address.user === (address.kind === "phone" ? own.phone : own.lid);
  }

  own(): Own {
    return this.#sources.own();
  }

  #byPhone(phone: string): Person | null {
    if (!PHONE.test(phone)) return null;
    const lid = this.lidOf(phone);
    if (lid !== null) this.#report(lid, phone);
    return { phone, lid };
  }

  #byLid(lid: string): Person {
    const phone = this.phoneOf(lid);
    if (phone === null) this.#unresolved.set(lid, true);
    else this.#report(lid, phone);
    return { phone, lid };
  }

  #learn(lid: string, phone: string, report = false): void {
    if (!PHONE.test(phone) || !this.#plausible(lid, phone)) return;
    if (this.#phones.get(lid) !== phone) this.#remember(lid, phone);
    if (report || this.#unresolved.has(lid) || this.#reported.has(lid)) this.#report(lid, phone);
  }

  // Our own messages may give our phone number as the recipient's, which would map the recipient's LID to our number.
  #plausible(lid: string, phone: string): boolean {
    const own = this.#sources.own();
    if (own.phone === null || own.lid === null) return phone !== own.phone;
    return (phone === own.phone) === (lid === own.lid);
  }

  #remember(lid: string, phone: string): void {
    const before = this.#phones.get(lid);
    if (before !== undefined && this.#lids.get(before) === lid) this.#lids.delete(before);
    this.#phones.set(lid, phone);
    this.#lids.set(phone, lid);
  }

  #report(lid: string, phone: string): void {
    this.#unresolved.delete(lid);
    if (this.#reported.get(lid) === phone || lid === this.#sources.own().lid) return;
    this.#reported.set(lid, phone);
    this.#sources.onMapped(lid, phone);
  }
}

export const lidMappingOf = perSession(
  (session) =>
    new LidMapping({
      own: () => identityOf(session).own,
      storedPhone: (lid) => session.rows.get(`lid-mapping|${lid}_reverse`)?.toString() ?? null,
      onMapped: (lid, phone) => session.emit([{ key: DEDUPE.lid(lid, phone), event: { type: "lid.mapped", lid, phone } }]),
    }),
);

export function chatIdOf(ctx: { readonly session: NetworkSession }, jid: string | null | undefined): ChatId | null {
  const address = addressOf(jid);
  if (address === null) return null;
  if (!isPerson(address)) return asChatId(address.id);
  const person = lidMappingOf(ctx.session).person(jid);
  return person && personChat(person);
}
