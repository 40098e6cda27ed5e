import * as z from "zod";
import type { TestNetwork } from "../../network.ts";
import type { Phones } from "../../phone/phones.ts";
import type { SimulatedPhone } from "../../phone/simulated-phone.ts";
import type { CloudNetwork } from "../cloud-network.ts";
import type { App, CloudNumber, Media, Upload, Waba } from "../model.ts";
import { graphError, type GraphReply } from "./errors.ts";

export type GraphDependencies = {
  cloud: CloudNetwork;
  network: TestNetwork;
  phones: Phones;
};

/** Node types that an id in a path can identify. `groupId` is the group's id in Graph, `group` its `<digits>@g.us`. */
export type Nodes = {
  number: { number: CloudNumber; phone: SimulatedPhone };
  app: { app: App };
  waba: { waba: Waba };
  media: { media: Media; number: CloudNumber };
  upload: { upload: Upload };
  group: { group: string; groupId: string; number: CloudNumber; phone: SimulatedPhone };
};

export type GraphCall<B> = GraphDependencies & {
  app: App;
  query: URLSearchParams;
  key: string | null;
  headers: Headers;
  body: B;
  file: { bytes: Buffer; type: string; name: string | null } | null;
  origin: string;
};

export type Edge = {
  node: keyof Nodes;
  method: "GET" | "POST" | "DELETE";
  /** The path after the id, or "" for the object itself. `EDGE/:key` identifies one item of an edge. */
  edge: string;
  body: z.ZodType;
  run(node: Nodes[keyof Nodes], call: GraphCall<unknown>): GraphReply | Promise<GraphReply>;
};

export const NOTHING = z.unknown();

export function on<K extends keyof Nodes, S extends z.ZodType>(
  node: K,
  method: Edge["method"],
  edge: string,
  body: S,
  run: (node: Nodes[K], call: GraphCall<z.output<S>>) => GraphReply | Promise<GraphReply>,
): Edge {
  // The casts are safe, because the server first resolves a node of this type and parses the body with this schema.
  return { node, method, edge, body, run: (found, call) => run(found as Nodes[K], call as GraphCall<z.output<S>>) };
}

export function json(value: unknown): GraphReply {
  return { status: 200, json: value };
}

export const SUCCESS = { success: true };

export const WHATSAPP = { messaging_product: z.literal("whatsapp") };

export function invalid(issue: z.core.$ZodIssue | undefined): GraphReply {
  const [first = "body", ...rest] = issue?.path.map(String) ?? [];
  const name = first + rest.map((part) => `['${part}']`).join("");
  if (issue?.code === "too_big") {
    const unit = issue.origin === "string" ? " characters long" : "";
    return graphError(100, { details: `Param ${name} must be at most ${issue.maximum}${unit}.`, message: "(#100) Invalid parameter" });
  }
  if (issue?.code === "invalid_type" && issue.message.includes("undefined")) {
    return graphError(131_008, { details: `Required parameter ${name} is missing` });
  }
  return graphError(131_009, { details: `Param ${name}: ${issue?.message ?? "not valid"}` });
}
