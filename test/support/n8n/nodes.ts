// Loads both nodes. They belong to no TypeScript project of this repository, because n8n's types are not installed.
import { createRequire } from "node:module";
import { runInThisContext } from "node:vm";
import { buildSync } from "esbuild";
import type { Fields } from "./contexts.ts";

export type Property = {
  name: string;
  type: string;
  default: unknown;
  displayOptions?: { show?: Record<string, unknown[]> };
  options?: (Property & { value?: unknown; action?: string })[];
  routing?: Routing;
};
export type Hook = (this: unknown, ...given: unknown[]) => Promise<unknown>;
export type Routing = {
  request?: Fields;
  send?: { type?: string; property?: string; value?: string; paginate?: string; preSend?: Hook[] };
  output?: { maxResults?: string; postReceive?: Hook[] };
};
export type Description = {
  properties: Property[];
  requestDefaults: Fields;
  requestOperations: { pagination: { properties: { continue: string; request: Fields } } };
};
type ListSearch = Record<
  string,
  (this: unknown, filter?: string, token?: string) => Promise<{ results: { name: string; value: string }[] }>
>;
export type ActionNode = { description: Description; methods: { listSearch: ListSearch } };
export type TriggerNode = {
  description: { properties: Property[] };
  webhookMethods: { default: Record<"checkExists" | "create" | "delete", (this: unknown) => Promise<boolean>> };
  webhook: (this: unknown) => Promise<{ workflowData?: { json: Fields }[][]; noWebhookResponse?: boolean }>;
};

const FOLDER = "packages/n8n/nodes";

/** Uses `require`, as n8n does. A fake replaces n8n's own package. */
function load(path: string): Record<string, new () => unknown> {
  const { outputFiles } = buildSync({
    entryPoints: [`${FOLDER}/${path}`],
    alias: { "n8n-workflow": "./test/support/n8n/n8n-workflow.ts" },
    bundle: true,
    format: "cjs",
    platform: "node",
    write: false,
  });
  const module = { exports: {} };
  const run = runInThisContext(`(function (module, require) { ${outputFiles[0]?.text ?? ""} })`) as (...given: unknown[]) => void;
  run(module, createRequire(import.meta.url));
  return module.exports;
}

export function gatewayNode(): ActionNode {
  const { Gateway } = load("Gateway/Gateway.node.ts");
  return new Gateway!() as ActionNode;
}

export function gatewayTrigger(): TriggerNode {
  const { GatewayTrigger } = load("GatewayTrigger/GatewayTrigger.node.ts");
  return new GatewayTrigger!() as TriggerNode;
}
