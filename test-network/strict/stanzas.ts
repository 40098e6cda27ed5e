// Tokens for messages to a person (tctoken, or cstoken for a first contact). Messages without one get 463, and soon a restriction.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { BinaryNode } from "baileys";
import type { Delivery } from "../delivery/delivery.ts";
import type { Account, Device } from "../model.ts";
import { bytesOf, child, node } from "../node.ts";
import { notifyAccount } from "../notifications.ts";
import { restrict } from "../new-chats.ts";
import type { Store } from "../store/store.ts";
import type { Stats } from "../stats.ts";

const ATTEMPTS = 3;
const RESTRICTED_SECONDS = 6 * 3_600;

export class PrivacyTokens {
  readonly #network: { readonly delivery: Delivery; readonly store: Store };
  readonly #attempts = new WeakMap<Account, number>();
  /** Recipients and message ids that were accepted before. */
  readonly #taken = new WeakMap<Account, Set<string>>();

  constructor(network: { readonly delivery: Delivery; readonly store: Store }) {
    this.#network = network;
  }

  /** True if the message lacks a required token. Simulated phones and resends of accepted messages need none. */
  refuses(from: Device, target: Account, message: BinaryNode): boolean {
    const taken = this.#taken.get(from.account) ?? new Set();
    this.#taken.set(from.account, taken);
    const id = `${target.pn} ${message.attrs["id"]}`;
    if (!taken.has(id) && this.#lacksToken(from, target, message)) return true;
    taken.add(id);
    return false;
  }

  #lacksToken(from: Device, target: Account, message: BinaryNode): boolean {
    const { account } = from;
    // A person without a LID, or with a new one, needs no token, because nobody can create one for them.
    if (!account.needsToken || from.id === 0 || target === account) return false;
    if (target.phoneOnly || (target.moved && message.attrs["to"] === target.pnJid)) return false;
    if (same(child(message, "tctoken"), contactToken(target, account))) return false;
    // A restricted account can message only people who have messaged it before.
    if ((account.restrictedUntil ?? 0) * 1000 > Date.now()) return true;
    if (same(child(message, "cstoken"), firstContactToken(account.nctSalt, target))) return false;
    this.#countAttempt(account);
    return true;
  }

  /** Sends the account's token to all of a trusted account's devices. `at` is in Unix seconds. */
  give(account: Account, target: Account, at: string | undefined): void {
    notifyAccount(this.#network, target, undefined, { from: account.pnJid, type: "privacy_token", sender_lid: account.lidJid }, [
      node("tokens", {}, [node("token", { type: "trusted_contact", t: at }, contactToken(account, target))]),
    ]);
  }

  #countAttempt(account: Account): void {
    const attempts = (this.#attempts.get(account) ?? 0) + 1;
    this.#attempts.set(account, attempts);
    if (attempts % ATTEMPTS === 0) restrict(this.#network, account, Math.floor(Date.now() / 1000) + RESTRICTED_SECONDS);
  }
}

function contactToken(issuer: Account, holder: Account): Buffer {
  return createHmac("sha256", issuer.lid).update(holder.lid).digest().subarray(0, 16);
}

function firstContactToken(salt: string, { lidJid }: Account): Buffer {
  return createHmac("sha256", Buffer.from(salt, "base64")).update(lidJid).digest();
}

function same(shown: BinaryNode | undefined, expected: Buffer): boolean {
  const bytes = bytesOf(shown);
  return bytes?.length === expected.length && timingSafeEqual(bytes, expected);
}

// Stanza forms that the real network has replaced. They are counted, and a strict network rejects them.
type OldForm = "about/status" | "chatstate/from" | "create/key" | "newsletter/flags" | "usync/contact";

export class OldForms {
  readonly #strict: boolean;
  readonly #stats: Stats;

  constructor(strict: boolean, stats: Stats) {
    this.#strict = strict;
    this.#stats = stats;
  }

  /** Counts the form and returns true if it is refused. Simulated phones are never refused. */
  refuses(from: Device, form: OldForm): boolean {
    if (from.id === 0) return false;
    this.#stats.count("deprecated", form);
    return this.#strict;
  }
}
