// The MCP server's own requests about a number, made with the caller's key. No API route covers them (docs/use/mcp.md, "Policy of a key").
import { EventFrame } from "@gateway/protocol/stream-sockets.ts";
import { type OperationInput, type OperationOutput, outputOf } from "@gateway/protocol/operations.ts";
import type { AppContext } from "#root/src/http/app-env.ts";
import { follow } from "#root/src/http/event-stream.ts";
import { refuseKey } from "#root/src/http/refuse-key.ts";
import { callConnection } from "#root/src/services/connections/call.ts";
import { openEventSocket } from "#root/src/services/connections/stub.ts";
import { callOf, UNREAD } from "../context.ts";
import { keyOf, refuse } from "./authenticate.ts";
import { portugueseFailure } from "./failure.ts";

type Asked<T> = { ok: true; value: T } | { ok: false; response: Response };
type AssistantOperation = "assistant.rights" | "assistant.admit";

function rights(c: AppContext): Promise<Asked<OperationOutput<"assistant.rights">>> {
  return ask(c, "assistant.rights", {}, undefined);
}

function admit(c: AppContext, input: OperationInput<"assistant.admit">): Promise<Asked<OperationOutput<"assistant.admit">>> {
  // If the change has no chat, it may need a different scope, which the operation itself checks later.
  return ask(c, "assistant.admit", input, input.chat_id === null ? undefined : "send");
}

async function ask<N extends AssistantOperation>(
  c: AppContext,
  operation: N,
  input: OperationInput<N>,
  scope: "send" | undefined,
): Promise<Asked<OperationOutput<N>>> {
  const key = keyOf(c);
  if (key === null) return { ok: false, response: await refuseKey(c, portugueseFailure) };
  const caller = scope === undefined ? key.caller : { ...key.caller, scope };
  const flags = { mutating: false, counted: false, cached: false };
  const result = await callConnection(c.env, key.connection, callOf(c, caller, UNREAD, { flags, operation, input }));
  return result.ok ? { ok: true, value: outputOf(operation, result.json) } : { ok: false, response: await refuse(c, result.failure) };
}

type Arrived = { message_id: string; chat_id: string };

/** Waits on the object's event stream. `first` is null if nothing arrives in time, or if the object is unreachable. */
async function arrival(c: AppContext, chatId: string | null, ms: number): Promise<{ first: Promise<Arrived | null>; stop: () => void }> {
  const key = keyOf(c);
  const subject = `mcp:${c.get("requestId")}`;
  const request = { subject, user: "mcp", events: ["message.received"], after: null };
  const socket = key === null ? null : await openEventSocket(c.env, key.connection, request);
  if (socket === null) return { first: Promise.resolve(null), stop: () => undefined };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const first = new Promise<Arrived | null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
    follow(
      socket,
      (text) => {
        const frame = EventFrame.parse(JSON.parse(text));
        const { data } = frame.type === "event" ? (JSON.parse(frame.json) as { data: Arrived }) : {};
        if (data !== undefined && (chatId === null || data.chat_id === chatId)) resolve(data);
      },
      () => resolve(null),
    );
  });
  const stop = () => {
    clearTimeout(timer);
    socket.close(1000, "wait ended");
  };
  return { first, stop };
}

export const assistantPort = { rights, admit, arrival };
