import { type BinaryNode, getBinaryNodeChildString, S_WHATSAPP_NET } from "baileys";
import type { SessionContext } from "../session/session-context.ts";
import { readMexAnswer } from "../session/mex-answer.ts";

class NoAnswer extends Error {
  readonly output = { statusCode: 408 };
}

/** The library cannot tell an empty response from a missing one. Throws refusals, and `NoAnswer` for silence. */
export async function queryNetwork(
  { sock }: Pick<SessionContext, "sock">,
  attrs: Record<string, string>,
  content?: BinaryNode["content"],
): Promise<BinaryNode> {
  const answer = (await sock.query({ tag: "iq", attrs, ...(content === undefined ? {} : { content }) })) as BinaryNode | undefined;
  if (answer === undefined) throw new NoAnswer("the network did not answer");
  return answer;
}

// MEX queries: GraphQL by query id. The library hides refusals, misreads silence, and throws after creating a channel. Returns the value at
// `path`; throws on a refusal or silence.

export async function queryMex(ctx: Pick<SessionContext, "sock">, queryId: string, variables: object, path: string): Promise<unknown> {
  const content = Buffer.from(JSON.stringify({ variables }));
  const answer = await queryNetwork(ctx, { to: S_WHATSAPP_NET, type: "get", xmlns: "w:mex" }, [
    { tag: "query", attrs: { query_id: queryId }, content },
  ]);
  const { data, refusals } = readMexAnswer(getBinaryNodeChildString(answer, "result"));
  const [refusal] = refusals;
  if (refusal !== undefined) throw Object.assign(new Error("refused"), { data: refusal });
  return data[path];
}

// Sends typing states in the network's current form. The library still adds a sender, which the network now derives itself.

export type ChatState = "typing" | "recording" | "paused";

export function sendChatState({ sock }: Pick<SessionContext, "sock">, jid: string, state: ChatState): Promise<void> {
  const content = [{ tag: state === "paused" ? "paused" : "composing", attrs: state === "recording" ? { media: "audio" } : {} }];
  return sock.sendNode({ tag: "chatstate", attrs: { to: jid }, content });
}
