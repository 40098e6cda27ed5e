// `gateway listen` on a gateway that keeps the events of one listener.
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parse } from "#root/packages/cli/src/command.ts";
import { listen } from "#root/packages/cli/src/commands/listen.ts";

const TYPES = ["message.sent", "message.received", "message.received"];

let folder: string;
let server: Server;
let url: string;
let created: number;
/** `Last-Event-ID` of each opened stream. */
let resumed: (string | undefined)[];
let posted: (string | undefined)[];
let printed: string[];
let warned: string[];
/** Ends each stream after its events, if it is set. */
let ending: string | null;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "cli-"));
  [created, resumed, posted, printed, warned, ending] = [0, [], [], [], [], null];
  server = createServer((request, response) => {
    const { method, headers, url: path = "" } = request;
    if (path === "/hook") {
      posted.push(headers["webhook-id"] as string | undefined);
      response.end();
    } else if (method === "POST") {
      created += 1;
      response.writeHead(201, { "content-type": "application/json" });
      response.end(JSON.stringify({ data: { id: "lst_1" } }));
    } else {
      const after = headers["last-event-id"] as string | undefined;
      resumed.push(after);
      // All events in one piece, and then nothing: the stream stays open.
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(
        `: open\n\n${TYPES.map(eventAt)
          .slice(Number(after ?? 0))
          .join("")}`,
      );
      if (ending !== null) response.end(ending);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

function eventAt(type: string, at: number): string {
  const [no, id] = [at + 1, `msg_${at + 1}`];
  return `id: ${no}\nevent: ${type}\ndata: ${JSON.stringify({ id, type, data: {} })}\n\n`;
}

function run(...args: string[]): Promise<number> {
  return runWith({}, ...args);
}

function runWith(more: NodeJS.ProcessEnv, ...args: string[]): Promise<number> {
  const env = { GATEWAY_SANDBOX: "/nowhere", GATEWAY_URL: url, GATEWAY_API_KEY: "svc_key", XDG_STATE_HOME: folder, ...more };
  const io = {
    print: (line: string) => void printed.push(line),
    warn: (line: string) => void warned.push(line),
    ask: async () => "",
    env,
    signal: new AbortController().signal,
  };
  return listen.run(parse(listen, ["--forward-to", `${url}/hook`, ...args]), io);
}

it("listen prints the secret that it derives, but not a given one", async () => {
  const given = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  await run("--until", "message.received");
  expect(printed[0]).toMatch(/^Ready\. Signing secret whsec_/);
  printed = [];
  await run("--until", "message.received", "--secret", given);
  await runWith({ GATEWAY_WEBHOOK_SECRET: given }, "--until", "message.received", "--from-now");
  expect(printed[0]).toBe("Ready. It signs with the given secret.");
  expect(printed.join("\n")).not.toContain("whsec_");
});

it("listen ends with the event of --until, and the next run continues after it", async () => {
  expect(await run("--until", "message.received")).toBe(0);
  expect(posted).toEqual(["msg_1", "msg_2"]);
  expect(await run("--until", "message.received")).toBe(0);
  expect(posted).toEqual(["msg_1", "msg_2", "msg_3"]);
  expect([created, resumed]).toEqual([1, [undefined, "2"]]);
});

it("listen ends with 1, and says why, when another program takes over its listener", async () => {
  ending = ": taken\n\n";
  expect(await run()).toBe(1);
  expect(posted).toEqual(["msg_1", "msg_2", "msg_3"]);
  expect(warned).toEqual([expect.stringContaining("Another program opened the stream")]);
  expect(resumed).toHaveLength(1);
});
