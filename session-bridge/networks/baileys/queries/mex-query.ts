// MEX queries: GraphQL, named by query id. The library's own functions hide the network's refusals, take a missing answer for an unexpected
// one, and one of them throws after a channel was created (docs/internals/baileys.md, "Defects of the libraries"), so that a retry creates
// another.
import { getBinaryNodeChildString, S_WHATSAPP_NET } from "baileys";
import { queryNetwork } from "./network-query.ts";
import { readMexAnswer } from "../session/mex-answer.ts";
import type { SessionContext } from "../session/session-context.ts";

/** The value at `path` in the answer; undefined when there is none. Throws the network's refusal, and when it does not answer. */
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
