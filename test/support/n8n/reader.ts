// Runs an operation of the node's declarative description, in the order of n8n's own routing: properties that are shown, then the hooks before
// the request, the request, the hooks after it, and further pages.
import { runInNewContext } from "node:vm";
import { type Credentials, type Fields, httpWith } from "./contexts.ts";
import type { ActionNode, Property, Routing } from "./nodes.ts";

type Request = { baseURL: string; url: string; method: string; qs: Fields; body: Fields; headers: Fields };
type Items = { json: Fields }[];
type Built = { request: Request; paginate: boolean; maxResults: number | null; before: Hooks; after: Hooks };
type Hooks = NonNullable<NonNullable<Routing["send"]>["preSend"]>;

export type Run = {
  credentials: Credentials;
  /** The parameters of one operation. A chat, contact or group is `{ mode, value }`. */
  parameters: Fields;
  items?: Fields[];
  executionId?: string;
  runIndex?: number;
  /** The offset of the workflow's time zone, such as `-03:00`. */
  offset?: string;
  binary?: { bytes: Buffer; mimeType: string; fileName?: string };
};

/** "Retry on Fail": n8n runs the whole node again. */
export async function runWithRetries(node: ActionNode, run: Run, maxTries: number): Promise<Items> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await runNode(node, run);
    } catch (error) {
      if (attempt === maxTries) throw error;
    }
}

export async function runNode(node: ActionNode, run: Run): Promise<Items> {
  const perItem = await Promise.all((run.items ?? [{}]).map((item, itemIndex) => runItem(node, run, item, itemIndex)));
  return perItem.flat();
}

async function runItem({ description }: ActionNode, run: Run, item: Fields, itemIndex: number): Promise<Items> {
  const parameters = withDefaults(description.properties, run.parameters);
  const scope = scopeOf(run, parameters, item, itemIndex);
  const built: Built = {
    request: { qs: {}, body: {}, headers: {}, ...(evaluated(description.requestDefaults, scope) as object) } as Request,
    paginate: false,
    maxResults: null,
    before: [],
    after: [],
  };
  for (const property of description.properties) apply(built, property, parameters, parameters, scope);
  const context = contextOf(run, scope, itemIndex);
  let request = built.request;
  for (const hook of built.before) request = (await hook.call(context, request)) as Request;
  const found: Items = [];
  for (let isMore = true; isMore;) {
    const $response = await httpWith(run.credentials)(request as never);
    let items: unknown = [{ json: $response.body }];
    for (const hook of built.after) items = await hook.call(context, items, $response);
    found.push(...(items as Items));
    if (!built.paginate) break;
    const { properties } = description.requestOperations.pagination;
    const paging = { ...scope, $request: request, $response };
    isMore = evaluated(properties.continue, paging) as boolean;
    request = { ...request, ...(evaluated(properties.request, paging) as object) };
  }
  return built.maxResults === null ? found : found.slice(0, built.maxResults);
}

function contextOf(run: Run, scope: Fields, itemIndex: number) {
  return {
    getNode: () => ({ id: scope["$nodeId"], name: "Gateway" }),
    getWorkflow: () => ({ id: "workflow-1" }),
    getInstanceId: () => "instance-1",
    getExecutionId: () => run.executionId ?? "1",
    getItemIndex: () => itemIndex,
    evaluateExpression: (expression: string) => evaluated(`=${expression}`, scope),
    helpers: {
      assertBinaryData: () => run.binary,
      getBinaryDataBuffer: async () => run.binary?.bytes,
    },
  };
}

function scopeOf(run: Run, parameters: Fields, $json: Fields, $itemIndex: number): Fields {
  const $parameter = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, valueOf(value)]));
  return {
    $parameter,
    $json,
    $itemIndex,
    $runIndex: run.runIndex ?? 0,
    $nodeId: "node-1",
    $credentials: run.credentials,
    DateTime: dateTimeAt(run.offset ?? "Z"),
  };
}

/** The part of n8n's `DateTime` (luxon) that the node uses: it reads a time without an offset in the workflow's time zone. */
function dateTimeAt(offset: string) {
  const withOffset = (text: string): string => (/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}${offset}`);
  return {
    fromISO: (text: string) => ({ toMillis: () => (/^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(withOffset(text)) : Number.NaN) }),
  };
}

function valueOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "mode" in value ? (value as { value?: unknown }).value : value;
}

function withDefaults(properties: readonly Property[], given: Fields): Fields {
  const known = { ...given };
  for (const property of properties) if (!(property.name in known) && isShown(property, known)) known[property.name] = property.default;
  return known;
}

function isShown({ displayOptions }: Property, parameters: Fields): boolean {
  return Object.entries(displayOptions?.show ?? {}).every(([name, values]) => values.includes(valueOf(parameters[name])));
}

function apply(built: Built, property: Property, all: Fields, own: Fields, scope: Fields): void {
  if (!isShown(property, all) || !(property.name in own)) return;
  const $value = evaluated(valueOf(own[property.name]), scope);
  route(built, property.routing, { ...scope, $value });
  if (property.type === "options") {
    const option = property.options?.find(({ value }) => value === $value);
    route(built, option?.routing, { ...scope, $value });
  }
  if (property.type === "collection")
    for (const option of property.options ?? []) apply(built, option, all, own[property.name] as Fields, scope);
}

function route(built: Built, routing: Routing | undefined, scope: Fields): void {
  if (routing === undefined) return;
  Object.assign(built.request, evaluated(routing.request ?? {}, scope));
  const { property, value, type, paginate, preSend } = routing.send ?? {};
  if (property !== undefined)
    put(type === "body" ? built.request.body : built.request.qs, property, value === undefined ? scope["$value"] : evaluated(value, scope));
  if (paginate !== undefined) built.paginate = evaluated(paginate, scope) === true;
  if (routing.output?.maxResults !== undefined) built.maxResults = Number(evaluated(routing.output.maxResults, scope));
  built.before.push(...(preSend ?? []));
  built.after.push(...(routing.output?.postReceive ?? []));
}

function put(target: Fields, path: string, value: unknown): void {
  const [first = "", ...rest] = path.split(".");
  if (rest.length === 0) target[first] = value;
  else put((target[first] ??= {}) as Fields, rest.join("."), value);
}

/** An expression begins with "=". Alone in its braces, it keeps its type. */
function evaluated(value: unknown, scope: Fields): unknown {
  if (Array.isArray(value)) return value.map((each) => evaluated(each, scope));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, evaluated(each, scope)]));
  if (typeof value !== "string" || !value.startsWith("=")) return value;
  const [, alone] = /^=\{\{((?:(?!\}\}(?!$))[^])*)\}\}$/.exec(value) ?? [];
  const run = (code: string): unknown => runInNewContext(`(${code})`, { ...scope }) as unknown;
  return alone === undefined ? value.slice(1).replaceAll(/\{\{([^]*?)\}\}/g, (_, code: string) => String(run(code))) : run(alone);
}
