import * as z from "zod";
import type { Account, Device, Newsletter } from "../model.ts";
import type { Network, NetworkState } from "../network-state.ts";
import { nowSeconds } from "../node.ts";
import { freshId } from "../notifications.ts";
import { newChatCapOf, restrictionOf } from "../new-chats.ts";
import { notifyOwnDevices, notifyUpdate, findNewsletter, newNewsletter, newsletterView } from "./newsletter.ts";

export type MexAnswer = { ok: true; data: unknown } | { ok: false; code: number; message: string };

export type MexOperation = {
  path: string;
  variables: z.ZodType;
  run: (network: NetworkState, from: Device, variables: unknown) => MexAnswer;
};

const One = z.object({ newsletter_id: z.string() });
const Person = One.extend({ user_id: z.string() });
const Creation = z.object({
  input: z.object({ name: z.string().min(1), description: z.string().nullish(), picture: z.string().nullish() }),
});
const Lookup = z.looseObject({ input: z.object({ key: z.string() }) });
const LOOKUP_FLAGS = [
  "fetch_creation_time",
  "fetch_full_image",
  "fetch_pinned_messages",
  "fetch_status_metadata",
  "fetch_viewer_metadata",
  "fetch_wamo_sub",
];
const Update = One.extend({
  updates: z.object({ name: z.string().nullish(), description: z.string().nullish(), picture: z.string().nullish() }),
});

const About = z.object({
  input: z.object({
    text: z.string().nullable(),
    emoji: z.object({ content: z.string() }).optional(),
    ephemeral_duration_sec: z.number().int().min(0),
  }),
});

const FORBIDDEN: MexAnswer = { ok: false, code: 403, message: "Forbidden" };
const BAD_REQUEST: MexAnswer = { ok: false, code: 400, message: "Bad Request" };
const NOT_FOUND: MexAnswer = { ok: false, code: 404, message: "Not Found" };

export const MEX_OPERATIONS: Record<string, MexOperation> = {
  "8823471724422422": operation("xwa2_newsletter_create", Creation, create),
  "6563316087068696": operation("xwa2_newsletter", Lookup, (network, from, { input, ...flags }) => {
    const isComplete = LOOKUP_FLAGS.every((flag) => typeof flags[flag] === "boolean");
    if (!isComplete && network.oldForms.refuses(from, "newsletter/flags")) return BAD_REQUEST;
    const newsletter = findNewsletter(network, input.key);
    return newsletter ? ok(newsletterView(network, newsletter, from.account)) : NOT_FOUND;
  }),
  "6388546374527196": operation("xwa2_newsletter_subscribed", z.object({}), (network, { account }) =>
    ok(
      [...network.newsletters.values()]
        .filter(({ followers }) => followers.has(account.pn))
        .map((one) => newsletterView(network, one, account)),
    ),
  ),
  "24404358912487870": about("xwa2_newsletter_join_v2", follow),
  "9767147403369991": about("xwa2_newsletter_leave_v2", unfollow),
  "29766401636284406": about("xwa2_newsletter_mute_v2", (network, from, newsletter) => setMuted(network, from, newsletter, true)),
  "9864994326891137": about("xwa2_newsletter_unmute_v2", (network, from, newsletter) => setMuted(network, from, newsletter, false)),
  "24250201037901610": operation("xwa2_newsletter_update", Update, update),
  "9783111038412085": about("xwa2_newsletter_subscribers", (_network, _from, newsletter) =>
    ok({ id: newsletter.id, subscribers: newsletter.followers.size }),
  ),
  "7130823597031706": about("xwa2_newsletter_admin", (_network, _from, newsletter) =>
    ok({ id: newsletter.id, admin_count: [...newsletter.followers.values()].filter(({ role }) => role !== "SUBSCRIBER").length }),
  ),
  "7341777602580933": operation("xwa2_newsletter_change_owner", Person, changeOwner),
  "6551828931592903": operation("xwa2_newsletter_demote", Person, demote),
  "30062808666639665": about("xwa2_newsletter_delete_v2", remove),
  "9152604461510864": operation("xwa2_update_text_status", About, (network, { account }, { input }) => {
    account.about = { text: input.text ?? "", at: nowSeconds() };
    network.store.saveAccount(account);
    return ok({ text: account.about.text });
  }),
  "23983697327930364": operation("xwa2_fetch_account_reachout_timelock", z.object({}), (_network, { account }) =>
    ok(restrictionOf(account)),
  ),
  "24503548349331633": operation("xwa2_message_capping_info", z.object({}), (_network, { account }) => ok(newChatCapOf(account))),
};

function create(
  network: Network<"blobs" | "delivery" | "newsletters" | "store">,
  from: Device,
  { input }: z.infer<typeof Creation>,
): MexAnswer {
  const newsletter = newNewsletter(network, from.account, input.name, input.description ?? "");
  if (input.picture) setPicture(network, newsletter, input.picture);
  notifyOwnDevices(network, from, newsletter, "NotificationNewsletterJoin");
  return ok(newsletterView(network, newsletter, from.account));
}

