import type { NetworkClient } from "../session/network-client.ts";
import type { Stores } from "../store/stores.ts";
import { type Outcome, succeed } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationOutput } from "@gateway/protocol/operations.ts";
import { storeGroupChange } from "./projection.ts";
import type { GroupChange } from "./groups.ts";
import type { HandlersOf } from "../handlers.ts";
import { readGroup } from "./read-group.ts";

type EmptyOutcome = Outcome<Record<string, never>>;
type Settings = OperationInput<"groups.settings">["settings"];

export function groupSettings(
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
  /** The network does not report a device's own changes back to it, so each is stored once its command has succeeded. */
  const afterSuccess = (answer: EmptyOutcome, groupId: string, changed: GroupChange): EmptyOutcome => {
    if (answer.ok) storeGroupChange(stores, groupId, changed, Date.now());
    return answer;
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
      const answer = await network.command("groups.invite", { group_id });
      if (answer.ok) stores.groups.setInviteLink(group_id, answer.value.link);
      return answer;
    },

    "groups.revoke_invite": async ({ group_id }) => {
      const answer = await network.command("groups.revoke_invite", { group_id });
      if (answer.ok) stores.groups.setInviteLink(group_id, answer.value.link);
      return answer;
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
    const answer = await network.command("groups.setting", { group_id, setting });
    if (!answer.ok) return answer;
    storeGroupChange(stores, group_id, setting, Date.now());
  }
  const group = await readGroup(network, stores, group_id);
  return group.ok ? succeed(group.value.settings) : group;
}
