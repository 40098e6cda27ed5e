// Commands from an object to its number's network. A name or field must keep its meaning, because bridges and objects run different builds.
import * as z from "zod";
import { SendRequest, MediaRef, MessageRef } from "./content.ts";
import { MessageId, Phone, Person, ChatId, Lid, LidPair } from "./ids.ts";
import { PasskeyAssertion } from "./passkey.ts";
import { NetworkChannel, ChannelMessageRecord } from "./channels.ts";
import { StoredPicture, BusinessProfile, PictureSize, PrivacyChange, PrivacySettings } from "./people.ts";
import { GroupPreview, GroupRequested, GroupSettings, GroupSnapshot, JoinRequest } from "./groups.ts";
import { StoredMedia } from "./message.ts";
import { OwnPresence } from "./records.ts";
import { NewChatQuota } from "./events.ts";

/** A `read` can be retried, and a `change` is idempotent. A `create` without a result may have happened. `send.settled` ends a `send`. */
export type CommandRow = { effect: "read" | "change" | "create" | "send"; input: z.ZodType; output: z.ZodType };

const nothing = z.object({});

const channel = { channel_id: ChatId };

const chat = { chat_id: ChatId };

/** Messages that an action covers, newest first, back to one from another sender. Devices use the list to detect newer messages. */
export const MessageRange = z.array(z.object({ ref: MessageRef, timestamp: z.number().int() }));
export type MessageRange = z.infer<typeof MessageRange>;

export const TYPING_STATES = ["typing", "recording", "paused"] as const;

const contact = { contact_id: ChatId };

const group = { group_id: ChatId };
const invitation = z.object({ code: z.string(), link: z.string() });

/** In the order of the request. `code` is the network's: 200 for success, and null if the network gave none for this person. */
const participantResults = z.array(z.object({ person: Person, code: z.number().int().nullable() }));

const label = { label_id: z.string(), name: z.string(), color: z.number().int() };

