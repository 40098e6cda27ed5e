// How a Cloud API number handles each command: by a Graph call, by a store change only, or not at all. A missing row is a compile error.
import type { CommandInput, CommandOutput, NetworkCommand } from "@gateway/protocol/commands.ts";
import type { NetworkEvent } from "@gateway/protocol/events.ts";
import { type Outcome, fail, succeed } from "@gateway/protocol/failures.ts";
import { personOf, type ChatId } from "@gateway/protocol/ids.ts";
import { type CloudContext, spelledChat, askNumber, DONE, type GraphCommands, PRODUCT, report, Success } from "./commands/asking.ts";
import { groupPeopleCommands } from "./commands/group-people.ts";
import { groupCommands } from "./commands/groups.ts";
import { peopleCommands, profileCommands } from "./commands/people.ts";
import { DAY_MS } from "@gateway/protocol/units.ts";
import { notConnected } from "@gateway/domain/cloud/failures.ts";
import type { Driver } from "../session/network-client.ts";

type GraphRow<N extends NetworkCommand> = {
  graph: (input: CommandInput<N>, context: CloudContext, deadlineMs: number) => Promise<Outcome<CommandOutput<N>>>;
};
/** Makes no Graph call, but emits the same events as a session would for this change. */
type StoreRow<N extends NetworkCommand> = {
  store: (input: CommandInput<N>, context: CloudContext) => { events: readonly NetworkEvent[]; output: CommandOutput<N> };
};
export type CloudRow<N extends NetworkCommand> = GraphRow<N> | StoreRow<N> | "absent";

const changed = (...events: NetworkEvent[]) => ({ events, output: {} });

const chatCommands: GraphCommands<"chats.seen" | "chats.typing"> = {
  // Only the last message is marked as read, because Graph then marks all earlier ones too.
  "chats.seen": async ({ chat_id }, context) => {
    const [last] = context.stores.messages.lastReceived(chat_id, 1);
    if (last !== undefined) return markRead(context, "chats.seen", chat_id, { message_id: last.ref.message_id });
    reportSeen(context, chat_id);
    return DONE;
  },

  // Graph can show typing only while marking a message as read, for 25 s or until the next message.
  "chats.typing": async ({ chat_id: asked, state }, context) => {
    if (state !== "typing") return fail("not_supported", { details: { kind: "cloud_api", field: "state" } });
    const chatId = spelledChat(context, asked);
    const [last] = context.stores.messages.lastReceived(chatId, 1);
    if (last === undefined || last.timestamp * 1000 <= context.clock() - DAY_MS) return fail("outside_service_window");
    return markRead(context, "chats.typing", chatId, { message_id: last.ref.message_id, typing_indicator: { type: "text" } });
  },
};

