// Where a message goes: is the number on the network at all, and under which spelling? (Brazil has numbers with and without the
// ninth digit: catalogue 1.0, "Phones".)
import { z } from "zod";
import type { Outcome } from "../../../../src/protocol/failures.ts";
import type { ChatId } from "../../../../src/protocol/ids.ts";
import { BoundedMap } from "../bounded-map.ts";
import { addressOf, isPerson, jidOfChat, userOf } from "../jids.ts";
import { bookOf } from "../lids.ts";
import { failureOfError, type Subject } from "../network-failures.ts";
import { perSession } from "../per-session.ts";
import type { SessionContext } from "../session-context.ts";

export type Recipient = {
  jid: string;
  /** The chat as the network knows it. */
  chatId: ChatId;
  subject: Subject;
  /** Digits, when they differ from those that were asked for. */
  toResolved: string | null;
};

/** A number that has another spelling on the network. Those that have not need no row: the library stores their LID. */
const Alias = z.object({ phone: z.string(), at: z.number() });
const ALIAS_MS = 30 * 24 * 3_600_000;
/** People join the network; a "no" is not kept for long. */
const ABSENT_MS = 600_000;

type Answer = Outcome<{ phone: string | null }>;

/** What the network said of numbers it was asked about. */
class Numbers {
  readonly #absentUntil = new BoundedMap<string, number>(1_000);
  readonly #asking = new Map<string, Promise<Answer>>();

  /** The number's spelling on the network; null when it has no account. */
  async find(ctx: SessionContext, phone: string): Promise<Answer> {
    if ((this.#absentUntil.get(phone) ?? 0) > ctx.now()) return { ok: true, value: { phone: null } };
    const alias = storedAlias(ctx, phone);
    if (alias !== null) return { ok: true, value: { phone: alias } };
    if (isKnown(ctx, phone)) return { ok: true, value: { phone } };
    const running = this.#asking.get(phone);
    if (running) return running;
    const asking = this.#ask(ctx, phone).finally(() => this.#asking.delete(phone));
    this.#asking.set(phone, asking);
    return asking;
  }

  async #ask(ctx: SessionContext, phone: string): Promise<Answer> {
    try {
      const answers = await ctx.sock.onWhatsApp(phone);
      // No answer at all is no answer about the number.
      if (answers === undefined) return { ok: false, failure: { code: "unavailable" } };
      const found = answers.find(({ exists }) => exists);
      const spelling = userOf(found?.jid);
      if (spelling === null) this.#absentUntil.set(phone, ctx.now() + ABSENT_MS);
      else if (spelling !== phone) ctx.rows.put(`number|${phone}`, JSON.stringify({ phone: spelling, at: ctx.now() }));
      return { ok: true, value: { phone: spelling } };
    } catch (error) {
      return { ok: false, failure: failureOfError(error, "person") };
    }
  }
}

const numbersOf = perSession(() => new Numbers());

export async function resolveRecipient(ctx: SessionContext, chatId: ChatId): Promise<Outcome<Recipient>> {
  const address = addressOf(jidOfChat(chatId));
  if (address === null) return { ok: false, failure: { code: "number_not_on_network" } };
  if (!isPerson(address)) {
    const subject = address.kind === "group" || address.kind === "channel" ? address.kind : "status";
    return { ok: true, value: { jid: address.id, chatId, subject, toResolved: null } };
  }
  const asked = address.kind === "phone" ? address.user : bookOf(ctx.link).phoneOf(address.user);
  // A LID whose phone nobody knows was given to us by the network: it exists.
  if (asked === null) return { ok: true, value: { jid: `${address.user}@lid`, chatId, subject: "person", toResolved: null } };
  const found = await numbersOf(ctx.link).find(ctx, asked);
  if (!found.ok) return found;
  const { phone } = found.value;
  if (phone === null) return { ok: false, failure: { code: "number_not_on_network" } };
  return {
    ok: true,
    value: { jid: `${phone}@s.whatsapp.net`, chatId: `${phone}@c.us`, subject: "person", toResolved: phone === asked ? null : phone },
  };
}

function storedAlias(ctx: SessionContext, phone: string): string | null {
  const row = ctx.rows.get(`number|${phone}`);
  if (row === undefined) return null;
  const alias = Alias.safeParse(JSON.parse(row.toString()));
  return alias.success && ctx.now() - alias.data.at < ALIAS_MS ? alias.data.phone : null;
}

/** Whoever has a LID has an account. */
function isKnown(ctx: SessionContext, phone: string): boolean {
  return bookOf(ctx.link).lidOf(phone) !== null || ctx.rows.get(`lid-mapping|${phone}`) !== undefined;
}
