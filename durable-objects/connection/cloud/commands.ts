// What a number of the network's cloud does with each command (docs/cloud-api.md, "What works"): asks the network, changes the store alone, or
// has no such thing. A command without a row does not build.
import type { CommandInput, CommandOutput, NetworkCommand } from "../../../src/protocol/commands.ts";
import type { NetworkEvent } from "../../../src/protocol/events.ts";
import { fail, type Outcome } from "../../../src/protocol/failures.ts";
import { personOf } from "../../../src/protocol/ids.ts";
import type { Instance } from "../session/instance.ts";
import type { Stores } from "../store/stores.ts";

/** What commands are carried out with. */
export type CloudContext = { instance: Pick<Instance, "state">; stores: Stores };

/** `deadlineMs`: how long the caller waits. */
type GraphRow<N extends NetworkCommand> = {
  graph: (input: CommandInput<N>, context: CloudContext, deadlineMs: number) => Promise<Outcome<CommandOutput<N>>>;
};
/** Nobody is asked: the events are those by which a session reports the same change. */
type StoreRow<N extends NetworkCommand> = {
  store: (input: CommandInput<N>) => { events: readonly NetworkEvent[]; output: CommandOutput<N> };
};
export type CloudRow<N extends NetworkCommand> = GraphRow<N> | StoreRow<N> | "absent";

/** A row of which the request is not written yet. */
const notYet = async (): Promise<Outcome<never>> => fail("not_supported", { details: { kind: "cloud_api" } });

/** The answer of a change that says nothing more. */
const changed = (...events: NetworkEvent[]) => ({ events, output: {} });

export const CLOUD_COMMANDS: { readonly [N in NetworkCommand]: CloudRow<N> } = {
  "account.limits": { graph: notYet },

  "calls.reject": { graph: notYet },

  "chats.archive": { store: ({ chat_id, archived }) => changed({ type: "chat.updated", chat_id, archived }) },
  "chats.pin": { store: ({ chat_id, pinned }) => changed({ type: "chat.updated", chat_id, pinned }) },
  "chats.mute": { store: ({ chat_id, until }) => changed({ type: "chat.updated", chat_id, muted_until: until }) },
  "chats.delete": { store: ({ chat_id }) => changed({ type: "chat.deleted", chat_id }) },
  "chats.seen": { graph: notYet },
  "chats.typing": { graph: notYet },
  "chats.unread": "absent",
  "chats.history": "absent",

  "contacts.save": { store: ({ contact_id, full_name }) => ({ events: saved(contact_id, full_name), output: { contact_id } }) },
  "contacts.remove": { store: ({ contact_id }) => changed(...saved(contact_id, null)) },
  "contacts.blocked": { graph: notYet },
  "contacts.block": { graph: notYet },
  "contacts.check": "absent",
  "contacts.about": "absent",
  "contacts.business_profile": "absent",
  "contacts.phone": "absent",
  "contacts.lid": "absent",

  "groups.refresh": { graph: notYet },
  "groups.get": { graph: notYet },
  "groups.create": { graph: notYet },
  "groups.subject": { graph: notYet },
  "groups.description": { graph: notYet },
  "groups.picture": { graph: notYet },
  "groups.participants": { graph: notYet },
  "groups.invite": { graph: notYet },
  "groups.revoke_invite": { graph: notYet },
  "groups.requests": { graph: notYet },
  "groups.decide": { graph: notYet },
  // A group of the cloud belongs to the number: leaving it ends it.
  "groups.leave": { graph: notYet },
  "groups.setting": "absent",
  "groups.preview": "absent",
  "groups.join": "absent",

  "messages.clear": { store: ({ chat_id }) => changed({ type: "chat.cleared", chat_id }) },
  "messages.fetch_media": { graph: notYet },
  "messages.star": "absent",
  "messages.delete_for_me": "absent",

  "profile.get": { graph: notYet },
  "profile.about": { graph: notYet },
  "profile.picture": { graph: notYet },
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

/** `name` null: the contact is no longer in the address book. */
function saved(contactId: string, name: string | null): NetworkEvent[] {
  const person = personOf(contactId);
  return person === null ? [] : [{ type: "contact.updated", person, name, is_saved: name !== null }];
}
