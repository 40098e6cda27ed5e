// The test action: a signed `webhook.test`, sent once and at once, never queued and never retried (docs/delivery.md, "Test and resend").
import { type AttemptRequest, startAttempt } from "./attempt.ts";
import { withDeliveryId, serializeBody } from "../../../src/domain/webhooks/style/body.ts";
import { STYLES } from "../../../src/domain/webhooks/style/styles.ts";
import { checkOutgoingUrl } from "../../../src/domain/egress/outgoing-url.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Secrets } from "./secrets.ts";
import type { DeliveryHost } from "./host.ts";

export type TestAnswer = { http_status: number | null; latency_ms: number; error: string | null };

export async function sendTest(
  endpoint: Endpoint,
  { secrets, deadlines }: { secrets: Secrets; deadlines: Deadlines },
  host: DeliveryHost,
): Promise<TestAnswer> {
  const style = STYLES[endpoint.style];
  const now = host.clock();
  const id = `msg_${crypto.randomUUID().replaceAll("-", "")}`;
  if (!checkOutgoingUrl(endpoint.url, host.policy).ok) return { http_status: null, latency_ms: 0, error: "url_not_allowed" };
  const request: AttemptRequest = {
    id,
    url: endpoint.url,
    headers: endpoint.headers,
    body: withDeliveryId(id, serializeBody(style, "webhook.test", now, style.test(now), host.instance())),
    signing: style.signing,
    keys: secrets.keys(endpoint.lane, style.signing, now),
    timeoutMs: endpoint.timeoutMs,
  };
  const { result, latencyMs } = await startAttempt(request, host.egressFetch, deadlines, host.clock).ended;
  const { httpStatus } = result ?? { httpStatus: null };
  const error = result?.ok === true ? null : (result?.error ?? "connection_failed");
  host.log("webhook.tested", { deliveryId: id, surface: endpoint.style, status: httpStatus, error, ms: latencyMs });
  return { http_status: httpStatus, latency_ms: latencyMs, error };
}
