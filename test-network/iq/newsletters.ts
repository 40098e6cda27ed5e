// Answers queries about channels: `newsletter`, and `w:mex` (GraphQL by query id, also for account restrictions).
import * as z from "zod";
import type { BinaryNode } from "baileys";
import type { Device, Newsletter, NewsletterMessage } from "../model.ts";
import type { NetworkState, Network } from "../network-state.ts";
import { child, node, textOf, childrenOf } from "../node.ts";
import { MEX_OPERATIONS, type MexAnswer } from "../newsletters/operations.ts";
import { done, refused, type Reply } from "./reply.ts";
import { LIVE_SECONDS, watch, findNewsletter } from "../newsletters/newsletter.ts";

const DEFAULT_COUNT = 50;

const Request = z.object({ variables: z.record(z.string(), z.unknown()).default({}) });

export function answerMex(network: NetworkState, from: Device, iq: BinaryNode): Reply {
  const query = child(iq, "query");
  const number = query?.attrs["query_id"] ?? "";
  const request = Request.safeParse(parseJson(textOf(query)));
  if (!request.success) return refused(400);
  const operation = MEX_OPERATIONS[number];
  if (!operation) {
    network.stats.count("unknown", `w:mex/${number}`);
    return json(failure(400, "unsupported query"));
  }
  const variables = operation.variables.safeParse(request.data.variables);
  if (!variables.success) return json(failure(400, "bad variables"));
  return json(resultOf(operation.path, operation.run(network, from, variables.data)));
}

function resultOf(path: string, answer: MexAnswer): unknown {
  return answer.ok ? { data: { [path]: answer.data } } : failure(answer.code, answer.message);
}

function failure(code: number, message: string): unknown {
  return { data: null, errors: [{ message, extensions: { error_code: code, is_retryable: false, severity: "WARNING" } }] };
}

function json(content: unknown): Reply {
  return done(node("result", {}, Buffer.from(JSON.stringify(content))));
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

export function answerNewsletter(network: Network<"newsletters">, from: Device, iq: BinaryNode): Reply {
  const [request] = childrenOf(iq);
  if (!request) return refused(400);
  const newsletter = findNewsletter(network, request.attrs["jid"] ?? request.attrs["key"] ?? iq.attrs["to"] ?? "");
  if (!newsletter) return refused(404);
  switch (request.tag) {
    case "live_updates":
      watch(newsletter, from, Date.now());
      return done(node("live_updates", { duration: String(LIVE_SECONDS) }));
    case "messages":
      return done(messagesNode(newsletter, request));
    case "message_updates":
      return done(node("message_updates", {}, [messagesNode(newsletter, request)]));
    default:
      return refused(501);
  }
}

// The newest `count` messages, oldest first. `before` and `after` are server ids, `since` is in Unix seconds.
function messagesNode(newsletter: Newsletter, { attrs }: BinaryNode): BinaryNode {
  const count = Number(attrs["count"] ?? DEFAULT_COUNT);
  const before = Number(attrs["before"] ?? Number.POSITIVE_INFINITY);
  const after = Number(attrs["after"] ?? 0);
  const since = Number(attrs["since"] ?? 0);
  const messages = [...newsletter.messages.values()].filter(
    ({ serverId, at }) => Number(serverId) < before && Number(serverId) > after && Number(at) >= since,
  );
  return node("messages", { jid: newsletter.id, t: newsletter.updatedAt }, messages.slice(-count).map(messageNode));
}

function messageNode({ id, serverId, at, type, content, viewers, reactions }: NewsletterMessage): BinaryNode {
  const counts = new Map<string, number>();
  for (const emoji of reactions.values()) counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
  return node("message", { id, server_id: serverId, t: at, type }, [
    ...content,
    node("views_count", { count: String(viewers.size) }),
    node(
      "reactions",
      {},
      [...counts].map(([code, count]) => node("reaction", { code, count: String(count) })),
    ),
  ]);
}
