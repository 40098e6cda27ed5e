// Recognises responses from the zone in front of the worker.
import type { Answer } from "./ask.ts";
import type { Problem } from "./problem.ts";

const CHALLENGE: Problem = {
  what: "a challenge page answers instead of the gateway",
  remedy:
    'Switch Bot Fight Mode off (zone, "Security", "Settings"): no rule exempts requests from it. If it is off, look for Under Attack Mode and for rules that challenge',
};
export const INTEGRITY: Problem = {
  what: "Browser Integrity Check refuses programs",
  remedy: 'Switch it off (zone, "Security", "Settings"), or for the gateway\'s names by a configuration rule',
};

/** Cloudflare's own errors, by the code on the error page. */
const ERRORS: Readonly<Record<string, Problem>> = {
  1006: { what: "an IP access rule of the zone blocks this machine", remedy: 'Remove the rule: zone, "Security", "Security rules"' },
  1009: { what: "the zone blocks this machine's country", remedy: 'Remove the rule: zone, "Security", "Security rules"' },
  1010: INTEGRITY,
  1015: {
    what: "a rate limiting rule of the zone refuses requests",
    remedy: "Remove the rule: the gateway limits by key itself, and a bridge sends many requests from one address",
  },
  1016: { what: "the name leads to no worker", remedy: "Remove its own DNS record and run `npm run deploy`" },
  1020: {
    what: "a custom rule of the zone blocks requests",
    remedy: 'Exempt /api/*, /internal/* and /docs from it: zone, "Security", "Security rules"',
  },
  1027: { what: "the day's requests of the Workers Free plan are used up", remedy: "Subscribe to Workers Paid, which the gateway needs" },
  1101: {
    what: "the worker throws before it can answer",
    remedy: "Read the exception with `npx wrangler tail`; roll back if it began with a deploy",
  },
  1102: { what: "the worker exceeds its limit of CPU time", remedy: "Subscribe to Workers Paid, which the gateway needs" },
};

const header = ({ headers }: Answer, name: string): string => String(headers[name] ?? "");

/** Only the gateway adds a request id. */
const isOurs = (answer: Answer): boolean => /^[0-9a-f-]{36}$/.test(header(answer, "x-request-id"));

/** Returns null if the gateway itself answered this request. */
export function edgeProblem(answer: Answer): Problem | null {
  if (isOurs(answer)) return cacheProblem(answer);
  if (header(answer, "cf-mitigated") === "challenge" || /\/cdn-cgi\/challenge-platform\//.test(answer.body)) return CHALLENGE;
  const code = /error(?: code:?|<\/span>\s*<span[^>]*>) *(\d{4})\b|cf-error-code">(\d{4})</i.exec(answer.body);
  const known = ERRORS[code?.[1] ?? code?.[2] ?? ""];
  if (known !== undefined) return known;
  const to = header(answer, "location");
  if (answer.status >= 300 && answer.status < 400 && to !== "") return redirectProblem(to);
  return {
    what: `something other than the gateway answers, with status ${answer.status}${code === null ? "" : ` and Cloudflare's error ${code[1] ?? code[2]}`}`,
    remedy:
      "Is this APP_URL or BASE_URL in wrangler.toml? If it is, look at the name's DNS record, and at the routes of other workers in the zone",
  };
}

function redirectProblem(to: string): Problem {
  if (/\.cloudflareaccess\.com\b/.test(to)) {
    return {
      what: "Cloudflare Access asks everybody to sign in",
      remedy: "Remove its application for this name, or add a policy that bypasses it: bridges and customers' programs cannot sign in",
    };
  }
  return { what: `the zone redirects to ${to}`, remedy: "Remove the redirect rule: programs do not follow it with their key" };
}

/** Responses must never be cached, because a rule that caches everything would mix up customers' responses. */
function cacheProblem(answer: Answer): Problem | null {
  if (!/^(HIT|STALE|REVALIDATED|UPDATING)$/.test(header(answer, "cf-cache-status"))) return null;
  return {
    what: "the zone caches answers of the API",
    remedy: 'Remove the cache rule for this name (zone, "Caching", "Cache Rules") and purge the cache',
  };
}
