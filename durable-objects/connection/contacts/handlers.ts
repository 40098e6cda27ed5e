import { chatIdOf, type ChatId, chatKind, personOf } from "@gateway/protocol/ids.ts";
import type { HandlersOf } from "../handlers.ts";
import type { AccountLimitsCache } from "../instance/account-limits-cache.ts";
import type { Instance } from "../instance/instance.ts";
import type { Identity } from "../instance/identity.ts";
import type { Pacing } from "../outbox/pacing.ts";
import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import { fail, succeed, type Failure, type Outcome } from "@gateway/protocol/failures.ts";
import { retryAfterSeconds } from "@gateway/domain/admission/sliding-window.ts";
import { LIMITS } from "@gateway/domain/limits.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";

type ContactOperation =
  | "contacts.list"
  | "contacts.get"
  | "contacts.check"
  | "contacts.reachability"
  | "contacts.save"
  | "contacts.remove"
  | "contacts.blocked"
  | "contacts.block"
  | "contacts.about"
  | "contacts.business_profile"
  | "contacts.phone"
  | "contacts.lid";

const NOT_FOUND = fail("contact_not_found");

export type ContactDependencies = {
  identity: Pick<Identity, "kind">;
  instance: Pick<Instance, "state">;
  limits: AccountLimitsCache;
  network: NetworkClient;
  pacing: Pacing;
  stores: Stores;
};

/** Contact operations. The bridge reports each change before it responds to the command, so the store is up to date by then. */
export function contactHandlers(deps: ContactDependencies): HandlersOf<ContactOperation> {
  const { network, stores } = deps;
  const batches = new BatchLimiter();
  return {
    "contacts.list": (input) => stores.contacts.list({ ...input, blocked: null }),

    "contacts.get": ({ contact_id }) => {
      const contact = stores.contacts.get(contact_id);
      return contact === null ? NOT_FOUND : succeed(contact);
    },

    "contacts.check": async ({ phones }) => {
      const allowed = phones.length === 1 ? null : await batches.acquire(Date.now());
      return allowed?.ok === false ? allowed : network.command("contacts.check", { phones });
    },

    "contacts.reachability": async ({ contact_id }) => {
      const chatId = stores.lids.chat(contact_id);
      const standing = stores.chats.isKnown(chatId) ? null : deps.limits.get();
      const [exists] = await Promise.all([existsOnNetwork(deps, chatId), standing]);
      return succeed(deps.pacing.reachability(chatId, exists, Date.now()));
    },

    "contacts.save": async (input) => {
      const saved = await network.command("contacts.save", input);
      if (!saved.ok) return saved;
      const contact = stores.contacts.get(saved.value.contact_id);
      return contact === null ? NOT_FOUND : succeed(contact);
    },

    "contacts.remove": ({ contact_id }) =>
      stores.contacts.get(contact_id) === null ? NOT_FOUND : network.command("contacts.remove", { contact_id }),

    "contacts.blocked": async () => {
      const result = await network.command("contacts.blocked", {});
      if (!result.ok) return result;
      const persons = result.value.persons.map((person) => stores.lids.person(person));
      stores.contacts.replaceBlocked(persons, Date.now());
      return succeed({ contact_ids: [...new Set(persons.map(chatIdOf))] });
    },

    "contacts.block": (input) => network.command("contacts.block", input),

    "contacts.about": async ({ contact_id }) => {
      const result = await network.command("contacts.about", { contact_id });
      if (!result.ok) return result;
      const { about, set_at } = result.value;
      return succeed({ about, set_at: set_at === null ? null : set_at * 1000 });
    },

    "contacts.business_profile": async ({ contact_id }) => {
      const result = await network.command("contacts.business_profile", { contact_id });
      if (!result.ok) return result;
      const { business } = result.value;
      return business === null ? fail("business_profile_not_found") : succeed(business);
    },

    "contacts.phone": ({ lid }) => {
      const phone = stores.lids.phoneOf(lid);
      return phone === null ? network.command("contacts.phone", { lid }) : succeed({ lid, phone });
    },

    "contacts.lid": ({ phone }) => {
      const lid = stores.lids.lidOf(phone);
      return lid === null ? network.command("contacts.lid", { phone }) : succeed({ lid, phone });
    },
  };
}

/** Asks the network only about people who have never messaged this number. Returns null if the network cannot be reached. */
async function existsOnNetwork({ identity, instance, network, stores }: ContactDependencies, chatId: ChatId): Promise<boolean | null> {
  if (stores.messages.lastReceived(chatId, 1).length > 0) return true;
  const phone = personOf(chatId)?.phone ?? null;
  if (phone === null || identity.kind !== "session" || instance.state.status !== "connected") return null;
  const result = await network.command("contacts.check", { phones: [phone] });
  const [asked] = result.ok ? result.value.items : [];
  return asked === undefined ? null : asked.found !== null;
}

/** Bulk look-ups could look like spam to the network. */
const BATCH_INTERVAL_MS = 5_000;
const MAX_WAIT_MS = 15_000;

class BatchLimiter {
  #nextAt = 0;

  /** Waits for the next batch slot. Fails with `rate_limited` if too many callers are already waiting. `now` in Unix ms. */
  async acquire(now: number): Promise<Outcome<null>> {
    // Drops a slot that is too far ahead, because it was reserved before the clock was set back.
    if (this.#nextAt - now > MAX_WAIT_MS + BATCH_INTERVAL_MS) this.#nextAt = now;
    const waitMs = Math.max(0, this.#nextAt - now);
    if (waitMs > MAX_WAIT_MS) return fail(tooMany(waitMs - MAX_WAIT_MS));
    this.#nextAt = now + waitMs + BATCH_INTERVAL_MS;
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
    return succeed(null);
  }
}

function tooMany(ms: number): Failure {
  return { code: "rate_limited", retryAfter: retryAfterSeconds(ms) };
}

export function pictureHandlers(network: NetworkClient, stores: Stores): HandlersOf<"pictures.get"> {
  return {
    "pictures.get": async (input) => {
      const result = await network.command("pictures.get", input);
      if (!result.ok) {
        if (result.failure.code === "picture_not_found") storePicture(stores, input.chat_id, null);
        return result;
      }
      const { media, stored_at } = result.value;
      storePicture(stores, input.chat_id, media);
      return succeed({ media, expires_at: stored_at + LIMITS.mediaRetentionMs });
    },
  };
}

function storePicture(stores: Stores, chatId: ChatId, picture: StoredMedia | null): void {
  const kind = chatKind(chatId);
  if (kind === "direct") stores.contacts.setPicture(chatId, picture);
  else stores.chats.setPicture(chatId, picture);
  if (kind === "channel") stores.channels.setPicture(chatId, picture);
}
