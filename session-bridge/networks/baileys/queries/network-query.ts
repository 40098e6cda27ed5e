// One question to the network, asked past the library's own functions: those that answer nothing cannot tell an answer from none.
import type { BinaryNode } from "baileys";
import type { SessionContext } from "../session/session-context.ts";

/** Nothing came back in time. Its status is the one by which `failureOfError` knows it. */
class NoAnswer extends Error {
  readonly output = { statusCode: 408 };
}

/** The network's answer to an `iq`. Throws the network's refusal as the library does, and `NoAnswer`, which the library keeps to itself. */
export async function queryNetwork(
  { sock }: Pick<SessionContext, "sock">,
  attrs: Record<string, string>,
  content?: BinaryNode["content"],
): Promise<BinaryNode> {
  const answer = (await sock.query({ tag: "iq", attrs, ...(content === undefined ? {} : { content }) })) as BinaryNode | undefined;
  if (answer === undefined) throw new NoAnswer("the network did not answer");
  return answer;
}
