// Privacy tokens, with which a linked device shows that it may write to somebody: one that the other side has given its account (tctoken),
// or one of its own making for a first contact (cstoken). A message with neither counts as an attempt to reach a stranger: it is refused
// (463), and after a few of them the account may start no chats for a while.
import { createHmac, timingSafeEqual } from "node:crypto";
import type { BinaryNode } from "baileys";
import type { Delivery } from "../delivery/delivery.ts";
import type { Account, Device } from "../model.ts";
import { bytesOf, child, node } from "../node.ts";
import { notifyAccount } from "../notifications.ts";
import { restrict } from "../restriction.ts";
import type { Store } from "../store/store.ts";

/** Refused attempts until the account is restricted, and for how long. */
const ATTEMPTS = 3;
const RESTRICTED_SECONDS = 6 * 3_600;

export class PrivacyTokens {
  readonly #network: { readonly delivery: Delivery; readonly store: Store };
  readonly #attempts = new WeakMap<Account, number>();
  /** To whom, and the id. */
  readonly #taken = new WeakMap<Account, Set<string>>();

  constructor(network: { readonly delivery: Delivery; readonly store: Store }) {
    this.#network = network;
  }

  /**
   * Whether a message of the device to another account is refused for want of a token. A simulated phone needs none, and neither does a
   * message that was taken before and is sent again because somebody could not read it.
   */
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
    // Nobody can make one for who has no LID, or had none a moment ago.
    if (!account.needsToken || from.id === 0 || target === account) return false;
    if (target.phoneOnly || (target.moved && message.attrs["to"] === target.pnJid)) return false;
    if (same(child(message, "tctoken"), contactToken(target, account))) return false;
    // Who is restricted still reaches those who have written before, and nobody else.
    if ((account.restrictedUntil ?? 0) * 1000 > Date.now()) return true;
    if (account.nctSalt !== undefined && same(child(message, "cstoken"), firstContactToken(account.nctSalt, target))) return false;
    this.#countAttempt(account);
    return true;
  }

  /** The account trusts the other one: all devices of that one get its token. `at`: Unix seconds. */
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

/** What `issuer` gives to `holder`. */
function contactToken(issuer: Account, holder: Account): Buffer {
  return createHmac("sha256", issuer.lid).update(holder.lid).digest().subarray(0, 16);
}

/** What a device shows to somebody who has given it nothing: it names them by LID, without a device. */
function firstContactToken(salt: string, { lidJid }: Account): Buffer {
  return createHmac("sha256", Buffer.from(salt, "base64")).update(lidJid).digest();
}

function same(shown: BinaryNode | undefined, expected: Buffer): boolean {
  const bytes = bytesOf(shown);
  return bytes?.length === expected.length && timingSafeEqual(bytes, expected);
}
