// Malicious bodies, forty at a time: their cost for the worker, and the delay for other calls.
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, person } from "../../support/clients.ts";
import { peakMegabytes, runtimeMegabytes } from "../../support/memory.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";
import { startFlood } from "./load/flood.ts";
import { expectAtMost, JUDGES_PROMISES } from "../../support/promised-times.ts";

const PARALLEL = 40;
const KB = 1024;
const MB = 1024 * KB;
/** Maximum memory growth of the runtime for one kind of body, and for all kinds in sequence. */
const GROWN_MB = 60;
const GROWN_IN_ALL_MB = 180;
/** The platform's memory limit per isolate. The measured process also holds the simulated storage, from which the bridge loads files. */
const WORKER_MB = 128;
/**
 * Maximum slowdown of other calls: median, ninth decile and 99th percentile. One good measurement suffices, because the machine has other
 * work. Without pacing, the factors are 60, 60 and 30; the 99th percentile alone varies twofold between measurements.
 */
const SLOWER: readonly (readonly [share: number, times: number])[] = [
  [0.5, 2],
  [0.9, 3],
  [0.99, 10],
];
const ATTEMPTS = 8;
const TEXTS = "/api/v1/messages/text";

/** A fixed, small number: the runtime keeps an object for each address that sent an invalid key, regardless of the body. */
const addresses = Array.from({ length: PARALLEL }, (_, number) => `10.9.0.${number}`);

let sandbox: Sandbox;
let startedWithMb = 0;
const keys = { good: "", revoked: "" };

beforeAll(async () => {
  sandbox = await startSandbox(["--no-limits"]);
  const { demo, processes } = sandbox.ready();
  const { call } = await person(sandbox.ready());
  const path = `/connections/${demo.connection.id}/keys`;
  const { data } = (await call("POST", path, { name: "Old" })).body;
  await call("DELETE", `${path}/${data.id}`);
  Object.assign(keys, { good: demo.connection.api_key, revoked: data.key });
  // Excludes the initial cost of ordinary requests.
  const ordinary = Buffer.from(JSON.stringify({ to: "5511", text: "a".repeat(200) }));
  await sendMany(ordinary, { keys: ["svc_wrong"] });
  for (let time = 0; time < 50; time += 1) await sendMany(ordinary);
  await latencies();
  startedWithMb = runtimeMegabytes(processes.worker);
});
afterAll(() => sandbox.dispose());

const filled = (piece: string, bytes: number) => piece.repeat(Math.floor(bytes / piece.length));
const named = (bytes: number) => {
  const fields: string[] = [];
  for (let size = 0; size < bytes; size += 9) fields.push(`"k${fields.length}":1`);
  return `{${fields.join(",")}}`;
};

const KINDS: readonly [kind: string, body: () => string][] = [
  ["360 KB of tiny files", () => `{"x":[${filled('{"base64":"QQ=="},', 360 * KB)}1]}`],
  ["1 MB of tiny files", () => `{"x":[${filled('{"base64":"QQ=="},', MB)}1]}`],
  ["1 MB of lists within each other", () => filled("[", MB)],
  ["1 MB of objects within each other", () => filled('{"a":', MB)],
  ["a list of 1 MB", () => `[${filled("{},", MB)}0]`],
  ["1 MB of fields", () => named(MB)],
  ["a name of 1.5 MB", () => `{"${filled("k", 1.5 * MB)}":1}`],
  ["a text of 1.5 MB", () => `{"text":"${filled("a", 1.5 * MB)}"}`],
  ["1 MB of escapes", () => `{"text":"${filled("\\u0041", MB - KB)}"}`],
  ["2 MB of white space", () => filled(" ", 2 * MB)],
  ["a file of 2 MB that is none", () => `{"media":{"base64":"${filled("QUFB", 2 * MB)}!"}}`],
  ["a file of 2 MB where none belongs", () => `{"to":"5511","base64":"${filled("QUFB", 2 * MB)}"}`],
];

type Sent = { path: string; keys: string[]; clients: number; addresses: string[] };

/** Status and code of the distinct responses; "none" if the connection closed without one. */
async function sendMany(body: Buffer, sent: Partial<Sent> = {}): Promise<string[]> {
  const { app_url: origin } = sandbox.ready();
  const flood = { origin, path: TEXTS, clients: PARALLEL, keys: [keys.good], addresses, repeated: false, ...sent };
  return [...new Set(await (await startFlood(flood, [body])).end())].toSorted();
}

/** Growth of the runtime in megabytes, since before the work and since the beginning. */
async function grown(what: string, work: () => Promise<void>): Promise<{ now: number; inAll: number }> {
  const pid = sandbox.ready().processes.worker;
  const before = runtimeMegabytes(pid);
  const startedAt = performance.now();
  const peak = await peakMegabytes(pid, work);
  const growth = { now: peak - before, inAll: peak - startedWithMb };
  console.log(`${what}: at most +${growth.now} MB, +${growth.inAll} MB in all, ${Math.round(performance.now() - startedAt)} ms`);
  return growth;
}

