import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import { type ParticipantChange, participantResult, commonRefusal } from "@gateway/domain/chats/participant-results.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { ChatId, Person } from "@gateway/protocol/ids.ts";
import type { OperationInput, OperationOutput } from "@gateway/protocol/operations.ts";
import type { ParticipantResult } from "@gateway/protocol/groups.ts";
import { storeGroupSnapshot, storeGroupChange } from "./projection.ts";
import type { MembersChange, GroupChange } from "./groups.ts";
import type { HandlersOf } from "../handlers.ts";
import { isNotMember, personsOf, readGroup } from "./read-group.ts";

/** The event action for each change. Rejecting a join request has none, because it does not change the participants. */
const MEMBERS_ACTION = {
  add: "join",
  approve: "join",
  remove: "leave",
  promote: "promote",
  demote: "demote",
  reject: null,
} as const satisfies Record<ParticipantChange, MembersChange["action"] | null>;

export function groupMemberHandlers(
  network: NetworkClient,
  stores: Stores,
): HandlersOf<"groups.create" | "groups.participants" | "groups.remove_participants" | "groups.decide" | "groups.leave" | "groups.delete"> {
  const change = async (groupId: ChatId, action: "add" | "remove" | "promote" | "demote", participants: readonly ChatId[]) => {
    const result = await network.command("groups.participants", { group_id: groupId, action, participants: personsOf(participants) });
    return result.ok ? settle(stores, groupId, action, result.value.participants) : result;
  };
  return {
    "groups.create": (input) => create(network, stores, input),

    "groups.participants": ({ group_id, action, participants }) => change(group_id, action, participants),

    "groups.remove_participants": ({ group_id, participants }) => change(group_id, "remove", participants),

    "groups.decide": async ({ group_id, verdict, participants }) => {
      const result = await network.command("groups.decide", { group_id, verdict, participants: personsOf(participants) });
      return result.ok ? settle(stores, group_id, verdict, result.value.participants) : result;
    },

    "groups.leave": async ({ group_id }) => {
      const result = await network.command("groups.leave", { group_id });
      if (result.ok) stores.groups.remove(group_id);
      return result;
    },

    "groups.delete": async ({ group_id }) => {
      const left = await network.command("groups.leave", { group_id });
      if (left.ok) stores.groups.remove(group_id);
      else if (!isNotMember(left.failure) || !stores.chats.isKnown(group_id)) return left;
      return network.command("chats.delete", { chat_id: group_id, range: stores.messages.range(group_id) });
    },
  };
}

async function create(
  network: NetworkClient,
  stores: Stores,
  input: OperationInput<"groups.create">,
): Promise<Outcome<OperationOutput<"groups.create">>> {
  const { subject, description, join_approval } = input;
  const asked = { subject, participants: personsOf(input.participants), description, join_approval };
  const created = await network.command("groups.create", asked);
  if (!created.ok) return created;
  if ("request_id" in created.value) return succeed(created.value);
  const { group_id } = created.value.group;
  storeGroupSnapshot(stores, created.value.group, Date.now());
  stores.chats.create(group_id, Math.floor(Date.now() / 1000), Date.now());
  // The group exists even if a later step fails, so failures are ignored and the result shows the actual group.
  if (description !== null && (await network.command("groups.description", { group_id, description })).ok) {
    storeGroupChange(stores, group_id, { description }, Date.now());
  }
  if (join_approval !== null && (await network.command("groups.setting", { group_id, setting: { join_approval } })).ok) {
    storeGroupChange(stores, group_id, { join_approval }, Date.now());
  }
  const group = stores.groups.get(group_id);
  if (group === null) return fail("group_not_found");
  return succeed({ group, participants: created.value.participants.map((result) => participantResult("add", result)) });
}

function settle(
  stores: Stores,
  groupId: ChatId,
  change: ParticipantChange,
  results: readonly { person: Person; code: number | null }[],
): Outcome<{ items: ParticipantResult[] }> {
  const items = results.map((result) => participantResult(change, result));
  const changed = items.filter(({ status }) => status === "ok").map(({ person }) => ({ person, is_me: stores.groups.isMe(person) }));
  const action = MEMBERS_ACTION[change];
  if (action !== null && changed.length > 0 && stores.groups.isKnown(groupId)) {
    stores.groups.changeMembers({ chat_id: groupId, action, participants: changed });
  }
  const refused = commonRefusal(change, items);
  return refused === null ? succeed({ items }) : fail(refused);
}

type EmptyOutcome = Outcome<Record<string, never>>;
type Settings = OperationInput<"groups.settings">["settings"];

export function groupSettingHandlers(
  network: NetworkClient,
  stores: Stores,
): HandlersOf<
  | "groups.subject"
  | "groups.description"
  | "groups.picture"
  | "groups.remove_picture"
  | "groups.settings"
  | "groups.invite"
  | "groups.revoke_invite"
  | "groups.preview"
  | "groups.join"
> {
  /** The network does not report a device's own changes to that device, so each change is stored once its command has succeeded. */
  const afterSuccess = (result: EmptyOutcome, groupId: string, changed: GroupChange): EmptyOutcome => {
    if (result.ok) storeGroupChange(stores, groupId, changed, Date.now());
    return result;
  };
  return {
    "groups.subject": async (input) =>
      afterSuccess(await network.command("groups.subject", input), input.group_id, { subject: input.subject }),

    "groups.description": async (input) =>
      afterSuccess(await network.command("groups.description", input), input.group_id, { description: input.description }),

    "groups.picture": async (input) =>
      afterSuccess(await network.command("groups.picture", input), input.group_id, { picture_changed: true }),

    "groups.remove_picture": async ({ group_id }) =>
      afterSuccess(await network.command("groups.picture", { group_id, picture: null }), group_id, { picture_changed: true }),

    "groups.settings": (input) => changeSettings(network, stores, input),

    "groups.invite": async ({ group_id }) => {
      const result = await network.command("groups.invite", { group_id });
      if (result.ok) stores.groups.setInviteLink(group_id, result.value.link);
      return result;
    },

    "groups.revoke_invite": async ({ group_id }) => {
      const result = await network.command("groups.revoke_invite", { group_id });
      if (result.ok) stores.groups.setInviteLink(group_id, result.value.link);
      return result;
    },

    "groups.preview": (input) => network.command("groups.preview", input),

    "groups.join": (input) => network.command("groups.join", input),
  };
}

async function changeSettings(
  network: NetworkClient,
  stores: Stores,
  { group_id, settings }: OperationInput<"groups.settings">,
): Promise<Outcome<OperationOutput<"groups.settings">>> {
  for (const name of Object.keys(settings) as (keyof Settings)[]) {
    const setting: Settings = { [name]: settings[name] };
    const result = await network.command("groups.setting", { group_id, setting });
    if (!result.ok) return result;
    storeGroupChange(stores, group_id, setting, Date.now());
  }
  const group = await readGroup(network, stores, group_id);
  return group.ok ? succeed(group.value.settings) : group;
}
