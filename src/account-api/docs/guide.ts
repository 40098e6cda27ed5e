// What stands before the reference, in Markdown. Its `sh` and `js` blocks run as they stand.
import { FAILURE_ANSWERS } from "../../domain/failures/answers.ts";
import { ENGLISH } from "../../domain/failures/english.ts";
import type { FailureCode } from "../../protocol/failures.ts";
import { EVENTS_GUIDE } from "./guide-events.ts";

export function guide(baseUrl: string): string {
  return [firstSteps(baseUrl), authentication(baseUrl), IDEMPOTENCY, LIMITS, errors(), SHAPES, SETTINGS, EVENTS_GUIDE].join("\n\n");
}

const firstSteps = (baseUrl: string) => `## First steps

An account has instances; each is one connected number. Make one, show its QR code, scan it under *Linked devices*:

\`\`\`sh
curl -X POST '${baseUrl}/api/instances' \\
  -H "X-Api-Key: $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"name":"Store"}'
\`\`\`

\`\`\`js
const api = async (path, options) => {
  const answer = await fetch("${baseUrl}/api" + path, { ...options, headers: { "X-Api-Key": process.env.API_KEY } });
  if (!answer.ok) throw new Error((await answer.json()).error.code);
  return answer.json();
};
const { data: instances } = await api("/instances?limit=10");
for (const { id, status } of instances) {
  if (status === "scan_qr") console.log((await api("/instances/" + id + "/qr")).qr);
}
\`\`\`

The QR code exists only while \`status\` is \`scan_qr\`. Disconnecting keeps the session data; logging out does not.`;

const authentication = (baseUrl: string) => `## Authentication

| How | Header | For |
|---|---|---|
| API key | \`X-Api-Key: acc_…\` | servers; does not expire unless told to |
| Access token (JWT) | \`Authorization: Bearer …\` | people in a browser; short-lived |

\`\`\`sh
curl '${baseUrl}/api/me' -H "X-Api-Key: $API_KEY"
\`\`\`

- HTTPS only. \`X-Api-Key\` wins when both headers are sent.
- A key is made with a bearer token, its value is shown once, and it may do what its user may: \`read\`, \`send\`, \`manage\` and, for administrators, \`admin\`; fewer when made so, also only for some instances. Removing it binds at once.
- Missing, malformed, unknown, removed and expired credentials are answered by the same \`401 unauthorized\`. After 20 bad keys in 10 minutes an address gets \`429 too_many_attempts\` for 15 minutes; good credentials still work.
- What belongs to another account does not exist: \`404\`. What is there but not for this key or role is \`403 forbidden\`.`;

const IDEMPOTENCY = `## Repeating safely

Every route that changes something takes \`Idempotency-Key\`: 1 to 255 visible ASCII characters. The same value within 24 hours gets the first answer with \`idempotent-replayed: true\`. With another body or route it still is the first answer, and \`idempotency-mismatch: true\` shows the mistake. Refusals that came before anything was tried are not kept.`;

const LIMITS = `## Limits

| Limit | Value | Beyond it |
|---|---|---|
| Burst, per key or user | 200 requests in 10 seconds | 429 \`rate_limited\` |
| The same read | 60 a minute | 429 \`repeated_read\` |
| Bad keys, per address | 20 in 10 minutes | 429 \`too_many_attempts\` for 15 minutes |
| Body | 25 MB | 413 \`body_too_large\` |
| Webhook endpoints | 20 per account | 409 \`webhook_limit\` |

Wait the seconds in \`Retry-After\`. Every answer carries \`RateLimit\` and \`RateLimit-Policy\`. To learn of changes use a webhook instead of asking again.`;

/** Codes that no route of this surface answers yet. */
const ELSEWHERE: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "cloud_credentials_invalid",
  "test_first",
  "key_limit",
  "user_not_found",
]);

function errors(): string {
  const rows = (Object.entries(FAILURE_ANSWERS) as [FailureCode, { status: number }][])
    .filter(([code]) => !ELSEWHERE.has(code))
    .map(([code, { status }]) => `| ${status} | \`${code}\` | ${ENGLISH[code]} |`);
  return `## Errors

The body is \`{ "error": { "code", "message", "details"? }, "request_id" }\`. Decide by \`code\`; \`message\` is for people. Every answer carries \`X-Request-Id\`.

| Status | \`code\` | When |
|---|---|---|
${rows.join("\n")}`;
}

const SHAPES = `## Shapes

- One thing is \`{ "data": {…} }\`, a list \`{ "data": […], "next_cursor" }\`: pass \`next_cursor\` as \`cursor\` until it is \`null\`. \`limit\` is 1 to 200, 50 unless said.
- A chat with a person is \`<phone>@c.us\`, a group ends in \`@g.us\`; digits alone will do in a path. Times are ISO 8601, UTC.
- Unknown fields of a body are refused, so that a slip shows; unknown query parameters are ignored. New message types may appear: tolerate them.`;

const SETTINGS = `## Settings of an instance

| Setting | Default | Meaning |
|---|---|---|
| \`reject_calls\` | false | every incoming call is rejected at once |
| \`reject_call_message\` | null | text that a rejected caller gets, in calls to the number alone |
| \`always_online\` | false | the number shows as online while it is connected |
| \`mark_read_on_receive\` | false | messages are marked as read when they arrive |
| \`ignore_groups\`, \`ignore_channels\`, \`ignore_status\` | false, false, true | nothing of these is stored or delivered |
| \`sync_history\` | recent | what the phone hands over when it is linked: none, recent or full |
| \`download_media\` | true | files of incoming messages are kept |
| \`media_retention_days\` | 7 | how long they are kept, 1 to 30 |
| \`device_name\` | Gateway | what the phone lists under linked devices, from the next pairing on |
| \`pacing.min_gap_ms\` | 0 | shortest pause between two sends, which wait for it |
| \`pacing.new_chats_per_hour\` | null | first messages to people who never wrote; beyond it 429 |
| \`pacing.reply_only\` | false | only people who have written may be written to |`;
