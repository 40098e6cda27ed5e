import type { Call } from "@gateway/protocol/connection.ts";
import type { Replayable } from "@gateway/protocol/failures.ts";
import type { OperationInput, OperationName, OperationOutput } from "@gateway/protocol/operations.ts";
import type { CallFiles } from "./files/call-files.ts";

/** `messageId` is set when admission has determined it (an idempotent send). `now` is in Unix ms. */
export type OperationContext = { call: Call; messageId: string | null; files: CallFiles; now: number };

export type Handler<N extends OperationName> = (
  input: OperationInput<N>,
  context: OperationContext,
) => Replayable<OperationOutput<N>> | Promise<Replayable<OperationOutput<N>>>;

/** Has an entry for every operation, so that a missing handler is a compile error. */
export type Handlers = { [N in OperationName]: Handler<N> };

export type HandlersOf<N extends OperationName> = Pick<Handlers, N>;
