// Every command of the contract that is carried out on the network socket, family by family.
import { effectOf, type NetworkCommand } from "../../../../src/protocol/commands.ts";
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import { errorFacts } from "../../../log.ts";
import type { Subject } from "../session/network-failures.ts";
import type { SessionContext } from "../session/session-context.ts";
import { accountCommands } from "./account.ts";
import { callCommands } from "./calls.ts";
import { channelCommands } from "./channels.ts";
import { chatCommands } from "./chats.ts";
import { contactCommands } from "./contacts.ts";
import { failureOfCommand } from "./failures.ts";
import { groupCommands } from "./groups/groups.ts";
import { labelCommands } from "./labels.ts";
import { messageCommands } from "./messages.ts";
import { pictureCommands } from "./pictures.ts";
import { presenceCommands } from "./presence.ts";
import { profileCommands } from "./profile.ts";
import type { Family, CommandHandler } from "./command-handlers.ts";

const RUNNERS: { [N in NetworkCommand]: CommandHandler<N> } = {
  ...messageCommands,
  ...groupCommands,
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

/** What a family's commands are about: it decides what the network's "not found" and "not allowed" mean. */
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

/**
 * `input` has been parsed by the command's schema. Nothing is thrown. What the command made known (events) is in the object's
 * store before its answer is there: who asks reads what he did.
 */
export async function runCommand(ctx: SessionContext, name: string, input: unknown): Promise<Outcome<unknown>> {
  if (!isNetworkCommand(name)) return fail("not_supported");
  // Nothing has been asked yet, so nothing is in doubt.
  if (!ctx.sock.ws.isOpen) return fail("instance_reconnecting");
  const run = RUNNERS[name] as (ctx: SessionContext, input: never) => Promise<Outcome<unknown>>;
  try {
    const outcome = await run(ctx, input as never);
    await ctx.flushed();
    return outcome;
  } catch (error) {
    ctx.logger.info({ name, ...errorFacts(error) }, "command.refused");
    return fail(failureOfCommand(error, SUBJECTS[familyOf(name)], effectOf(name)));
  }
}

function isNetworkCommand(name: string): name is NetworkCommand {
  return Object.hasOwn(RUNNERS, name);
}

function familyOf(name: NetworkCommand): Family {
  // By the form of every name, which the compiler cannot split.
  return name.slice(0, name.indexOf(".")) as Family;
}
