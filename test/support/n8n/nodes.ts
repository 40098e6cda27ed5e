// Loads both nodes. They belong to no TypeScript project of this repository, because n8n's types are not installed.
import { fileURLToPath } from "node:url";
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

const FOLDER = new URL("../../../packages/n8n/nodes/", import.meta.url);

async function load(path: string): Promise<Record<string, new () => unknown>> {
  const file = fileURLToPath(new URL(path, FOLDER));
  return (await import(/* @vite-ignore */ file)) as Record<string, new () => unknown>;
}

export async function gatewayNode(): Promise<ActionNode> {
  const { Gateway } = await load("Gateway/Gateway.node.ts");
  return new Gateway!() as ActionNode;
}

export async function gatewayTrigger(): Promise<TriggerNode> {
  const { GatewayTrigger } = await load("GatewayTrigger/GatewayTrigger.node.ts");
  return new GatewayTrigger!() as TriggerNode;
}
