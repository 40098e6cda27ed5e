// Custom headers of an Account API webhook endpoint. They must not change how a delivery is interpreted.
import { fieldIssue, type Problem } from "../failures/field-problems.ts";
import { fail, type Outcome, succeed } from "@gateway/protocol/failures.ts";

const MAX_HEADERS = 20;
const MAX_VALUE_CHARACTERS = 1_024;
const NAME = /^[A-Za-z0-9-]{1,64}$/;
/** Visible ASCII, with spaces only inside. Other characters are mangled in transit or could split the request. */
const VALUE = /^[\x21-\x7E]([\x20-\x7E]*[\x21-\x7E])?$/;

/** Headers that control framing, forwarding or browsers, and our own. Includes `expect`, because a 100 would count as the result. */
const FORBIDDEN = new RegExp(
  `^(${[
    "host|content-.*|transfer-encoding|te|trailers?|connection|keep-alive|upgrade.*|http2-settings|expect.*|proxy-.*|max-forwards",
    "forwarded|x-forwarded.*|x-original-.*|x-rewrite-.*|x-real-.*|x-client-.*|x-cluster-.*|x-proxy.*|x-envoy-.*|x-http-method.*|x-method-.*",
    "true-client-ip|client-ip|fastly-.*|fly-.*|x-azure-.*|x-amzn?-.*|x-goog-.*|x-appengine-.*|via|cdn-loop|cf-.*",
    "cookie2?|set-cookie2?|sec-.*|origin|referer|access-control-.*|range|if-.*|date|age",
    "x-service-signature|webhook-.*",
  ].join("|")})$`,
  "i",
);

/** Non-string values are converted to JSON text. */
export function validateCustomHeaders(headers: Readonly<Record<string, unknown>>): Outcome<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => [name, asText(value)]);
  const issues = entries.flatMap(([name, value]) => {
    const problem = problemOf(name, value);
    return problem === null ? [] : [fieldIssue(`headers.${name.slice(0, 64)}`, problem, MAX_VALUE_CHARACTERS)];
  });
  if (entries.length > MAX_HEADERS) issues.push(fieldIssue("headers", "too_many_headers", MAX_HEADERS));
  if (new Set(entries.map(([name]) => name.toLowerCase())).size < entries.length) issues.push(fieldIssue("headers", "repeated_header"));
  return issues.length > 0 ? fail("validation_error", { issues }) : succeed(Object.fromEntries(entries));
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function problemOf(name: string, value: string): Problem | null {
  if (!NAME.test(name)) return "not_a_header_name";
  if (FORBIDDEN.test(name)) return "forbidden_header";
  if (value.length > MAX_VALUE_CHARACTERS) return "long_header";
  return VALUE.test(value) ? null : "not_visible_ascii";
}
