// Handlers of the object's operations: parsed input in, a value out. Each family of operations is a file or folder here.
import type { Call } from "@gateway/protocol/connection.ts";
import type { Replayable } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationName, OperationOutput } from "@gateway/protocol/operations.ts";
import type { CallFiles } from "./call-files.ts";

/** The context of one call. `messageId` is set when admission fixed it (an idempotent send); `now` is Unix ms. */
export type OperationContext = { call: Call; messageId: string | null; files: CallFiles; now: number };

export type Handler<N extends OperationName> = (
  input: OperationInput<N>,
  context: OperationContext,
) => Replayable<OperationOutput<N>> | Promise<Replayable<OperationOutput<N>>>;

/** A handler for every operation of the contract: without one the build fails. */
export type Handlers = { [N in OperationName]: Handler<N> };

/** What a family's file returns, e.g. `HandlersOf<"chats.list">`. */
export type HandlersOf<N extends OperationName> = Pick<Handlers, N>;
