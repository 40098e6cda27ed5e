import type { BinaryNode } from "baileys";
import type { SessionContext } from "../session/session-context.ts";

class NoAnswer extends Error {
  readonly output = { statusCode: 408 };
}

/**
 * Runs an IQ query without the library's own functions, which cannot tell an empty answer from none. Throws the network's refusal as the
 * library does, and `NoAnswer` where the library returns `undefined`.
 */
export async function queryNetwork(
  { sock }: Pick<SessionContext, "sock">,
  attrs: Record<string, string>,
  content?: BinaryNode["content"],
): Promise<BinaryNode> {
  const answer = (await sock.query({ tag: "iq", attrs, ...(content === undefined ? {} : { content }) })) as BinaryNode | undefined;
  if (answer === undefined) throw new NoAnswer("the network did not answer");
  return answer;
}
