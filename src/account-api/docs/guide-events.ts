// The guide's part on events: what an endpoint of the account receives (docs/events.md, "Account API events").
import { ACCOUNT_EVENT_SUMMARIES } from "../events/events.ts";

export const EVENTS_GUIDE = `## Events

An endpoint hears of one instance, or of all when \`instance_id\` is null. Each event is a \`POST\` with this envelope:

\`\`\`json
{
  "id": "msg_0123456789abcdef0123456789abcdef",
  "event": "message.delivered",
  "instance_id": "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b",
  "timestamp": "2026-11-20T12:00:00.000Z",
  "data": { "message_id": "3EB0C431C26A1916E07A", "chat_id": "5511900000002@c.us", "status": "delivered" }
}
\`\`\`

| Event | When |
|---|---|
${ACCOUNT_EVENT_SUMMARIES.map(({ type, when }) => `| \`${type}\` | ${when} |`).join("\n")}

- Answer 2xx within \`timeout_ms\` (5 seconds unless said). Anything else, a redirect or silence is a failure, and there are up to \`retry_count\` (3 unless said) further attempts: after 10 s, 60 s, 5 min, 30 min and 2 h.
- The same event may arrive twice: deduplicate on \`id\`, which does not change between attempts.

### Verifying the signature

When the endpoint has a \`secret\`, \`X-Service-Signature\` is the hex HMAC-SHA256 of the body with it. Use the bytes of the body as they came:

\`\`\`js verify
import { createHmac, timingSafeEqual } from "node:crypto";

export function isGenuine(headers, rawBody, secret) {
  const given = Buffer.from(headers["x-service-signature"] ?? "", "hex");
  const expected = createHmac("sha256", secret).update(rawBody).digest();
  return given.length === expected.length && timingSafeEqual(given, expected);
}
\`\`\``;
