// Commands of a session: carried out by the bridge that holds it.
import { type CommandInput, type CommandOutput, effectOf, type NetworkCommand } from "@gateway/protocol/commands.ts";
import { fail, type Failure, type Outcome } from "@gateway/protocol/failures.ts";
import { activeSpan } from "@gateway/tracing/active-span.ts";
import type { Reply } from "./command-channel.ts";
import type { Driver } from "./network-client.ts";
import type { SessionLink } from "./session-link.ts";

/** How long a command waits for a session that is reconnecting. */
const READY_TIMEOUT_MS = 5_000;

export function sessionDriver(link: SessionLink): Driver {
  return { command: (name, input, answerMs) => ask(link, name, input, answerMs) };
}

async function ask<N extends NetworkCommand>(
  link: SessionLink,
  name: N,
  input: CommandInput<N>,
  answerMs: number,
): Promise<Outcome<CommandOutput<N>>> {
  const ready = await link.ready(Date.now(), Date.now() + READY_TIMEOUT_MS);
  if (!ready.ok) return ready;
  const span = activeSpan()?.child(`ask ${name}`, {}, "client");
  const reply = await link.commands.request(ready.value, name, input, answerMs, span?.traceparent);
  const outcome: Outcome<CommandOutput<N>> = reply.kind === "answered" ? reply.outcome : fail(unanswered(name, reply.kind));
  span?.end({ code: outcome.ok ? undefined : outcome.failure.code, failed: reply.kind !== "answered" });
  return outcome;
}

function unanswered(name: NetworkCommand, how: Exclude<Reply<unknown>["kind"], "answered">): Failure {
  if (effectOf(name) === "create") return { code: "send_outcome_unknown" };
  return how === "lost" ? { code: "instance_reconnecting", retryAfter: 2 } : { code: "network_timeout" };
}
