// Bodies that are sent to do harm, forty at a time: what they cost the worker, and that others are answered meanwhile.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, person } from "../../support/clients.ts";
import { peakMegabytes, runtimeMegabytes } from "../../support/memory.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const PARALLEL = 40;
const KB = 1024;
const MB = 1024 * KB;
/** What all bodies of one kind together may add to the runtime's memory. */
const GROWN_MB = 60;

let sandbox: Sandbox;
const keys = { good: "", revoked: "", wrong: "svc_wrong" };

beforeAll(async () => {
  sandbox = await startSandbox(["--no-limits"]);
  const { demo } = sandbox.ready();
  const { call } = await person(sandbox.ready());
  const path = `/connections/${demo.connection.id}/keys`;
  const { data } = (await call("POST", path, { name: "Old" })).body;
  await call("DELETE", `${path}/${data.id}`);
  Object.assign(keys, { good: demo.connection.api_key, revoked: data.key });
  // So that what every first request costs is not taken for the bodies' cost.
  for (const [, body] of KINDS.slice(0, 2)) await sendMany(Buffer.from(body()), "/api/v1/messages/text", keys.good);
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
  ["3 MB of lists within each other", () => filled("[", 3 * MB)],
  ["3 MB of objects within each other", () => filled('{"a":', 3 * MB)],
  ["a list of 4 MB", () => `[${filled("{},", 4 * MB)}0]`],
  ["4 MB of fields", () => named(4 * MB)],
  ["a name of 4 MB", () => `{"${filled("k", 4 * MB)}":1}`],
  ["a text of 4 MB", () => `{"text":"${filled("a", 4 * MB)}"}`],
];

/** The statuses of the answers; 0 where the connection ended without one. */
async function sendMany(body: Buffer, path: string, key: string, atOnce = PARALLEL): Promise<number[]> {
  const { app_url: origin } = sandbox.ready();
  const send = async (number: number) => {
    const headers = { "x-api-key": key, "content-type": "application/json", origin, "cf-connecting-ip": `10.9.${number}.${random()}` };
    try {
      const answer = await fetch(origin + path, { method: "POST", headers, body });
      await answer.text();
      return answer.status;
    } catch {
      return 0;
    }
  };
  const statuses = await Promise.all(Array.from({ length: atOnce }, (_, number) => send(number)));
  return [...new Set(statuses)].toSorted((a, b) => a - b);
}

/** Guards remember addresses. */
const random = () => Math.floor(Math.random() * 250);

async function measured(what: string, work: () => Promise<void>): Promise<number> {
  const pid = sandbox.ready().processes.worker;
  const before = runtimeMegabytes(pid);
  const startedAt = performance.now();
  const peak = await peakMegabytes(pid, work);
  console.log(
    `${PARALLEL} times ${what}: ${before} MB before, at most +${peak - before} MB, ${Math.round(performance.now() - startedAt)} ms`,
  );
  return peak - before;
}

describe("many bodies at once", () => {
  it.each(KINDS)("of %s cost little memory, whoever sends them", async (kind, body) => {
    const sent = Buffer.from(body());
    for (const [name, status] of [
      ["wrong", 401],
      ["revoked", 401],
      ["good", 400],
    ] as const) {
      let statuses: number[] = [];
      const grown = await measured(`${PARALLEL} times ${kind}, with a ${name} key`, async () => {
        statuses = await sendMany(sent, "/api/v1/messages/text", keys[name]);
      });
      expect([kind, name, statuses]).toEqual([kind, name, [status]]);
      expect(grown).toBeLessThan(GROWN_MB);
    }
  });

  it("of 90 MB to sign in cost little memory", async () => {
    let statuses: number[] = [];
    const body = Buffer.alloc(90 * MB, 0x20);
    const grown = await measured("8 times 90 MB, to sign in", async () => {
      statuses = await sendMany(body, "/api/auth/sign-in/email", "", 8);
    });
    // Whoever sends more than is read and thrown away may see no answer.
    expect(statuses.filter((status) => status !== 0 && status !== 413)).toEqual([]);
    expect(grown).toBeLessThan(GROWN_MB);
  });

  it("that stop half-way keep nobody waiting", async () => {
    const { app_url: origin } = sandbox.ready();
    const api = customer(sandbox.ready());
    const ends: (() => void)[] = [];
    const stalled = () =>
      new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new Uint8Array(MB).fill(0x20));
          ends.push(() => controller.error(new Error("gone")));
        },
      });
    const headers = { "x-api-key": keys.good, "content-type": "application/json" };
    let open: Promise<unknown>[] = [];
    const grown = await measured(`${PARALLEL} times 1 MB that stops, with a good key`, async () => {
      open = Array.from({ length: PARALLEL }, () =>
        fetch(`${origin}/api/v1/messages/text`, { method: "POST", headers, body: stalled(), duplex: "half" } as RequestInit).catch(
          () => null,
        ),
      );
      for (let asked = 0; asked < 20; asked += 1) expect((await api.get(`/chats?q=stalled${asked}`)).status).toBe(200);
    });
    for (const end of ends) end();
    await Promise.all(open);
    expect(grown).toBeLessThan(GROWN_MB);
  });
});