export const COMMANDS = {
  /** Returns at once. The outcome follows as a `send.settled` event. */
  send: { effect: "send", input: SendRequest, output: nothing },
  /** Each outcome arrives as `send.settled`, of kind `unknown` if this bridge has no record of the send. */
  recall: { effect: "read", input: z.object({ message_ids: z.array(MessageId) }), output: nothing },
  "session.pairing_code": {
    effect: "change",
    input: z.object({
      phone: Phone,
      code: z
        .string()
        .regex(/^[A-Z1-9]{8}$/)
        .nullable(),
    }),
    output: z.object({ code: z.string(), expires_at: z.number().int() }),
  },
  "session.passkey": { effect: "change", input: z.object({ assertion: PasskeyAssertion }), output: nothing },
  /** Each group is emitted as `group.snapshot` before the result. */
  "groups.refresh": { effect: "read", input: nothing, output: z.object({ group_ids: z.array(ChatId) }) },
  "groups.get": { effect: "read", input: z.object(group), output: GroupSnapshot },
  /** Returns one result per person. A session sets description and approval afterwards. The Cloud API returns only a request id. */
  "groups.create": {
    effect: "create",
    input: z.object({
      subject: z.string(),
      participants: z.array(Person),
      description: z.string().nullable().optional(),
      join_approval: z.boolean().nullable().optional(),
    }),
    output: z.union([z.object({ group: GroupSnapshot, participants: participantResults }), GroupRequested]),
  },
  "groups.subject": { effect: "change", input: z.object({ ...group, subject: z.string() }), output: nothing },
  "groups.description": { effect: "change", input: z.object({ ...group, description: z.string().nullable() }), output: nothing },
  /** Null removes the picture. Can also fail with `media_invalid` or `media_expired`. */
  "groups.picture": { effect: "change", input: z.object({ ...group, picture: MediaRef.nullable() }), output: nothing },
  /** One setting at a time, so that the caller knows which settings were applied if one is refused. */
  "groups.setting": { effect: "change", input: z.object({ ...group, setting: GroupSettings.partial() }), output: nothing },
  "groups.participants": {
    effect: "change",
    input: z.object({ ...group, action: z.enum(["add", "remove", "promote", "demote"]), participants: z.array(Person) }),
    output: z.object({ participants: participantResults }),
  },
  "groups.invite": { effect: "read", input: z.object(group), output: invitation },
  "groups.revoke_invite": { effect: "create", input: z.object(group), output: invitation },
  /** Fails with `group_not_found` for an unknown or revoked code. */
  "groups.preview": { effect: "read", input: z.object({ code: z.string() }), output: GroupPreview },
  /** `pending` means that an admin has to approve. Fails with `invite_invalid` for an unknown code. */
  "groups.join": { effect: "change", input: z.object({ code: z.string() }), output: z.object({ ...group, pending: z.boolean() }) },
  "groups.leave": { effect: "change", input: z.object(group), output: nothing },
  "groups.requests": { effect: "read", input: z.object(group), output: z.object({ requests: z.array(JoinRequest) }) },
  "groups.decide": {
    effect: "change",
    input: z.object({ ...group, verdict: z.enum(["approve", "reject"]), participants: z.array(Person) }),
    output: z.object({ participants: participantResults }),
  },
  "messages.star": { effect: "change", input: z.object({ ref: MessageRef, star: z.boolean() }), output: nothing },
  "messages.delete_for_me": { effect: "change", input: z.object({ ref: MessageRef, timestamp: z.number().int() }), output: nothing },
  "messages.clear": { effect: "change", input: z.object({ chat_id: ChatId, range: MessageRange }), output: nothing },
  /** Downloads the file of `NetworkMessage.raw` into R2. Fails with `media_expired` when the network has deleted it. */
  "messages.fetch_media": { effect: "read", input: z.object({ raw: z.string() }), output: StoredMedia },
  /** In the order of the request. `found` is the number as the network writes it, or null if it does not have an account. */
  "contacts.check": {
    effect: "read",
    input: z.object({ phones: z.array(Phone).min(1).max(50) }),
    output: z.object({ items: z.array(z.object({ phone: Phone, found: Phone.nullable() })) }),
  },
  /** `contact_id` is the number as the network writes it. Fails with `number_not_on_network`. */
  "contacts.save": {
    effect: "change",
    input: z.object({ ...contact, full_name: z.string(), first_name: z.string().nullable() }),
    output: z.object(contact),
  },
  "contacts.remove": { effect: "change", input: z.object(contact), output: nothing },
  "contacts.blocked": { effect: "read", input: nothing, output: z.object({ persons: z.array(Person) }) },
  "contacts.block": { effect: "change", input: z.object({ ...contact, blocked: z.boolean() }), output: nothing },
  /** `about` is null when it is empty or hidden. `set_at` is in Unix seconds. Fails with `contact_not_found`. */
  "contacts.about": {
    effect: "read",
    input: z.object(contact),
    output: z.object({ about: z.string().nullable(), set_at: z.number().int().nullable() }),
  },
  "contacts.business_profile": { effect: "read", input: z.object(contact), output: z.object({ business: BusinessProfile.nullable() }) },
  /** Finds only numbers that were seen before, because the network offers no lookup. Fails with `contact_not_found`. */
  "contacts.phone": { effect: "read", input: z.object({ lid: Lid }), output: LidPair },
  "contacts.lid": { effect: "read", input: z.object({ phone: Phone }), output: LidPair },
  /** Copies the picture into R2. Fails with `picture_not_found` when there is none or the network hides it. */
  "pictures.get": { effect: "read", input: z.object({ chat_id: ChatId, size: PictureSize }), output: StoredPicture },
  /** Returns the profile as the network would show it to others without the privacy settings. */
  "profile.get": {
    effect: "read",
    input: nothing,
    output: z.object({ about: z.string().nullable(), picture: StoredPicture.nullable(), business: BusinessProfile.nullable() }),
  },
  "profile.name": { effect: "change", input: z.object({ name: z.string() }), output: nothing },
  "profile.about": { effect: "change", input: z.object({ about: z.string() }), output: nothing },
  "profile.picture": { effect: "change", input: z.object({ picture: MediaRef.nullable() }), output: nothing },
  "profile.privacy": { effect: "read", input: nothing, output: PrivacySettings },
  /** Settings change one at a time, so earlier ones stay changed after a failure. Returns all settings. */
  "profile.set_privacy": { effect: "change", input: PrivacyChange, output: PrivacySettings },
  "labels.put": { effect: "change", input: z.object({ ...label, predefined: z.boolean() }), output: nothing },
  "labels.remove": { effect: "change", input: z.object(label), output: nothing },
  /** Labels change one at a time, so earlier ones stay changed after a failure. Fails with `chat_not_found`. */
  "labels.chat": {
    effect: "change",
    input: z.object({ chat_id: ChatId, add: z.array(z.string()), remove: z.array(z.string()) }),
    output: z.object({ chat_id: ChatId }),
  },
  "labels.message": {
    effect: "change",
    input: z.object({ chat_id: ChatId, message_id: MessageId, label_id: z.string(), labelled: z.boolean() }),
    output: nothing,
  },
  /** Requests labels from the network again, because some may have been missing after pairing. They arrive as events. */
  "labels.resync": { effect: "read", input: nothing, output: nothing },
  "channels.create": {
    effect: "create",
    input: z.object({ name: z.string(), description: z.string().nullable() }),
    output: NetworkChannel,
  },
  "channels.get": {
    effect: "read",
    input: z.object({ channel_id: ChatId.nullable(), invite: z.string().nullable() }),
    output: z.object({ channel: NetworkChannel, picture: StoredPicture.nullable() }),
  },
  /** `description` "" and `picture` null remove the value. Can fail with `media_invalid` or `media_expired`. */
  "channels.update": {
    effect: "change",
    input: z.object({
      ...channel,
      name: z.string().optional(),
      description: z.string().optional(),
      picture: MediaRef.nullable().optional(),
    }),
    output: nothing,
  },
  "channels.remove": { effect: "change", input: z.object(channel), output: nothing },
  "channels.follow": { effect: "change", input: z.object({ ...channel, follow: z.boolean() }), output: nothing },
  "channels.mute": { effect: "change", input: z.object({ ...channel, muted: z.boolean() }), output: nothing },
  /** Newest first. `before` is an exclusive server id. */
  "channels.messages": {
    effect: "read",
    input: z.object({ ...channel, limit: z.number().int().min(1).max(100), before: z.number().int().positive().nullable() }),
    output: z.object({ items: z.array(ChannelMessageRecord) }),
  },
  "channels.react": {
    effect: "change",
    input: z.object({ ...channel, server_id: z.number().int().positive(), reaction: z.string() }),
    output: nothing,
  },
  "chats.archive": { effect: "change", input: z.object({ ...chat, archived: z.boolean(), range: MessageRange }), output: nothing },
  "chats.pin": { effect: "change", input: z.object({ ...chat, pinned: z.boolean() }), output: nothing },
  /** `until` is in Unix seconds. -1 means forever, and null unmutes the chat. */
  "chats.mute": { effect: "change", input: z.object({ ...chat, until: z.number().int().nullable() }), output: nothing },
  /** Sends read receipts for `unread` first, if the account's privacy settings allow it. */
  "chats.seen": { effect: "change", input: z.object({ ...chat, unread: z.array(MessageRef), range: MessageRange }), output: nothing },
  "chats.unread": { effect: "change", input: z.object({ ...chat, range: MessageRange }), output: nothing },
  /** Requests messages older than this one from the phone. If the phone has them, they arrive as history. */
  "chats.history": {
    effect: "read",
    input: z.object({ ...chat, ref: MessageRef, timestamp: z.number().int(), count: z.number().int().min(1).max(50) }),
    output: nothing,
  },
  "chats.delete": { effect: "change", input: z.object({ ...chat, range: MessageRange }), output: nothing },
  /** The state ends after `duration_ms`. If that is 0, it lasts until another call ends it. Fails with `number_not_on_network`. */
  "chats.typing": {
    effect: "change",
    input: z.object({ ...chat, state: z.enum(TYPING_STATES), duration_ms: z.number().int().min(0).max(25_000) }),
    output: nothing,
  },
  /** Fails with `profile_name_unknown`, because presence is sent with the profile's name. */
  "presence.set": { effect: "change", input: z.object({ presence: OwnPresence }), output: nothing },
  /** Waits up to `wait_ms` for the first presences. Results are in the order of the request, and null for a number without an account. */
  "presence.subscribe": {
    effect: "change",
    input: z.object({ chat_ids: z.array(ChatId), wait_ms: z.number().int().min(0).max(5_000) }),
    output: z.object({ chat_ids: z.array(ChatId.nullable()) }),
  },
  "presence.unsubscribe": { effect: "change", input: z.object({ chat_id: ChatId }), output: nothing },
  /** Emits no event (docs/use/connection-api.md, "Changes"). Fails with `call_not_found`. */
  "calls.reject": { effect: "change", input: z.object({ call_id: z.string(), from: Person }), output: nothing },
  /** Emits the restriction as `session.restriction` before the result. `new_chat_quota` is null when the network reports none. */
  "account.limits": { effect: "read", input: nothing, output: z.object({ new_chat_quota: NewChatQuota.nullable() }) },
} as const satisfies Record<string, CommandRow>;

export type CommandName = keyof typeof COMMANDS;
export type CommandInput<N extends CommandName> = z.infer<(typeof COMMANDS)[N]["input"]>;
export type CommandOutput<N extends CommandName> = z.infer<(typeof COMMANDS)[N]["output"]>;
/** Commands that a session handles itself, because they do not wait for a result or need no open connection to the network. */
export type SessionCommand = "send" | "recall" | "session.pairing_code" | "session.passkey";
export type NetworkCommand = Exclude<CommandName, SessionCommand>;

export function effectOf(name: CommandName): CommandRow["effect"] {
  return COMMANDS[name].effect;
}