export const CLOUD_COMMANDS: { readonly [N in NetworkCommand]: CloudRow<N> } = {
  "account.limits": "absent",

  "calls.reject": { graph: peopleCommands["calls.reject"] },

  "chats.archive": { store: ({ chat_id, archived }) => changed({ type: "chat.updated", chat_id, archived }) },
  "chats.pin": { store: ({ chat_id, pinned }) => changed({ type: "chat.updated", chat_id, pinned }) },
  "chats.mute": { store: ({ chat_id, until }) => changed({ type: "chat.updated", chat_id, muted_until: until }) },
  "chats.delete": { store: ({ chat_id }) => changed({ type: "chat.deleted", chat_id }) },
  "chats.seen": { graph: chatCommands["chats.seen"] },
  "chats.typing": { graph: chatCommands["chats.typing"] },
  "chats.unread": "absent",
  "chats.history": "absent",

  "contacts.save": {
    store: (input, context) => {
      const contact_id = spelledChat(context, input.contact_id);
      return { events: saved(contact_id, input.full_name), output: { contact_id } };
    },
  },
  "contacts.remove": { store: ({ contact_id }) => changed(...saved(contact_id, null)) },
  "contacts.blocked": { graph: peopleCommands["contacts.blocked"] },
  "contacts.block": { graph: peopleCommands["contacts.block"] },
  "contacts.check": "absent",
  "contacts.about": "absent",
  "contacts.business_profile": "absent",
  "contacts.phone": "absent",
  "contacts.lid": "absent",

  "groups.refresh": { graph: groupCommands["groups.refresh"] },
  "groups.get": { graph: groupCommands["groups.get"] },
  "groups.create": { graph: groupCommands["groups.create"] },
  "groups.subject": { graph: groupCommands["groups.subject"] },
  "groups.description": { graph: groupCommands["groups.description"] },
  "groups.picture": { graph: groupCommands["groups.picture"] },
  "groups.participants": { graph: groupPeopleCommands["groups.participants"] },
  "groups.invite": { graph: groupCommands["groups.invite"] },
  "groups.revoke_invite": { graph: groupCommands["groups.revoke_invite"] },
  "groups.requests": { graph: groupPeopleCommands["groups.requests"] },
  "groups.decide": { graph: groupPeopleCommands["groups.decide"] },
  "groups.leave": { graph: groupCommands["groups.leave"] },
  "groups.setting": "absent",
  "groups.preview": "absent",
  "groups.join": "absent",

  "messages.clear": { store: ({ chat_id }) => changed({ type: "chat.cleared", chat_id }) },
  "messages.fetch_media": { graph: ({ raw }, { files }) => files.refetch(raw) },
  "messages.star": "absent",
  "messages.delete_for_me": "absent",

  "profile.get": { graph: profileCommands["profile.get"] },
  "profile.about": { graph: profileCommands["profile.about"] },
  "profile.picture": { graph: profileCommands["profile.picture"] },
  "profile.name": "absent",
  "profile.privacy": "absent",
  "profile.set_privacy": "absent",

  "pictures.get": "absent",

  "presence.set": "absent",
  "presence.subscribe": "absent",
  "presence.unsubscribe": "absent",

  "labels.put": "absent",
  "labels.remove": "absent",
  "labels.chat": "absent",
  "labels.message": "absent",
  "labels.resync": "absent",

  "channels.create": "absent",
  "channels.get": "absent",
  "channels.update": "absent",
  "channels.remove": "absent",
  "channels.follow": "absent",
  "channels.mute": "absent",
  "channels.messages": "absent",
  "channels.react": "absent",
};

function saved(contactId: string, name: string | null): NetworkEvent[] {
  const person = personOf(contactId);
  return person === null ? [] : [{ type: "contact.updated", person, name, is_saved: name !== null }];
}

async function markRead(
  context: CloudContext,
  command: "chats.seen" | "chats.typing",
  chatId: ChatId,
  read: object,
): Promise<Outcome<Record<string, never>>> {
  const json = { ...PRODUCT, status: "read", ...read };
  const result = await askNumber(context, { command }, { method: "POST", path: "/messages", json }, Success);
  if (!result.ok) return result;
  reportSeen(context, chatId);
  return DONE;
}

function reportSeen(context: CloudContext, chatId: ChatId): void {
  report(context, { type: "chat.updated", chat_id: chatId, unread_count: 0, marked_unread: false });
}

export function cloudDriver(context: CloudContext): Driver {
  return {
    command: async <N extends NetworkCommand>(name: N, input: CommandInput<N>, deadlineMs: number): Promise<Outcome<CommandOutput<N>>> => {
      const row: CloudRow<N> = CLOUD_COMMANDS[name];
      if (row === "absent") return fail("not_supported", { details: { kind: "cloud_api" } });
      if ("store" in row) {
        const { events, output } = row.store(input, context);
        context.commit(
          events.map((event) => ({ key: null, event })),
          Date.now(),
        );
        return succeed(output);
      }
      if (context.instance.state.status !== "connected") return fail(notConnected(context.instance.state.reason));
      return row.graph(input, context, deadlineMs);
    },
  };
}
