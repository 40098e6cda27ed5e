import * as z from "zod";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { boundedCache, perSession } from "../session/per-session.ts";
import { lidMappingOf } from "./lid-mapping.ts";
import { failureOfError } from "../session/network-failures.ts";
import type { SessionContext } from "../session/session-context.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { getBinaryNodeChild, getBinaryNodeChildren, S_WHATSAPP_NET, type BinaryNode } from "baileys";
import { userOf } from "./jids.ts";

/** A number that is registered in another form, as some Brazilian ones are. Others need no row, because the library stores their LID. */
const Alias = z.object({ phone: z.string(), at: z.number() });
const ALIAS_RETENTION_MS = 30 * DAY_MS;
const ABSENT_CACHE_MS = 600_000;

type NetworkNumber = string | null;

class RegisteredNumbers {
  readonly #absentUntil = boundedCache<string, number>(1_000);
  readonly #pending = new Map<string, Promise<Outcome<NetworkNumber>>>();

  async lookUp(ctx: SessionContext, phone: string): Promise<Outcome<NetworkNumber>> {
    const known = this.#cached(ctx, phone);
    if (known !== undefined) return { ok: true, value: known };
    const running = this.#pending.get(phone);
    if (running) return running;
    const query = this.#query(ctx, [phone])
      .then((result): Outcome<NetworkNumber> => (result.ok ? { ok: true, value: result.value.get(phone) ?? null } : result))
      .finally(() => this.#pending.delete(phone));
    this.#pending.set(phone, query);
    return query;
  }

  async lookUpAll(ctx: SessionContext, phones: readonly string[]): Promise<Outcome<ReadonlyMap<string, NetworkNumber>>> {
    const numbers = new Map<string, NetworkNumber>();
    for (const phone of phones) {
      const known = this.#cached(ctx, phone);
      if (known !== undefined) numbers.set(phone, known);
    }
    const open = [...new Set(phones)].filter((phone) => !numbers.has(phone));
    if (open.length === 0) return { ok: true, value: numbers };
    const result = await this.#query(ctx, open);
    return result.ok ? { ok: true, value: new Map([...numbers, ...result.value]) } : result;
  }

  #cached(ctx: SessionContext, phone: string): NetworkNumber | undefined {
    if ((this.#absentUntil.get(phone) ?? 0) > ctx.now()) return null;
    return storedAlias(ctx, phone) ?? (isKnown(ctx, phone) ? phone : undefined);
  }

  async #query(ctx: SessionContext, phones: readonly string[]): Promise<Outcome<ReadonlyMap<string, NetworkNumber>>> {
    try {
      const found = await registeredAmong(ctx, phones);
      if (found === undefined) return fail("unavailable");
      return { ok: true, value: new Map(phones.map((phone) => [phone, this.#store(ctx, phone, networkNumberOf(phone, found, phones))])) };
    } catch (error) {
      return fail(failureOfError(error, "person"));
    }
  }

  #store(ctx: SessionContext, phone: string, number: NetworkNumber): NetworkNumber {
    if (number === null) this.#absentUntil.set(phone, ctx.now() + ABSENT_CACHE_MS);
    else if (number !== phone) ctx.rows.put(`number|${phone}`, JSON.stringify({ phone: number, at: ctx.now() }));
    return number;
  }
}

export const registeredNumbersOf = perSession(() => new RegisteredNumbers());

function storedAlias(ctx: SessionContext, phone: string): string | null {
  const row = ctx.rows.get(`number|${phone}`);
  if (row === undefined) return null;
  const alias = Alias.safeParse(JSON.parse(row.toString()));
  return alias.success && ctx.now() - alias.data.at < ALIAS_RETENTION_MS ? alias.data.phone : null;
}

function isKnown(ctx: SessionContext, phone: string): boolean {
  return lidMappingOf(ctx.session).lidOf(phone) !== null || ctx.rows.get(`lid-mapping|${phone}`) !== undefined;
}

/** The response lists accounts, not the queried numbers. An account whose number has another form is matched by the common digits. */
function networkNumberOf(phone: string, found: readonly string[], phones: readonly string[]): NetworkNumber {
  if (found.includes(phone)) return phone;
  if (phones.length === 1) return found[0] ?? null;
  return (
    found.find((other) => !phones.includes(other) && other.slice(0, 4) === phone.slice(0, 4) && other.slice(-8) === phone.slice(-8)) ?? null
  );
}

// Looks up which numbers have an account, and the accounts' LIDs. The library's own look-up uses an outdated form.

/** Returns the accounts' numbers in the network's form, or undefined if there is no response. Throws if the network refuses. */
export async function registeredAmong(ctx: SessionContext, phones: readonly string[]): Promise<string[] | undefined> {
  const users = phones.map((phone) => tag("user", {}, [tag("contact", {}, `+${phone}`)]));
  const query = tag("query", {}, [tag("contact", { addressing_mode: "lid" })]);
  const sid = ctx.sock.generateMessageTag();
  const attrs = { sid, mode: "query", context: "interactive", last: "true", index: "0" };
  const iq = tag("iq", { to: S_WHATSAPP_NET, type: "get", xmlns: "usync" }, [tag("usync", attrs, [query, tag("list", {}, users)])]);
  const reply = (await ctx.sock.query(iq)) as BinaryNode | undefined;
  if (reply === undefined) return undefined;
  const list = getBinaryNodeChild(getBinaryNodeChild(reply, "usync"), "list");
  const found = getBinaryNodeChildren(list, "user").filter((user) => getBinaryNodeChild(user, "contact")?.attrs["type"] === "in");
  const accounts = found.map(({ attrs: { jid = "", pn_jid: phone = jid } }) => ({ lid: jid, pn: phone }));
  await ctx.sock.signalRepository.lidMapping.storeLIDPNMappings(accounts.filter(({ lid, pn }) => lid !== pn));
  return accounts.flatMap(({ pn }) => userOf(pn) ?? []);
}

function tag(name: string, attrs: BinaryNode["attrs"], content?: BinaryNode["content"]): BinaryNode {
  return content === undefined ? { tag: name, attrs } : { tag: name, attrs, content };
}
