// Every command of the contract that is carried out on the network socket, family by family.
import { effectOf, type NetworkCommand } from "../../../../src/protocol/commands.ts";
import { fail, type Outcome } from "../../../../src/protocol/failures.ts";
import { errorFacts } from "../../../log.ts";
import type { Subject } from "../session/network-failures.ts";
import type { SessionContext } from "../session/session-context.ts";
import { accountRunners } from "./account.ts";
import { callRunners } from "./calls.ts";
import { channelRunners } from "./channels.ts";
import { chatRunners } from "./chats.ts";
import { contactRunners } from "./contacts.ts";
import { failureOfCommand } from "./failures.ts";
import { groupRunners } from "./groups/groups.ts";
import { labelRunners } from "./labels.ts";
import { messageRunners } from "./messages.ts";
import { pictureRunners } from "./pictures.ts";
import { presenceRunners } from "./presence.ts";
import { profileRunners } from "./profile.ts";
import type { Family, Runner } from "./runners.ts";

const RUNNERS: { [N in NetworkCommand]: Runner<N> } = {
  ...messageRunners,
  ...groupRunners,
  ...contactRunners,
  ...pictureRunners,
  ...profileRunners,
  ...labelRunners,
  ...channelRunners,
  ...chatRunners,
  ...presenceRunners,
  ...callRunners,
  ...accountRunners,
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
    await ctx.stored();
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
