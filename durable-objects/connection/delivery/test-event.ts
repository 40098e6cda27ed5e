// The test action: a signed `webhook.test`, sent once, never queued or retried (docs/internals/delivery.md, "Test and resend").
import type { Endpoint } from "./endpoints.ts";
import type { DeliveryHost } from "./delivery-host.ts";
import { withDeliveryId, serializeBody } from "@gateway/domain/webhooks/style/body.ts";
import { STYLES } from "@gateway/domain/webhooks/style/styles.ts";
import { checkOutgoingUrl } from "@gateway/domain/egress/outgoing-url.ts";
import type { OperationOutput } from "@gateway/protocol/operations.ts";
import { type AttemptRequest, startAttempt } from "./attempt.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Secrets } from "./secrets.ts";

export type WebhookTestResult = OperationOutput<"webhook.test">;
type Message = NonNullable<WebhookTestResult["response"]>;

const SHOWN_BODY_BYTES = 2_048;
const SHOWN_HEADERS = 40;
const SHOWN_HEADER_CHARACTERS = 512;
const BODY_TIMEOUT_MS = 2_000;

export async function sendTest(
  endpoint: Endpoint,
  { secrets, deadlines }: { secrets: Secrets; deadlines: Deadlines },
  host: DeliveryHost,
): Promise<WebhookTestResult> {
  const style = STYLES[endpoint.style];
  const now = host.clock();
  const id = `msg_${crypto.randomUUID().replaceAll("-", "")}`;
  if (!checkOutgoingUrl(endpoint.url, host.policy).ok)
    return { http_status: null, latency_ms: 0, error: "url_not_allowed", request: null, response: null };
  const body = withDeliveryId(id, serializeBody(style, "webhook.test", now, style.test(now), host.instance()));
  const seen: { headers: Readonly<Record<string, string>> | null; response: Response | null } = { headers: null, response: null };
  const request: AttemptRequest = {
    id,
    url: endpoint.url,
    headers: endpoint.headers,
    body,
    signing: style.signing,
    keys: secrets.keys(endpoint.queueId, style.signing, now),
    timeoutMs: endpoint.timeoutMs,
    exchanged: (headers, response) => {
      Object.assign(seen, { headers, response });
    },
  };
  const { result, latencyMs, unsigned } = await startAttempt(request, host.egressFetch, deadlines, host.clock).ended;
  if (unsigned !== undefined) throw unsigned;
  const { httpStatus } = result ?? { httpStatus: null };
  const error = result?.ok === true ? null : (result?.error ?? "connection_failed");
  host.log("webhook.tested", { deliveryId: id, surface: endpoint.style, status: httpStatus, error, ms: latencyMs });
  const { headers, response } = seen;
  return {
    http_status: httpStatus,
    latency_ms: latencyMs,
    error,
    request: headers === null ? null : { headers: { ...headers }, body },
    response: response === null ? null : await shownMessage(response, deadlines),
  };
}

async function shownMessage(response: Response, deadlines: Deadlines): Promise<Message> {
  const headers = [...response.headers].slice(0, SHOWN_HEADERS).map(([name, value]) => [name, value.slice(0, SHOWN_HEADER_CHARACTERS)]);
  return { headers: Object.fromEntries(headers) as Record<string, string>, body: await firstPart(response, deadlines) };
}

/** The beginning of the body as text, without splitting a character. The rest is not read. */
async function firstPart({ body }: Response, deadlines: Deadlines): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => undefined);
  const clear = deadlines.after(BODY_TIMEOUT_MS, leave);
  const bytes = new Uint8Array(SHOWN_BODY_BYTES);
  let length = 0;
  try {
    while (length < bytes.length) {
      const { done, value } = (await reader.read()) as { done: boolean; value?: Uint8Array };
      if (done || value === undefined) break;
      const part = value.subarray(0, bytes.length - length);
      bytes.set(part, length);
      length += part.length;
    }
  } catch {
    // The connection broke, so only the received part is shown.
  }
  clear();
  leave();
  return new TextDecoder().decode(bytes.subarray(0, length), { stream: true });
}
