// The doctor's diagnosis for given responses. `test/journey/tools/doctor.endurance.test.ts` breaks real deployments.
import { describe, expect, it } from "vitest";
import { RELEASE } from "@gateway/domain/fleet/self-check.ts";
import type { Answer, Ask, Asked } from "#root/tools/doctor/ask.ts";
import { baseImageProblem } from "#root/tools/doctor/base-image.ts";
import { diagnose } from "#root/tools/doctor/diagnose.ts";
import { readOptions } from "#root/tools/doctor/options.ts";

const NOW = Date.UTC(2030, 0, 1);
const KEY = `acc_${"k".repeat(43)}`;
const OURS = { "x-request-id": "0f0f0f0f-0000-4000-8000-000000000000" };

const json = (status: number, body: unknown): Answer => ({ status, headers: OURS, body: JSON.stringify(body) });
const edge = (status: number, body: string, headers: Record<string, string> = {}): Answer => ({ status, headers, body });

const HEALTHY: Readonly<Record<string, Asked>> = {
  "/api/health": json(200, { status: "ok", version: "1.0", time: new Date(NOW).toISOString() }),
  "/internal/bridges": json(401, { error: { code: "unauthorized" } }),
  "/api/admin/self-check": json(200, { data: { version: RELEASE, checks: [{ name: "crons", ok: true, detail: null }] } }),
};

type Answers = Record<string, Asked | ((headers: Readonly<Record<string, string>>) => Asked)>;

async function problemsOf(changes: Answers, now = NOW): Promise<string[]> {
  const answers: Answers = { ...HEALTHY, ...changes };
  const ask: Ask = async (path, headers = {}) => {
    const answer = answers[path];
    if (answer === undefined) throw new Error(`nothing answers ${path}`);
    return typeof answer === "function" ? answer(headers) : answer;
  };
  const { problems } = await diagnose(ask, KEY, () => now);
  for (const { what, remedy } of problems) expect([what.includes("\n"), remedy.length > 10]).toEqual([false, true]);
  return problems.map(({ what }) => what);
}

const CHALLENGE_PAGE = edge(403, "<title>Just a moment...</title>", { "cf-mitigated": "challenge", server: "cloudflare" });
const BROWSERS_ONLY = edge(403, "error code: 1010");

it("a healthy deployment has no problem", async () => {
  expect(await problemsOf({})).toEqual([]);
});

describe("the zone", () => {
  it.each([
    [CHALLENGE_PAGE, "a challenge page answers instead of the gateway"],
    [BROWSERS_ONLY, "Browser Integrity Check refuses programs"],
    [edge(403, '<span class="cf-error-code">1020</span>'), "a custom rule of the zone blocks requests"],
    [edge(429, "error code: 1015"), "a rate limiting rule of the zone refuses requests"],
    [edge(500, "error code: 1101"), "the worker throws before it can answer"],
    [edge(302, "", { location: "https://shop.cloudflareaccess.com/cdn-cgi/access/login" }), "Cloudflare Access asks everybody to sign in"],
    [edge(301, "", { location: "https://www.shop.dev/" }), "the zone redirects to https://www.shop.dev/"],
    [edge(200, "<h1>It works!</h1>"), "something other than the gateway answers, with status 200"],
    [{ failed: "ENOTFOUND" }, "the name is not in the DNS"],
    [{ failed: "CERT_HAS_EXPIRED" }, "the certificate has expired"],
    [{ failed: "EHOSTUNREACH" }, "no response (EHOSTUNREACH)"],
  ] satisfies [Asked, string][])("is reported in one line, which ends the examination: %j", async (answer, problem) => {
    expect(await problemsOf({ "/api/health": answer })).toEqual([problem]);
  });

  it("is named as the problem even if it refuses only some programs, or only bridges", async () => {
    const without = (agent: RegExp, answer: Asked) => (headers: Readonly<Record<string, string>>) =>
      agent.test(headers["user-agent"] ?? "") ? answer : (HEALTHY["/api/health"] as Answer);
    expect(await problemsOf({ "/api/health": without(/^$/, CHALLENGE_PAGE) })).toEqual(["Browser Integrity Check refuses programs"]);
    expect(await problemsOf({ "/api/health": without(/python/, BROWSERS_ONLY) })).toEqual(["Browser Integrity Check refuses programs"]);
    expect(await problemsOf({ "/internal/bridges": CHALLENGE_PAGE })).toEqual([
      "bridges cannot dial in: a challenge page answers instead of the gateway",
    ]);
    expect(await problemsOf({ "/internal/bridges": json(426, {}) })).toEqual(["bridges cannot dial in: /internal/bridges answers 426"]);
  });

  it("is reported if it caches answers", async () => {
    const { body } = HEALTHY["/api/health"] as Answer;
    expect(await problemsOf({ "/api/health": { status: 200, headers: { ...OURS, "cf-cache-status": "HIT" }, body } })).toEqual([
      "the zone caches answers of the API",
    ]);
  });
});

it("a misconfigured gateway has each missing setting named, and nothing else", async () => {
  const problems = [
    { name: "STATE_SECRET", problem: "not set" },
    { name: "MEDIA", problem: "the binding is missing" },
    { name: "DATA_DIR", problem: "the disk is full" },
  ];
  expect(await problemsOf({ "/api/health": json(503, { status: "misconfigured", time: "", problems }) })).toEqual([
    "STATE_SECRET: not set",
    "MEDIA: the binding is missing",
    "DATA_DIR: the disk is full",
  ]);
});

