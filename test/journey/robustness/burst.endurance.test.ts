import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { customer, person, type Reply } from "../../support/clients.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const CALLS = 1_000;
const ALLOWED = 200;
const WINDOW_MS = 10_000;
const ROUNDS = 10;
/** A round longer than the window proves nothing, because its first calls leave the window before the last arrive. */
const MAX_TRIES = 3 * ROUNDS;

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await startSandbox();
});
afterEach(async () => {
  await sandbox.dispose();
});

/** An unused key on its own connection. */
async function freshKey(name: string): Promise<string> {
  const owner = await person(sandbox.ready());
  const { id } = (await owner.call("POST", "/connections", { name })).body.data as { id: number };
  return (await owner.call("POST", `/connections/${id}/keys`, { name })).body.data.key as string;
}

type Round = { tookMs: number; answers: Reply[] };

async function round(key: string): Promise<Round> {
  const api = customer(sandbox.ready(), key);
  const startedAt = performance.now();
  // The query differs, so the repeated-read limit does not apply.
  const answers = await Promise.all(Array.from({ length: CALLS }, (_, n) => api.get(`/chats?q=${n}`)));
  return { tookMs: performance.now() - startedAt, answers };
}

describe("1,000 calls at once with one key", () => {
  it("are let through exactly 200 times, ten times out of ten", async () => {
    const telling: Round[] = [];
    for (let n = 0; telling.length < ROUNDS; n += 1) {
      if (n === MAX_TRIES) throw new Error(`only ${telling.length} of ${n} rounds ended within ${WINDOW_MS} ms`);
      const done = await round(await freshKey(`Burst ${n}`));
      if (done.tookMs < WINDOW_MS) telling.push(done);
    }
    process.stdout.write(`burst: rounds of ${telling.map(({ tookMs }) => Math.round(tookMs)).join(", ")} ms\n`);
    for (const { answers } of telling) {
      const [accepted = [], refused = []] = [200, 429].map((status) => answers.filter((answer) => answer.status === status));
      expect([accepted.length, refused.length]).toEqual([ALLOWED, CALLS - ALLOWED]);
      expect(new Set(refused.map(({ body }) => body.error.codigo))).toEqual(new Set(["excesso_de_pedidos"]));
      for (const { headers } of refused) {
        expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
        expect(Number(headers.get("retry-after"))).toBeLessThanOrEqual(WINDOW_MS / 1_000);
        expect(headers.get("ratelimit-policy")).toBe('"burst";q=200;w=10');
        expect(headers.get("ratelimit")).toMatch(/^"burst";r=0;t=\d+$/);
      }
      // Each accepted call reports the remaining quota: every call was counted exactly once.
      const left = accepted.map(({ headers }) => Number(/;r=(\d+);/.exec(headers.get("ratelimit") ?? "")?.[1])).toSorted((a, b) => a - b);
      expect(left).toEqual(Array.from({ length: ALLOWED }, (_, n) => n));
    }
  });
});
