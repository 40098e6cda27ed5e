// Maps Meta's ids to ours and back (docs/internals/cloud.md, "Ids").
import { type ChatId, type Person, personOf } from "@gateway/protocol/ids.ts";
import { otherSpelling } from "@gateway/protocol/cloud.ts";
import type { Lids } from "../contacts/lids.ts";
import { CloudPeople, phoneIn, randomDigits } from "./people-table.ts";

/** A message recipient: a phone number with a plus sign, the id of a person without a visible number, or a group. */
export type Recipient = { to: string } | { recipient: string } | { group: string };

/** A person as Meta identifies them. The phone number may be missing if the person has a username. */
export type Named = { phone: string | null; userId: string | null };

export type IdTablesDependencies = {
  sql: SqlStorage;
  lids: Pick<Lids, "phoneOf">;
  phone: () => string | null;
  own: (wamid: string) => string | null;
  known: (messageId: string, chatId: ChatId) => { text: string | null; type: string } | null;
};

export class CloudIdTables {
  readonly #deps: IdTablesDependencies;
  readonly #people: CloudPeople;
  readonly #groups: CloudGroups;
  readonly #spellings: CloudSpellings;

  constructor(deps: IdTablesDependencies) {
    this.#deps = deps;
    this.#people = new CloudPeople(deps.sql);
    this.#groups = new CloudGroups(deps.sql);
    this.#spellings = new CloudSpellings(deps.sql);
  }

  get me(): string | null {
    return this.#deps.phone();
  }

  person(who: { wa_id?: string | undefined; user_id?: string | undefined; username?: string | undefined }): Person | null {
    const phone = this.#named(phoneIn(who.wa_id));
    if (who.user_id === undefined || who.user_id === "") return phone === null ? null : { phone, lid: null };
    const known = this.#people.learn(who.user_id, phone, who.username ?? null);
    return { phone: known.phone, lid: known.lid };
  }

  group(groupId: string): ChatId {
    return this.#groups.chatOf(groupId);
  }

  own(wamid: string): string | null {
    return this.#deps.own(wamid);
  }

  known(messageId: string, chatId: ChatId): { text: string | null; type: string } | null {
    return this.#deps.known(messageId, chatId);
  }

  /** Returns the phone number in the network's spelling, or unchanged if that spelling is unknown. */
  spelled(asked: string): string {
    return this.#spellings.of(asked);
  }

  learnSpelling(asked: string, waId: string): void {
    const [from, to] = [phoneIn(asked), this.#named(phoneIn(waId))];
    if (from !== null && to !== null) this.#spellings.learn(from, to);
  }

  /** Returns null for an unknown group, a person without an id known to Meta, or a chat without people. */
  recipientOf(chatId: ChatId): Recipient | null {
    const group = this.groupIdOf(chatId);
    if (group !== null) return { group };
    const person = personOf(chatId);
    if (person === null) return null;
    const { lid } = person;
    const phone = person.phone ?? (lid === null ? null : (this.#deps.lids.phoneOf(lid) ?? this.#people.phoneOf(lid)));
    if (phone !== null) return { to: `+${this.spelled(phone)}` };
    const userId = lid === null ? null : this.userIdOf(lid);
    return userId === null ? null : { recipient: userId };
  }

  groupIdOf(chatId: ChatId): string | null {
    return this.#groups.idOf(chatId);
  }

  userIdOf(lid: string): string | null {
    return this.#people.userIdOf(lid);
  }

  /** Returns the pair for `lid.mapped`, or null if the person has no surrogate LID. The new number then counts as a new person. */
  moved(from: Named, to: Named): { lid: string; phone: string } | null {
    if (from.userId !== null && to.userId !== null && from.userId !== to.userId) this.#people.userIdChanged(from.userId, to.userId);
    const userId = to.userId ?? from.userId;
    const [before, phone] = [this.#named(from.phone), this.#named(to.phone)];
    const lid = userId === null ? this.#lidOfNumber(before) : this.#people.learn(userId, null, null).lid;
    if (lid === null || phone === null) return null;
    this.#people.numberChanged(lid, phone);
    return { lid, phone };
  }

  #lidOfNumber(phone: string | null): string | null {
    return phone === null ? null : this.#people.lidOf(phone);
  }

  #named(phone: string | null): string | null {
    if (phone === null || phone === this.me) return phone;
    const other = otherSpelling(phone);
    return other !== null && other === this.me ? other : this.#spellings.named(phone);
  }
}

const GROUP_DIGITS = 18;
const SUFFIX = "@g.us";

class CloudGroups {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  chatOf(groupId: string): ChatId {
    const known = this.#sql.exec<{ digits: string }>("SELECT digits FROM cloud_groups WHERE group_id = ?", groupId).toArray()[0];
    if (known !== undefined) return known.digits + SUFFIX;
    for (;;) {
      const digits = randomDigits(GROUP_DIGITS);
      const added = this.#sql
        .exec("INSERT INTO cloud_groups (group_id, digits) VALUES (?, ?) ON CONFLICT (digits) DO NOTHING RETURNING 1", groupId, digits)
        .toArray();
      if (added.length > 0) return digits + SUFFIX;
    }
  }

  idOf(chatId: ChatId): string | null {
    if (!chatId.endsWith(SUFFIX)) return null;
    const digits = chatId.slice(0, -SUFFIX.length);
    return (
      this.#sql.exec<{ group_id: string }>("SELECT group_id FROM cloud_groups WHERE digits = ?", digits).toArray()[0]?.group_id ?? null
    );
  }
}

class CloudSpellings {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  of(asked: string): string {
    return this.#sql.exec<{ wa_id: string }>("SELECT wa_id FROM cloud_spellings WHERE asked = ?", asked).toArray()[0]?.wa_id ?? asked;
  }

  /** Keeps the first spelling, because Meta's responses and webhooks may spell the same phone number differently. */
  named(phone: string): string {
    const other = otherSpelling(phone);
    if (other === null) return phone;
    if (this.of(phone) === other) return other;
    if (this.of(other) !== phone) this.#store(other, phone);
    return phone;
  }

  learn(asked: string, waId: string): void {
    if (this.of(asked) === waId) return;
    if (asked === waId) this.#sql.exec("DELETE FROM cloud_spellings WHERE asked = ?", asked);
    else this.#store(asked, waId);
  }

  #store(asked: string, waId: string): void {
    this.#sql.exec("INSERT OR REPLACE INTO cloud_spellings (asked, wa_id) VALUES (?, ?)", asked, waId);
  }
}