it("clocks may differ by half a minute, and a larger difference is reported", async () => {
  expect(await problemsOf({}, NOW + 30_000)).toEqual([]);
  expect(await problemsOf({}, NOW + 95_000)).toEqual(["clock: the gateway's is 95 s behind this machine's"]);
  expect(await problemsOf({}, NOW - 95_000)).toEqual(["clock: the gateway's is 95 s ahead of this machine's"]);
});

describe("the self-check", () => {
  const failed = (status: number, code: string) => json(status, { error: { code } });

  it("has a line for each failed part, and one for another release", async () => {
    const checks = [
      { name: "crons", ok: false, detail: '"* * * * *" has never run' },
      { name: "mail", ok: true, detail: null },
      { name: "bridges", ok: false, detail: "no bridge has connected" },
    ];
    expect(await problemsOf({ "/api/admin/self-check": json(200, { data: { version: "9.9.9", checks } }) })).toEqual([
      'crons: "* * * * *" has never run',
      "bridges: no bridge has connected",
      `versions: the worker runs 9.9.9, this clone is ${RELEASE}`,
    ]);
  });

  it.each([
    [401, "unauthorized", "the account key is not valid"],
    [403, "forbidden", "the account key may not do this (forbidden)"],
    [404, "route_not_found", "the worker has no self-check: it is older than this clone"],
    [429, "too_many_attempts", "too many requests (too_many_attempts)"],
  ])("says why it cannot run: %i", async (status, code, problem) => {
    expect(await problemsOf({ "/api/admin/self-check": failed(status, code) })).toEqual([problem]);
  });

  it("falls back on the public readiness when no key can be checked", async () => {
    const with503 = (checks: Record<string, boolean>) =>
      problemsOf({ "/api/admin/self-check": failed(500, "internal_error"), "/api/health/ready": json(503, { checks }) });
    const all = { d1: true, migrations: true, durable_objects: true };
    expect(await with503({ ...all, migrations: false })).toEqual(["migrations: the database lacks what this release needs"]);
    expect(await with503({ ...all, d1: false, migrations: false })).toEqual(["database: D1 does not answer"]);
    expect(await with503({ ...all, durable_objects: false })).toEqual(["pools: objects do not answer"]);
    expect(await with503(all)).toEqual(["/api/admin/self-check answers 500"]);
  });
});

describe("the arguments", () => {
  const read = (args: string[], env = {}) =>
    readOptions(args, env, (file) => {
      if (file !== "key") throw new Error("ENOENT");
      return `${KEY}\n`;
    });

  it("are a URL, and a key from a file or the environment", () => {
    const given = { ok: true, given: { url: "https://gw.shop.dev", key: KEY } };
    expect(read(["https://gw.shop.dev/"], { DOCTOR_KEY: KEY })).toEqual(given);
    expect(read(["https://gw.shop.dev", "--key-file", "key"])).toEqual(given);
    expect(read(["--help"])).toEqual({ ok: true, given: null });
  });

  it.each([
    [[], "name one URL"],
    [["http://gw.shop.dev"], "is not https://"],
    [["https://gw.shop.dev/docs"], "is not https://"],
    [["https://gw.shop.dev", "more"], "name one URL"],
    [["https://gw.shop.dev"], "DOCTOR_KEY holds no account key"],
    [["https://gw.shop.dev", "--key-file", "nowhere"], "nowhere cannot be read"],
    [["https://gw.shop.dev", "--key", KEY], "Unknown option"],
  ])("are refused: %j", (args, problem) => {
    expect(read(args)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });
});

describe("the base image in this clone", () => {
  const image = "node:24.1.0-bookworm-slim";
  const dockerfile = `ARG NODE_IMAGE=${image}\nFROM \${NODE_IMAGE}\n`;
  const section = (url: string, pinned: string, host = "cloudflare") =>
    `[vars]\nAPP_URL = "${url}"\nBRIDGE_HOST = "${host}"\n[[containers]]\nimage_vars = { FFMPEG = "no", NODE_IMAGE = "${pinned}@sha256:0f" }\n`;
  const ofBoth = (pinned: string, stagingPinned: string, host?: string) =>
    `${section("https://gw.shop.dev", pinned, host)}\n[env.staging]\n${section("https://staging.shop.dev", stagingPinned)}`;

  it("is reported as another release's after an upgrade, until setup pins it again", () => {
    const old = "node:24.0.0-bookworm-slim";
    const problemOf = (url: string, ...pins: [string, string, string?]) => baseImageProblem(ofBoth(...pins), dockerfile, url)?.what ?? null;
    expect(problemOf("https://gw.shop.dev", old, image)).toBe(
      `image: wrangler.toml pins the bridges' base to ${old}@sha256:0f, this release builds on ${image}`,
    );
    expect(problemOf("https://gw.shop.dev", image, old)).toBeNull();
    expect(problemOf("https://staging.shop.dev", image, old)).toContain("this release builds on");
    expect(problemOf("https://gw.shop.dev", old, image, "external")).toBeNull();
    expect(problemOf("https://other.dev", old, old)).toBeNull();
  });
});