function expectLittle({ now, inAll }: { now: number; inAll: number }): void {
  expectAtMost("memory of one kind of body", now, GROWN_MB, "MB");
  expectAtMost("memory of all kinds", inAll, GROWN_IN_ALL_MB, "MB");
}

/** Sorted milliseconds of 1,000 calls, shortest first. */
async function latencies(): Promise<number[]> {
  const { app_url: origin } = sandbox.ready();
  const taken: number[] = [];
  for (let asked = 0; asked < 1_000; asked += 1) {
    const startedAt = performance.now();
    const answer = await fetch(`${origin}/api/v1/chats?limit=1`, { headers: { "x-api-key": keys.good } });
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    taken.push(performance.now() - startedAt);
  }
  return taken.toSorted((a, b) => a - b);
}

const within = (taken: readonly number[], share: number): number => taken[Math.floor(taken.length * share)] as number;

describe("many bodies at once", () => {
  it.each(KINDS)("cost little memory for %s", async (kind, body) => {
    let answers: string[] = [];
    const growth = await grown(`${PARALLEL} times ${kind}, with a good key`, async () => {
      answers = await sendMany(Buffer.from(body()));
    });
    expect([kind, ...answers]).toEqual([kind, expect.stringMatching(/^400 (requisicao_invalida|json_invalido)$/)]);
    expectLittle(growth);
  });

  it.each(KINDS.slice(0, 3))("cost little memory for %s, also without a good key", async (kind, body) => {
    let answers: string[] = [];
    const growth = await grown(`${PARALLEL} times ${kind}, with bad keys`, async () => {
      answers = await sendMany(Buffer.from(body()), { keys: ["svc_wrong", keys.revoked] });
    });
    expect([kind, ...answers]).toEqual([kind, "401 chave_invalida"]);
    expectLittle(growth);
  });

  it("cost little memory for 90 MB to sign in", async () => {
    let answers: string[] = [];
    const body = Buffer.alloc(90 * MB, 0x20);
    const growth = await grown("8 times 90 MB, to sign in", async () => {
      answers = await sendMany(body, { path: "/api/auth/sign-in/email", clients: 8 });
    });
    // A client that sends more than is read and discarded may see no response.
    expect(answers.filter((answer) => answer !== "none" && !answer.startsWith("413 "))).toEqual([]);
    expectLittle(growth);
  });

  it("keep nobody waiting if they stall", async () => {
    const { app_url: origin } = sandbox.ready();
    const api = customer(sandbox.ready());
    const ends: (() => void)[] = [];
    const stall = () => {
      const { hostname, port, host } = new URL(origin);
      const socket = connect(Number(port), hostname);
      socket.on("error", () => undefined);
      ends.push(() => socket.destroy());
      const head = `POST ${TEXTS} HTTP/1.1\r\nhost: ${host}\r\nx-api-key: ${keys.good}\r\ncontent-type: application/json\r\n`;
      socket.write(`${head}content-length: ${2 * MB}\r\n\r\n${" ".repeat(MB)}`);
    };
    const growth = await grown(`${PARALLEL} times 1 MB that stops, with a good key`, async () => {
      for (let client = 0; client < PARALLEL; client += 1) stall();
      for (let asked = 0; asked < 20; asked += 1) expect((await api.get(`/chats?q=stalled${asked}`)).status).toBe(200);
      // The worker still has capacity for long bodies.
      expect(await sendMany(Buffer.alloc(MB, 0x20), { clients: 4 })).toEqual(["400 json_invalido"]);
    });
    for (const end of ends) end();
    expectLittle(growth);
  });

  it("keep others waiting little", async () => {
    const { app_url: origin } = sandbox.ready();
    const bodies = KINDS.map(([, body]) => Buffer.from(body()));
    const seen: string[][] = [];
    while (seen.length < (JUDGES_PROMISES ? ATTEMPTS : 1) && !seen.some((slow) => slow.length === 0)) {
      const alone = await latencies();
      const flood = await startFlood({ origin, path: TEXTS, clients: PARALLEL, keys: [keys.good], addresses, repeated: true }, bodies);
      const beside = await latencies();
      const { length } = await flood.end();
      const ratios = SLOWER.map(([share, times]) => {
        const ratio = within(beside, share) / within(alone, share);
        return { text: `${share * 100} % ${ratio.toFixed(1)} times longer`, isSlow: ratio > times };
      });
      seen.push(ratios.filter(({ isSlow }) => isSlow).map(({ text }) => text));
      console.log(`other calls beside ${length} bodies: ${ratios.map(({ text }) => text).join(", ")}`);
    }
    expectAtMost("shares of other calls that wait too long", seen.at(-1)?.length ?? 0, 0, "");
  });

  it("cost little memory for files that are sent", async () => {
    const file = `{"to":"${sandbox.ready().demo.contact?.phone}","media":{"base64":"${filled("QUFB", 6 * MB)}","filename":"a.bin"}}`;
    let answers: string[] = [];
    const growth = await grown("20 files of 4.5 MB", async () => {
      answers = await sendMany(Buffer.from(file), { path: "/api/v1/messages/document", clients: 20 });
    });
    expect(answers).toEqual(["200 undefined"]);
    expectAtMost("memory of 20 files", growth.now, WORKER_MB, "MB");
  });
});
