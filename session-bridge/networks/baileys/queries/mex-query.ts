// Runs MEX queries: GraphQL, named by query id. The library's own functions hide refusals and misread a missing answer. One of them throws
// after a channel was created, so that a retry creates another (docs/internals/durability.md, "Defects of the libraries").
// Returns the value at `path`, undefined if absent. Throws when the network refuses or does not answer.
import { getBinaryNodeChildString, S_WHATSAPP_NET } from "baileys";
import { queryNetwork } from "./network-query.ts";
import { readMexAnswer } from "../session/mex-answer.ts";
import type { SessionContext } from "../session/session-context.ts";

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
