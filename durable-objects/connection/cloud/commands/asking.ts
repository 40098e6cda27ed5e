// What commands to Graph have in common: how one is asked, what its failures mean, and what is known of the number.
import { z } from "zod";
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

/** Commands that Graph carries out. `deadlineMs`: how long the caller waits. */
export type GraphCommands<N extends NetworkCommand> = {
  [C in N]: (input: CommandInput<C>, context: CloudContext, deadlineMs: number) => Promise<Outcome<CommandOutput<C>>>;
};

/** What commands are carried out with. */
export type CloudContext = {
  instance: Pick<Instance, "state">;
  graph: Pick<Graph, "call">;
  /** The number on Graph; null while no credentials can be read. */
  number: () => { phoneNumberId: string } | null;
  ids: CommandIds;
  stores: Stores;
  groupRequests: Pick<GroupRequests, "wait">;
  files: CommandFiles;
  /** Applies events as those of a session are applied. */
  commit: (events: KeyedEvent[], now: number) => void;
  /** Graph doubts the credentials: they are tried again. */
  doubtCredentials: () => void;
  clock: () => number;
};

export type CommandIds = Pick<CloudIdTables, "group" | "groupIdOf" | "person" | "recipientOf" | "spelled">;

export type CommandFiles = Pick<CloudUploads, "post" | "uploadHandle"> & {
  /** The file of a stored message, fetched now. `raw`: as in `NetworkMessage`. */
  refetch(raw: string): Promise<Outcome<StoredMedia>>;
  /** Copies a picture that Graph names by its address. */
  copyPicture(url: string): Promise<Outcome<StoredPicture>>;
};

export const PRODUCT = { messaging_product: "whatsapp" } as const;
export const DONE: Outcome<Record<string, never>> = succeed({});
/** Answers that say nothing but that it was done. */
export const Success = z.looseObject({});

/** `of`: what Graph is asked about, where its errors mean something of their own. `errorIn`: a better error than the answer's own. */
export type Use = { command: NetworkCommand; of?: GraphUse; errorIn?: (json: unknown) => GraphError | undefined };

/** Asks Graph, and reads its answer. */
export async function ask<S extends z.ZodType>(context: CloudContext, use: Use, call: GraphCall, schema: S): Promise<Outcome<z.output<S>>> {
  const answer = await context.graph.call(call);
  if (answer.kind === "refused") return refused(context, use, use.errorIn?.(answer.json) ?? answer.error);
  const read = answer.kind === "answered" ? schema.safeParse(answer.json) : null;
  return read?.success === true ? succeed(read.data) : unanswered(use.command);
}

/** The same of the number itself: `path` after its id. */
export function askNumber<S extends z.ZodType>(context: CloudContext, use: Use, call: GraphCall, schema: S): Promise<Outcome<z.output<S>>> {
  const number = context.number();
  if (number === null) return Promise.resolve(fail("instance_not_connected"));
  return ask(context, use, { ...call, path: `/${number.phoneNumberId}${call.path}` }, schema);
}

/** Without an answer only the outcome of a creation is unknown: anything else may be asked again. */
export function unanswered(command: NetworkCommand): Failed {
  return fail(effectOf(command) === "create" ? "send_outcome_unknown" : "network_timeout");
}

/** Graph refused. */
export function refused(context: CloudContext, { command, of }: Use, error: GraphError): Failed {
  const isRead = effectOf(command) === "read";
  const verdict = failureOf(error, of ?? (isRead ? "read" : "change"));
  if (verdict.kind === "uncertain") return unanswered(command);
  if (verdict.doubted) context.doubtCredentials();
  const { attempted, ...failure } = verdict.failure;
  return fail(isRead ? failure : { ...failure, ...(attempted && { attempted }) });
}

/** One event of what the number itself has done; a repetition is a new fact. */
export function report(context: CloudContext, event: NetworkEvent): void {
  context.commit([{ key: null, event }], context.clock());
}

/** How Graph is told of a person; null: somebody whom it cannot know. */
export function userOf({ ids }: CloudContext, chatId: ChatId): string | null {
  const recipient = ids.recipientOf(chatId);
  if (recipient === null || "group" in recipient) return null;
  return "to" in recipient ? recipient.to : recipient.recipient;
}

/** A chat as the network spells the number of it. */
export function spelledChat({ ids }: CloudContext, chatId: ChatId): ChatId {
  const person = personOf(chatId);
  return person === null || person.phone === null ? chatId : chatIdOf({ ...person, phone: ids.spelled(person.phone) });
}
