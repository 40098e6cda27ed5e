// Custom headers of an Account API webhook endpoint: sent with every delivery, so they may not change what a delivery is.
import { fail, type Outcome } from "../../protocol/failures.ts";

const MAX_HEADERS = 20;
const MAX_VALUE_CHARACTERS = 1_024;
const NAME = /^[A-Za-z0-9-]{1,64}$/;
/** Visible ASCII with blanks inside: anything else is mangled on the way or splits the request. */
const VALUE = /^[\x21-\x7E]([\x20-\x7E]*[\x21-\x7E])?$/;

/**
 * Framing, hop-by-hop and our own. `expect` makes a receiver answer 100, which reads as its final answer; `cf-*` is the
 * platform's.
 */
const FORBIDDEN =
  /^(host|content-.*|transfer-encoding|te|trailer|connection|keep-alive|upgrade|expect|proxy-.*|cf-.*|x-service-signature|webhook-.*)$/i;

/**
 * The headers with their values as text; values of any type are accepted (docs/account-api.md, "Webhook endpoints") and written as JSON
 * says.
 */
export function validateCustomHeaders(headers: Readonly<Record<string, unknown>>): Outcome<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]): [string, string] => [name, asText(value)]);
  const issues = entries.flatMap(([name, value]) => {
    const issue = issueOf(name, value);
    return issue === null ? [] : [{ field: `headers.${name.slice(0, 64)}`, issue }];
  });
  if (entries.length > MAX_HEADERS) issues.push({ field: "headers", issue: `at most ${MAX_HEADERS} headers` });
  if (new Set(entries.map(([name]) => name.toLowerCase())).size < entries.length)
    issues.push({ field: "headers", issue: "a name occurs twice" });
  return issues.length > 0 ? fail("validation_error", { issues }) : { ok: true, value: Object.fromEntries(entries) };
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function issueOf(name: string, value: string): string | null {
  if (!NAME.test(name)) return "a header name has 1 to 64 letters, digits and hyphens";
  if (FORBIDDEN.test(name)) return "this header cannot be set";
  if (value.length > MAX_VALUE_CHARACTERS) return `at most ${MAX_VALUE_CHARACTERS} characters`;
  return VALUE.test(value) ? null : "visible ASCII characters only";
}
