// Runs the checks in order. If a failure makes later checks meaningless, the run stops, so that each cause is reported once.
import { z } from "zod";
import { RELEASE } from "@gateway/domain/fleet/self-check.ts";
import { INTERNAL } from "@gateway/protocol/internal-http.ts";
import { readJson } from "@gateway/protocol/json.ts";
import type { Answer, Ask, Asked } from "./ask.ts";
import { edgeProblem, INTEGRITY } from "./edge.ts";
import { checkProblem, configurationProblem, connectionProblem, type Problem } from "./problem.ts";

const AGENT = { "user-agent": "Service-Doctor/1.0" };
/** User agents of typical customer programs. The first program sends none. */
const PROGRAMS: readonly Readonly<Record<string, string>>[] = [
  {},
  { "user-agent": "python-requests/2.32.3" },
  { "user-agent": "curl/8.5.0" },
];
/** Makes the request by which a bridge connects, without a credential. */
const DIAL = {
  "user-agent": "Service-Bridge/1.0",
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "ZG9jdG9yLWRvY3Rvci1kbw==",
};
const CLOCK_MS = 30_000;

const Health = z.object({ time: z.string(), problems: z.array(z.object({ name: z.string(), problem: z.string() })).optional() });
const Ready = z.object({ checks: z.record(z.string(), z.boolean()) });
const SelfCheck = z.object({
  data: z.object({ version: z.string(), checks: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string().nullable() })) }),
});
const Failure = z.object({ error: z.object({ code: z.string() }) });

export type Diagnosis = { problems: readonly Problem[]; checks: number };

export async function diagnose(ask: Ask, key: string, now: () => number): Promise<Diagnosis> {
  const sentAt = now();
  const health = await ask("/api/health", AGENT);
  const receivedAt = now();
  const first = outsideProblem(health);
  if (first !== null || "failed" in health) return { problems: first === null ? [] : [first], checks: 1 };
  const read = readJson(Health, health.body);
  const misconfigured = read?.problems?.map(configurationProblem) ?? [];
  if (misconfigured.length > 0) return { problems: misconfigured, checks: 1 };
  if (read === null || health.status !== 200) return { problems: [failing("/api/health", health)], checks: 1 };
  const outside = [clockProblem(Date.parse(read.time), sentAt, receivedAt), await programsProblem(ask), await dialProblem(ask)].filter(
    (problem) => problem !== null,
  );
  const inside = await insideProblems(ask, key);
  return { problems: [...outside, ...inside.problems], checks: 4 + inside.checks };
}

function outsideProblem(asked: Asked): Problem | null {
  return "failed" in asked ? connectionProblem(asked.failed) : edgeProblem(asked);
}

const failing = (path: string, { status }: Answer): Problem => ({
  what: `${path} answers ${status}`,
  remedy: "Read the exception with `npx wrangler tail`; roll back if it began with a deploy",
});

/** The response was created between these two times. Any difference beyond that is clock skew. */
function clockProblem(theirs: number, sentAt: number, receivedAt: number): Problem | null {
  const apart = theirs < sentAt ? theirs - sentAt : Math.max(0, theirs - receivedAt);
  if (Math.abs(apart) <= CLOCK_MS) return null;
  const seconds = Math.round(Math.abs(apart) / 1_000);
  return {
    what: `clock: the gateway's is ${seconds} s ${apart > 0 ? "ahead of" : "behind"} this machine's`,
    remedy:
      "Set this machine's clock (timedatectl set-ntp true); Cloudflare's is right. Bridges on a machine with a wrong clock cannot sign in",
  };
}

/** Customers' programs are not browsers, and some send no User-Agent. */
async function programsProblem(ask: Ask): Promise<Problem | null> {
  for (const headers of PROGRAMS) {
    const problem = outsideProblem(await ask("/api/health", headers));
    // If only this User-Agent is challenged, the cause is Browser Integrity Check.
    if (problem !== null) return problem.what.includes("challenge") ? INTEGRITY : problem;
  }
  return null;
}

/** The worker itself must refuse this request, because it has no credential. */
async function dialProblem(ask: Ask): Promise<Problem | null> {
  const answer = await ask(INTERNAL.bridges, DIAL);
  const problem = outsideProblem(answer);
  if (problem !== null) return { what: `bridges cannot dial in: ${problem.what}`, remedy: problem.remedy };
  if ("failed" in answer || answer.status === 401) return null;
  return { what: `bridges cannot dial in: ${INTERNAL.bridges} answers ${answer.status}`, remedy: 'Switch WebSockets on: zone, "Network"' };
}

async function insideProblems(ask: Ask, key: string): Promise<Diagnosis> {
  const answer = await ask("/api/admin/self-check", { ...AGENT, "x-api-key": key });
  const blocked = outsideProblem(answer);
  if (blocked !== null || "failed" in answer) return { problems: blocked === null ? [] : [blocked], checks: 1 };
  const read = answer.status === 200 ? readJson(SelfCheck, answer.body) : null;
  if (read === null) return { problems: await refusedProblems(ask, answer), checks: 1 };
  const { checks, version } = read.data;
  const failed = checks.filter(({ ok }) => !ok).map(checkProblem);
  return { problems: [...failed, ...releaseProblems(version)], checks: checks.length + 1 };
}

function releaseProblems(version: string): Problem[] {
  if (version === RELEASE) return [];
  return [
    {
      what: `versions: the worker runs ${version}, this clone is ${RELEASE}`,
      remedy: "Check out the deployed release, or run `npm run migrate` and `npm run deploy`",
    },
  ];
}

const KEY_REMEDY = "Create a key with the scope admin and without instances, as an administrator (docs/operate/doctor.md)";

async function refusedProblems(ask: Ask, answer: Answer): Promise<readonly Problem[]> {
  const code = readJson(Failure, answer.body)?.error.code ?? "";
  switch (answer.status) {
    case 401:
      return [{ what: "the account key is not valid", remedy: KEY_REMEDY }];
    case 403:
      return [{ what: `the account key may not do this (${code})`, remedy: KEY_REMEDY }];
    case 404:
      return [{ what: "the worker has no self-check: it is older than this clone", remedy: "Run `npm run migrate` and `npm run deploy`" }];
    case 429:
      return [{ what: `too many requests (${code})`, remedy: `Wait ${String(answer.headers["retry-after"] ?? "60")} s and run it again` }];
    default:
      return partsProblems(ask, answer);
  }
}

/** If even the self-check fails, looks at the public readiness page for a failed part on which the self-check depends. */
async function partsProblems(ask: Ask, answer: Answer): Promise<readonly Problem[]> {
  const ready = await ask("/api/health/ready", AGENT);
  const checks = "failed" in ready ? undefined : readJson(Ready, ready.body)?.checks;
  const unmet = (name: string, check: string, detail: string) => (checks?.[name] === false ? [checkProblem({ name: check, detail })] : []);
  const problems = [
    ...unmet("d1", "database", "D1 does not answer"),
    ...(checks?.["d1"] === false ? [] : unmet("migrations", "migrations", "the database lacks what this release needs")),
    ...unmet("durable_objects", "pools", "objects do not answer"),
  ];
  return problems.length > 0 ? problems : [failing("/api/admin/self-check", answer)];
}
