import { effectOf, type NetworkCommand } from "@gateway/protocol/commands.ts";
import { fail, type Outcome } from "@gateway/protocol/failures.ts";
import { errorFacts } from "#bridge/log.ts";
import type { Subject } from "../session/network-failures.ts";
import type { SessionContext } from "../session/session-context.ts";
import { accountCommands, profileCommands, pictureCommands } from "./profile.ts";
import { callCommands, presenceCommands } from "./presence-and-calls.ts";
import { channelCommands } from "./channels.ts";
import { chatCommands, labelCommands } from "./chats.ts";
import { contactCommands } from "./contacts.ts";
import { failureOfCommand, type Family, type CommandHandler } from "./command-handlers.ts";
import { groupInvitations, groupSettings } from "./groups/settings.ts";
import { groupMembers } from "./groups/members.ts";
import { groupReads } from "./groups/reads.ts";
import { messageCommands } from "./messages.ts";

const HANDLERS: { [N in NetworkCommand]: CommandHandler<N> } = {
  ...messageCommands,
  ...groupReads,
  ...groupMembers,
  ...groupSettings,
  ...groupInvitations,
  ...contactCommands,
  ...pictureCommands,
  ...profileCommands,
  ...labelCommands,
  ...channelCommands,
  ...chatCommands,
  ...presenceCommands,
  ...callCommands,
  ...accountCommands,
};

/** Maps the network's "not found" and "not allowed" to a command family's failures. */
const SUBJECTS: Record<Family, Subject> = {
  messages: "person",
  groups: "group",
  contacts: "person",
  pictures: "person",
  profile: "account",
  labels: "account",
  channels: "channel",
  chats: "person",
  presence: "person",
  calls: "person",
  account: "account",
};

/** `input` has already been validated. Never rejects. Resolves after events are stored, so that callers read their own writes. */
export async function runCommand(ctx: SessionContext, name: string, input: unknown): Promise<Outcome<unknown>> {
  if (!isNetworkCommand(name)) return fail("not_supported");
  // Nothing has been sent yet, so the command certainly had no effect.
  if (!ctx.sock.ws.isOpen) return fail("instance_reconnecting");
  const handle = HANDLERS[name] as (ctx: SessionContext, input: never) => Promise<Outcome<unknown>>;
  try {
    const outcome = await handle(ctx, input as never);
    await ctx.flushed();
    return outcome;
  } catch (error) {
    ctx.logger.info({ name, ...errorFacts(error) }, "command.refused");
    return fail(failureOfCommand(error, SUBJECTS[familyOf(name)], effectOf(name)));
  }
}

function isNetworkCommand(name: string): name is NetworkCommand {
  return Object.hasOwn(HANDLERS, name);
}

function familyOf(name: NetworkCommand): Family {
  return name.slice(0, name.indexOf(".")) as Family;
}
