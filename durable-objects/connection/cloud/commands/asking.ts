import * as z from "zod";
import { failureOf, type GraphUse } from "@gateway/domain/cloud/failures.ts";
import { type CommandInput, type CommandOutput, effectOf, type NetworkCommand } from "@gateway/protocol/commands.ts";
import type { KeyedEvent, NetworkEvent } from "@gateway/protocol/events.ts";
import { fail, type Failed, type Outcome, succeed } from "@gateway/protocol/failures.ts";
import { type ChatId, chatIdOf, personOf } from "@gateway/protocol/ids.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { StoredPicture } from "@gateway/protocol/people.ts";
import type { Instance } from "../../instance/instance.ts";
import type { Stores } from "../../store/stores.ts";
import type { CloudUploads } from "../files/uploads.ts";
import type { Graph, GraphCall, GraphError } from "../graph.ts";
import type { GroupRequests } from "../group-requests.ts";
import type { CloudIdTables } from "../id-tables.ts";

export type GraphCommands<N extends NetworkCommand> = {
  [C in N]: (input: CommandInput<C>, context: CloudContext, deadlineMs: number) => Promise<Outcome<CommandOutput<C>>>;
};

export type CloudContext = {
  instance: Pick<Instance, "state">;
  graph: Pick<Graph, "call">;
  number: () => { phoneNumberId: string } | null;
  ids: CommandIds;
  stores: Stores;
  groupRequests: Pick<GroupRequests, "wait">;
  files: CommandFiles;
  commit: (events: KeyedEvent[], now: number) => void;
  doubtCredentials: () => void;
  clock: () => number;
};

export type CommandIds = Pick<CloudIdTables, "group" | "groupIdOf" | "person" | "recipientOf" | "spelled">;

export type CommandFiles = Pick<CloudUploads, "post" | "uploadHandle"> & {
  refetch(raw: string): Promise<Outcome<StoredMedia>>;
  copyPicture(url: string): Promise<Outcome<StoredPicture>>;
};

export const PRODUCT = { messaging_product: "whatsapp" } as const;
export const DONE: Outcome<Record<string, never>> = succeed({});
export const Success = z.looseObject({});

/** `of` is set if Graph's errors have special meanings for the requested object. `errorIn` finds a more specific error in a response. */
export type Use = { command: NetworkCommand; of?: GraphUse; errorIn?: (json: unknown) => GraphError | undefined };

export async function ask<S extends z.ZodType>(context: CloudContext, use: Use, call: GraphCall, schema: S): Promise<Outcome<z.output<S>>> {
  const reply = await context.graph.call(call);
  if (reply.kind === "refused") return refused(context, use, use.errorIn?.(reply.json) ?? reply.error);
  const read = reply.kind === "answered" ? schema.safeParse(reply.json) : null;
  return read?.success === true ? succeed(read.data) : unanswered(use.command);
}

export function askNumber<S extends z.ZodType>(context: CloudContext, use: Use, call: GraphCall, schema: S): Promise<Outcome<z.output<S>>> {
  const number = context.number();
  if (number === null) return Promise.resolve(fail("instance_not_connected"));
  return ask(context, use, { ...call, path: `/${number.phoneNumberId}${call.path}` }, schema);
}

/** The failure to return if Graph did not respond. After a creation, the outcome is unknown. Any other command can be retried. */
export function unanswered(command: NetworkCommand): Failed {
  return fail(effectOf(command) === "create" ? "send_outcome_unknown" : "network_timeout");
}

export function refused(context: CloudContext, { command, of: target }: Use, error: GraphError): Failed {
  const isRead = effectOf(command) === "read";
  const verdict = failureOf(error, target ?? (isRead ? "read" : "change"));
  if (verdict.kind === "uncertain") return unanswered(command);
  if (verdict.doubted) context.doubtCredentials();
  const { attempted, ...failure } = verdict.failure;
  return fail(isRead ? failure : { ...failure, ...(attempted && { attempted }) });
}

/** Emits an event for the number's own action. A repeated action emits another event. */
export function report(context: CloudContext, event: NetworkEvent): void {
  context.commit([{ key: null, event }], context.clock());
}

/** The id that Graph uses for a person, or null if Graph has no way of knowing them. */
export function userOf({ ids }: CloudContext, chatId: ChatId): string | null {
  const recipient = ids.recipientOf(chatId);
  if (recipient === null || "group" in recipient) return null;
  return "to" in recipient ? recipient.to : recipient.recipient;
}

export function spelledChat({ ids }: CloudContext, chatId: ChatId): ChatId {
  const person = personOf(chatId);
  return person === null || person.phone === null ? chatId : chatIdOf({ ...person, phone: ids.spelled(person.phone) });
}