function follow(network: Network<"delivery" | "store">, from: Device, newsletter: Newsletter): MexAnswer {
  if (!newsletter.followers.has(from.account.pn)) {
    newsletter.followers.set(from.account.pn, { role: "SUBSCRIBER", muted: false });
    network.store.saveNewsletter(newsletter);
    notifyOwnDevices(network, from, newsletter, "NotificationNewsletterJoin");
  }
  return ok({ id: newsletter.id, state: { type: "ACTIVE" } });
}

function unfollow(network: Network<"delivery" | "store">, from: Device, newsletter: Newsletter): MexAnswer {
  // Owners cannot leave. They must transfer or delete the channel.
  if (newsletter.followers.get(from.account.pn)?.role === "OWNER") return FORBIDDEN;
  newsletter.followers.delete(from.account.pn);
  network.store.saveNewsletter(newsletter);
  notifyOwnDevices(network, from, newsletter, "NotificationNewsletterLeave");
  return ok({ id: newsletter.id, state: { type: "ACTIVE" } });
}

function setMuted(network: Network<"store">, from: Device, newsletter: Newsletter, muted: boolean): MexAnswer {
  const follower = newsletter.followers.get(from.account.pn);
  if (!follower) return FORBIDDEN;
  follower.muted = muted;
  network.store.saveNewsletter(newsletter);
  return ok({ id: newsletter.id, viewer_metadata: { mute: muted ? "ON" : "OFF" } });
}

function update(
  network: Network<"blobs" | "delivery" | "directory" | "newsletters" | "store">,
  from: Device,
  { newsletter_id, updates }: z.infer<typeof Update>,
): MexAnswer {
  const newsletter = network.newsletters.get(newsletter_id);
  if (!newsletter) return NOT_FOUND;
  if (!isAdmin(newsletter, from.account)) return FORBIDDEN;
  if (updates.name) newsletter.name = updates.name;
  if (updates.description !== undefined && updates.description !== null) newsletter.description = updates.description;
  if (updates.picture !== undefined && updates.picture !== null) setPicture(network, newsletter, updates.picture);
  newsletter.updatedAt = nowSeconds();
  network.store.saveNewsletter(newsletter);
  notifyUpdate(network, newsletter, { name: newsletter.name, description: newsletter.description });
  return ok(newsletterView(network, newsletter, from.account));
}

function changeOwner(
  network: Network<"directory" | "newsletters" | "store">,
  from: Device,
  { newsletter_id, user_id }: z.infer<typeof Person>,
): MexAnswer {
  const newsletter = network.newsletters.get(newsletter_id);
  const heir = network.directory.find(user_id);
  const follower = heir && newsletter?.followers.get(heir.pn);
  const owner = newsletter?.followers.get(from.account.pn);
  if (!newsletter || !follower) return NOT_FOUND;
  if (owner?.role !== "OWNER") return FORBIDDEN;
  owner.role = "ADMIN";
  follower.role = "OWNER";
  network.store.saveNewsletter(newsletter);
  return ok({ id: newsletter.id });
}

function demote(
  network: Network<"directory" | "newsletters" | "store">,
  from: Device,
  { newsletter_id, user_id }: z.infer<typeof Person>,
): MexAnswer {
  const newsletter = network.newsletters.get(newsletter_id);
  const target = network.directory.find(user_id);
  const follower = target && newsletter?.followers.get(target.pn);
  if (!newsletter || !follower) return NOT_FOUND;
  if (newsletter.followers.get(from.account.pn)?.role !== "OWNER" || follower.role !== "ADMIN") return FORBIDDEN;
  follower.role = "SUBSCRIBER";
  network.store.saveNewsletter(newsletter);
  return ok({ id: newsletter.id });
}

function remove(network: Network<"delivery" | "newsletters" | "store">, from: Device, newsletter: Newsletter): MexAnswer {
  if (newsletter.followers.get(from.account.pn)?.role !== "OWNER") return FORBIDDEN;
  network.newsletters.delete(newsletter.id);
  network.store.removeNewsletter(newsletter);
  notifyOwnDevices(network, from, newsletter, "NotificationNewsletterLeave");
  return ok({ id: newsletter.id, state: { type: "DELETED" } });
}

function setPicture(network: Network<"blobs" | "store">, newsletter: Newsletter, base64: string): void {
  newsletter.picture = base64 === "" ? undefined : { id: freshId(), path: network.blobs.put(Buffer.from(base64, "base64"), "jpg") };
  network.store.saveNewsletter(newsletter);
}

function isAdmin(newsletter: Newsletter, account: Account): boolean {
  const role = newsletter.followers.get(account.pn)?.role;
  return role === "OWNER" || role === "ADMIN";
}

function ok(data: unknown): MexAnswer {
  return { ok: true, data };
}

// `variables` is parsed before `run` is called, so the cast is safe.
function operation<T>(
  path: string,
  variables: z.ZodType<T>,
  run: (network: NetworkState, from: Device, variables: T) => MexAnswer,
): MexOperation {
  return { path, variables, run: (network, from, parsed) => run(network, from, parsed as T) };
}

function about(path: string, run: (network: NetworkState, from: Device, newsletter: Newsletter) => MexAnswer): MexOperation {
  return operation(path, One, (network, from, { newsletter_id }) => {
    const newsletter = network.newsletters.get(newsletter_id);
    return newsletter ? run(network, from, newsletter) : NOT_FOUND;
  });
}
