// `w:mex`: GraphQL by query id, for channels and account restrictions.
import { z } from "zod";
import type { BinaryNode } from "baileys";
import type { Device } from "../model.ts";
import type { NetworkState } from "../network-state.ts";
import { child, node, textOf } from "../node.ts";
import { MEX_OPERATIONS, type MexAnswer } from "../newsletters/operations.ts";
import { done, refused, type Reply } from "./reply.ts";

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
