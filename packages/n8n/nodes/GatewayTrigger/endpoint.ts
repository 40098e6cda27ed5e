// The webhook endpoint that the trigger registers with the gateway while its workflow is active.
import { randomBytes } from "node:crypto";
import {
  type IDataObject,
  type IHookFunctions,
  type IHttpRequestMethods,
  type IN8nHttpFullResponse,
  type JsonObject,
  NodeApiError,
  NodeOperationError,
} from "n8n-workflow";
import { type Filter, subscribed } from "./deliveries.ts";

const SECRET_BYTES = 32;
const TIMEOUT_MS = 10_000;
/** The API's maximum, which covers an outage of about two and a half hours. */
const RETRY_COUNT = 5;

type Endpoint = { id: string; url: string; events: string[]; instance_id: string | null; retry_count: number; is_active: boolean };

type WorkflowData = { endpointId?: string; secret?: string; seen?: string[] };

export function kept(context: { getWorkflowStaticData: (type: string) => IDataObject }): WorkflowData {
  return context.getWorkflowStaticData("node") as WorkflowData;
}

export function filterOf(context: { getNodeParameter: (name: string, fallback?: unknown) => unknown }): Filter {
  return {
    events: context.getNodeParameter("events", []) as string[],
    ownMessages: context.getNodeParameter("ownMessages", false) as boolean,
    groups: context.getNodeParameter("groups", true) as boolean,
    types: context.getNodeParameter("types", []) as string[],
  };
}

/** Returns false, so that n8n creates the endpoint, if it is missing, if its secret is lost, or if it differs from the node's settings. */
export async function exists(context: IHookFunctions): Promise<boolean> {
  const { endpointId, secret } = kept(context);
  if (endpointId === undefined || secret === undefined) return false;
  const answer = await call(context, "GET", `/${endpointId}`, [404]);
  return answer.statusCode !== 404 && isSame(context, (answer.body as { data: Endpoint }).data);
}

function isSame(context: IHookFunctions, endpoint: Endpoint): boolean {
  const wanted = wantedOf(context);
  return (
    endpoint.is_active &&
    endpoint.url === wanted.url &&
    endpoint.instance_id === wanted.instance_id &&
    endpoint.retry_count === wanted.retry_count &&
    [...endpoint.events].sort().join() === wanted.events.join()
  );
}

export async function create(context: IHookFunctions): Promise<boolean> {
  const wanted = wantedOf(context);
  await removeAllOf(context, wanted.url);
  const secret = randomBytes(SECRET_BYTES).toString("hex");
  const description = `n8n: workflow ${context.getWorkflow().id ?? ""}`.trim();
  const answer = await call(context, "POST", "", [], { ...wanted, secret, description, timeout_ms: TIMEOUT_MS });
  Object.assign(kept(context), { endpointId: (answer.body as { data: Endpoint }).data.id, secret });
  return true;
}

export async function remove(context: IHookFunctions): Promise<boolean> {
  const { endpointId } = kept(context);
  if (endpointId !== undefined) await call(context, "DELETE", `/${endpointId}`, [404]);
  const data = kept(context);
  delete data.endpointId;
  delete data.secret;
  return true;
}

/** Removes endpoints with this URL that an earlier activation has left behind. Only n8n knows this URL, so they belong to this node. */
async function removeAllOf(context: IHookFunctions, url: string): Promise<void> {
  const { body } = await call(context, "GET", "");
  for (const endpoint of (body as { data: Endpoint[] }).data)
    if (endpoint.url === url) await call(context, "DELETE", `/${endpoint.id}`, [404]);
}

function wantedOf(context: IHookFunctions): Pick<Endpoint, "url" | "events" | "instance_id" | "retry_count"> {
  const url = context.getNodeWebhookUrl("default");
  if (url === undefined) throw new NodeOperationError(context.getNode(), "n8n gave the trigger no webhook URL");
  const events = subscribed(filterOf(context));
  if (events.length === 0) throw new NodeOperationError(context.getNode(), "Select at least one event");
  const instance = context.getNodeParameter("instance", "", { extractValue: true });
  return { url, events, instance_id: typeof instance === "string" && instance !== "" ? instance : null, retry_count: RETRY_COUNT };
}

async function call(
  context: IHookFunctions,
  method: IHttpRequestMethods,
  path: string,
  accepted: readonly number[] = [],
  body?: IDataObject,
): Promise<IN8nHttpFullResponse> {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>("gatewayApi");
  const answer = (await context.helpers.httpRequestWithAuthentication.call(context, "gatewayApi", {
    method,
    baseURL: baseUrl.replace(/\/+$/, ""),
    url: `/api/webhooks${path}`,
    ...(body === undefined ? {} : { body }),
    json: true,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
  })) as IN8nHttpFullResponse;
  if (answer.statusCode < 400 || accepted.includes(answer.statusCode)) return answer;
  const { message } = (answer.body as { error?: { message?: string } } | null)?.error ?? {};
  throw new NodeApiError(context.getNode(), (answer.body ?? {}) as JsonObject, {
    message: message ?? `The gateway answered with ${answer.statusCode}`,
    httpCode: String(answer.statusCode),
  });
}
