// Connecting the demo number, against a gateway and a network with the failures of a slow machine.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Demo } from "#root/src/sandbox/host/demo.ts";
import type { Processes } from "#root/src/sandbox/host/processes.ts";
import type { StateDirectory } from "#root/src/sandbox/host/state-directory.ts";

let directory: string;
let server: Server;
/** Requests as `METHOD path`, in order. */
let asked: string[];
/** Overrides for the next calls of a `METHOD path`, one entry per call. */
let troubles: Record<string, ((response: ServerResponse) => void)[]>;
let stream: ServerResponse | null;
let phones: Set<string>;
let printed: string[];
/** Cloud API instances. */
let cloud: object[];

const CONNECTION = "/api/dashboard/connections/7";
const SCAN = "POST /phones/5511900000001/scan";
const refuse = (status: number) => (response: ServerResponse) => void response.writeHead(status).end("{}");
const breakOff = (response: ServerResponse) => void response.destroy();

const say = (event: string, data: object) => stream?.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
/** Normal response to each call. The number connects once a code is scanned. */
const ANSWERS: Record<string, (response: ServerResponse, body: any) => object | null> = {
  "POST /sandbox/setup": () => ({ data: { api_key: "a", connection: { id: 7, instance_id: "i", name: "Demo", api_key: "k" } } }),
  "POST /sandbox/token": () => ({ access_token: "t" }),
  "POST /phones": (response, { phone }) => {
    if (phones.has(phone)) response.statusCode = 409;
    phones.add(phone);
    return {};
  },
  "PATCH /phones/5511900000002": () => ({}),
  "GET /api/v1/instance": () => ({}),
  [`GET ${CONNECTION}`]: () => ({ data: { status: "disconnected" } }),
  [`POST ${CONNECTION}/connect`]: () => {
    say("qr", { raw: `code ${asked.length}` });
    return {};
  },
  [`GET ${CONNECTION}/stream`]: (response) => {
    stream = response;
    say("status", { status: "connecting", status_reason: null });
    say("qr", { raw: "code 0" });
    return null;
  },
  "POST /cloud/numbers": () => ({ phone_number_id: "1", waba_id: "2", app_id: "3", access_token: "t", app_secret: "s" }),
  "GET /api/instances?kind=cloud_api": () => ({ data: cloud }),
  "POST /api/instances": (_response, { cloud_api }) => {
    cloud.push({ id: "j", cloud_api });
    return { data: cloud[0] };
  },
  "GET /api/dashboard/connections?limit=100": () => ({ data: [{ id: 8, instance_id: "j" }] }),
  "POST /api/dashboard/connections/8/keys": () => ({ data: { key: "c" } }),
  [SCAN]: () => {
    say("status", { status: "connected", status_reason: null });
    return {};
  },
};

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "gateway-demo-"));
  [asked, troubles, stream, phones, printed, cloud] = [[], {}, null, new Set(), [], []];
  server = createServer(async (request, response) => {
    const call = `${request.method} ${request.url}`;
    asked.push(call);
    const text = (await request.toArray()).join("");
    const trouble = troubles[call]?.shift();
    if (trouble) return trouble(response);
    const answer = ANSWERS[call]?.(response, text === "" ? null : JSON.parse(text));
    if (answer !== null) response.end(JSON.stringify(answer ?? "unknown call"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true });
});

function prepared() {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const processes = { appUrl: url, networkUrl: url } as Processes;
  const files = { path: directory, secrets: () => ({ ADMIN_PASSWORD: "p", DEMO_PASSWORD: "p" }) } as unknown as StateDirectory;
  return new Demo(processes, files, false).prepare((text) => printed.push(text));
}

const times = (call: string) => asked.filter((one) => one === call).length;

it("the demo scans the next code when one was refused, and says so", async () => {
  const next = (raw: string) => (response: ServerResponse) => {
    response.writeHead(409).end("{}");
    say("qr", { raw });
  };
  troubles[SCAN] = [next("code 1"), next("code 2")];
  expect((await prepared()).demo.connection.phone).toBe("5511900000001");
  expect(times(SCAN)).toBe(3);
  expect(printed).toEqual(
    Array(2).fill("the demo number's code was not taken (/phones/5511900000001/scan answered 409); waiting for the next one"),
  );
});

it("the demo requests new codes when all of a round have expired", async () => {
  troubles[SCAN] = [
    (response) => {
      response.writeHead(409).end("{}");
      say("status", { status: "disconnected", status_reason: "qr_timeout" });
    },
  ];
  await prepared();
  expect([times(`POST ${CONNECTION}/connect`), times(SCAN)]).toEqual([2, 2]);
});

it("the demo continues when a part was restarted meanwhile", async () => {
  for (const call of ["POST /sandbox/setup", "POST /sandbox/token", "PATCH /phones/5511900000002", `GET ${CONNECTION}`]) {
    troubles[call] = [breakOff, refuse(503)];
  }
  await prepared();
  expect(times("PATCH /phones/5511900000002"), "the contact answers although it was made before the break").toBe(3 + 2);
});

it("the demo ends with the reason when it is refused for good", async () => {
  troubles["POST /sandbox/token"] = [refuse(400)];
  await expect(prepared()).rejects.toThrow("/sandbox/token answered 400");
});

it("the demo makes one number of the Cloud API, also if a start ended before it had its key", async () => {
  troubles["POST /api/dashboard/connections/8/keys"] = [refuse(503)];
  expect((await prepared()).demo.cloud).toMatchObject({ id: 8, instance_id: "j", api_key: "c", phone_number_id: "1" });
  expect(times("POST /api/instances")).toBe(1);
  await prepared();
  expect([times("POST /api/instances"), times("POST /cloud/numbers")]).toEqual([1, 2]);
});
