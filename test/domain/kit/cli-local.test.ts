// Commands of the command line that keep files or post to a local URL: login, trigger --local, events resend.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { connectionEventTypes, GatewayError } from "@gateway/sdk";
import { verifyConnectionWebhook } from "@gateway/sdk/webhooks";
import { type Command, type Io, parse, UsageError } from "#root/packages/cli/src/command.ts";
import { api } from "#root/packages/cli/src/commands/calls.ts";
import { events } from "#root/packages/cli/src/commands/events.ts";
import { login, logout } from "#root/packages/cli/src/commands/login.ts";
import { addressWithKey, commandLineLogin } from "#root/dashboard/src/domain/command-line.ts";
import { trigger } from "#root/packages/cli/src/commands/trigger.ts";
import { verify } from "#root/packages/cli/src/commands/verify.ts";
import { whoami } from "#root/packages/cli/src/commands/whoami.ts";
import { History, placeFile } from "#root/packages/cli/src/forwarding/history.ts";
import { localSecret } from "#root/packages/cli/src/forwarding/signing.ts";
import { printable } from "#root/packages/cli/src/printable.ts";
import { readSecret } from "#root/packages/cli/src/read-secret.ts";

const KEY = "svc_secret_key";
const SECRET = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
type Seen = { path: string; headers: Record<string, string>; body: string };
const PATHS: ReadonlySet<string> = new Set(["/hook", "/api/v1/instance"]);
const NOTHING: Seen = { path: "", headers: {}, body: "" };

let folder: string;
let server: Server;
let url: string;
let seen: Seen[];
let out: string[];

/** A gateway that knows one key, and a receiver that accepts everything. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "cli-"));
  [seen, out] = [[], []];
  server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    // Programs of other tests may still call this port, if an earlier server of theirs had it.
    if (!PATHS.has(request.url ?? "")) return void response.writeHead(404).end();
    seen.push({ path: request.url ?? "", headers: request.headers as Record<string, string>, body });
    const isRefused = request.url === "/api/v1/instance" && request.headers["x-api-key"] !== KEY;
    response.writeHead(isRefused ? 401 : 200, { "content-type": "application/json" });
    response.end(
      JSON.stringify(
        isRefused
          ? {
              error: {
                codigo: "chave_invalida",
                mensagem: request.headers["accept-language"] === "en" ? "The key is invalid." : "Chave inválida",
              },
            }
          : { data: { name: "Loja", phone: "5511900000001", status: "connected" } },
      ),
    );
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

function io(env: NodeJS.ProcessEnv = {}, answer = KEY): Io {
  return {
    print: (line) => out.push(line),
    warn: (line) => out.push(line),
    ask: async () => answer,
    env: { GATEWAY_SANDBOX: "/nowhere", XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder, ...env },
    signal: new AbortController().signal,
  };
}

const run = (command: Command, args: string[], with_ = io()): Promise<number> => command.run(parse(command, args), with_);

describe("login", () => {
  it("stores a key that works, for its owner only, and the other commands use it until logout", async () => {
    await expect(run(whoami, [])).rejects.toThrow(/gateway login/);
    expect(await run(login, ["--paste", "--url", `${url}/`])).toBe(0);
    expect(statSync(join(folder, "gateway/login.json")).mode & 0o777).toBe(0o600);
    expect(await run(whoami, [])).toBe(0);
    expect(out.at(-1)).toBe(`Loja (5511900000001), connected, at ${url}`);
    expect(out.join("\n")).not.toContain(KEY);
    await run(logout, []);
    await expect(run(whoami, [])).rejects.toThrow(/gateway login/);
    expect(await run(logout, [])).toBe(0);
    expect(out.at(-1)).toBe("There was no stored key.");
  });

  it("keeps the key for the gateway that it belongs to", async () => {
    await run(login, ["--paste", "--url", url]);
    await expect(run(whoami, ["--url", "http://127.0.0.1:1"])).rejects.toThrow(/GATEWAY_API_KEY/);
  });

  it("stores nothing if the gateway refuses the key", async () => {
    await expect(run(login, ["--paste", "--url", url], io({}, "svc_other"))).rejects.toThrow("chave_invalida: The key is invalid.");
    await expect(run(login, ["--paste", "--url", url], io({}, ""))).rejects.toThrow(UsageError);
    await expect(run(whoami, [])).rejects.toThrow(/gateway login/);
  });

  it("asks for https, except on this machine", async () => {
    await expect(run(login, ["--url", "http://gateway.example"])).rejects.toThrow(/https/);
    await expect(run(login, [])).rejects.toThrow(/--url/);
    expect(seen).toEqual([]);
  });

  it("names a damaged file, and replaces it", async () => {
    await run(login, ["--paste", "--url", url]);
    writeFileSync(join(folder, "gateway/login.json"), "{");
    await expect(run(whoami, [])).rejects.toThrow(/login.json cannot be read/);
    await run(login, ["--paste", "--url", url]);
    expect(await run(whoami, [])).toBe(0);
  });
});

describe("login through the dashboard", () => {
  /** Starts the command and returns the login in its address, as the dashboard's page reads it. */
  async function started(signal = new AbortController().signal) {
    const done = run(login, ["--url", url], { ...io(), signal });
    done.catch(() => undefined);
    await expect.poll(() => out.join("\n")).toContain("/command-line#");
    const printed = out.join("\n");
    const asked = await commandLineLogin(new URL(printed.slice(printed.lastIndexOf("http"))).hash);
    if (asked === null) throw new Error(`the page does not accept ${printed}`);
    expect(printed).toContain(`the code ${asked.code}`);
    return { done, asked };
  }

  it("stores the key that the page brings, which no address contains", async () => {
    const { done, asked } = await started();
    const address = await addressWithKey(asked, KEY);
    expect(address).not.toContain(KEY);
    expect((await fetch(address)).status).toBe(200);
    expect(await done).toBe(0);
    expect(await run(whoami, [])).toBe(0);
  });

  it("waits on after a key of another login, or one that was changed", async () => {
    const { done, asked } = await started();
    const address = await addressWithKey(asked, KEY);
    const changed = (name: string) => address.replace(new RegExp(`${name}=(.)`), (_all, first) => `${name}=${first === "A" ? "B" : "A"}`);
    for (const wrong of [changed("state"), changed("sender"), changed("sealed"), new URL("/", address)])
      expect((await fetch(wrong)).status, String(wrong)).toBe(400);
    expect((await fetch(address)).status).toBe(200);
    expect(await done).toBe(0);
  });

  it("ends with a hint if it is stopped", async () => {
    const stop = new AbortController();
    const { done } = await started(stop.signal);
    stop.abort();
    await expect(done).rejects.toThrow(/--paste/);
  });
});

describe("a secret on the terminal", () => {
  async function typed(...chunks: string[]): Promise<{ text: string; shown: string; modes: boolean[] }> {
    const [modes, shown]: [boolean[], string[]] = [[], []];
    const input = Object.assign(
      (async function* () {
        yield* chunks;
      })(),
      { isTTY: true, setRawMode: (raw: boolean) => modes.push(raw) },
    );
    const text = await readSecret("Key: ", input, (part) => void shown.push(part));
    return { text, shown: shown.join(""), modes };
  }

  it("is not shown, and can be corrected", async () => {
    expect(await typed("svc", "_x\u007fab", "\r", "ignored")).toEqual({ text: "svc_ab", shown: "Key: \n", modes: [true, false] });
    expect((await typed("wrong\u0015svc_y\n")).text).toBe("svc_y");
    expect((await typed("svc\u0003")).text).toBe("");
  });

  it("can be piped", async () => {
    const piped = async function* () {
      yield "svc_";
      yield "z\n";
    };
    expect(await readSecret("Key: ", piped(), () => undefined)).toBe("svc_z");
  });
});

describe("trigger --local", () => {
  it.each(connectionEventTypes)("posts a signed example of %s, without a gateway", async (type) => {
    expect(await run(trigger, [type, "--local", `${url}/hook`, "--secret", SECRET])).toBe(0);
    const [{ body, headers } = NOTHING] = seen;
    expect(await verifyConnectionWebhook(body, headers, SECRET)).toMatchObject({ type, id: headers["webhook-id"] });
  });

  it("signs with the secret that `listen` uses for that URL", async () => {
    expect(await run(trigger, ["call", "--local", `${url}/hook`], io({ GATEWAY_URL: url, GATEWAY_API_KEY: KEY }))).toBe(0);
    const [{ body, headers } = NOTHING] = seen;
    await expect(verifyConnectionWebhook(body, headers, localSecret(KEY, `${url}/hook`))).resolves.toMatchObject({ type: "call" });
    await expect(run(trigger, ["call", "--local", `${url}/hook`])).rejects.toThrow(/--secret/);
    await expect(run(trigger, ["call", "--local", "https://hook.example/", "--secret", SECRET])).rejects.toThrow(/--allow-remote/);
  });

  it("reads the secret from the environment, where other users of the machine do not see it", async () => {
    expect(await run(trigger, ["call", "--local", `${url}/hook`], io({ GATEWAY_WEBHOOK_SECRET: SECRET }))).toBe(0);
    const [{ body, headers } = NOTHING] = seen;
    await expect(verifyConnectionWebhook(body, headers, SECRET)).resolves.toMatchObject({ type: "call" });
    const plain = run(trigger, ["call", "--local", `${url}/hook`], io({ GATEWAY_WEBHOOK_SECRET: "plain" }));
    await expect(plain).rejects.toThrow(/^GATEWAY_WEBHOOK_SECRET: write whsec_/);
  });

  it("names the types that the sandbox cannot make happen", async () => {
    await expect(run(trigger, ["webhook.test"])).rejects.toThrow(/--local/);
    await expect(run(trigger, ["mesage.sent"])).rejects.toThrow(/did you mean message.sent/);
  });
});

describe("events resend", () => {
  const event = (n: number) => ({
    id: `msg_${n}`,
    type: "call",
    body: `{"id":"msg_${n}","type":"call"}`,
    url: `${url}/hook`,
    scheme: "connection" as const,
  });
  const history = (): History => new History(placeFile(io(), { forwardTo: url }));

  it("posts an event once more to its URL, also after a restart, and signs it anew", async () => {
    history().add(event(1));
    history().add(event(2));
    expect(await run(events, ["resend", "msg_1", "--secret", SECRET, "--header", "x-try: 2"])).toBe(0);
    expect(seen).toHaveLength(1);
    expect(seen[0]?.headers["x-try"]).toBe("2");
    expect(await verifyConnectionWebhook(seen[0]?.body ?? "", seen[0]?.headers ?? {}, SECRET)).toMatchObject({ id: "msg_1" });
    expect(await run(events, ["resend", "msg_2", "--forward-to", "http://127.0.0.1:1/", "--secret", SECRET])).toBe(1);
    await expect(run(events, ["resend", "msg_3"])).rejects.toThrow(/msg_3 is not among/);
    await expect(run(events, ["replay", "msg_1"])).rejects.toThrow(/events resend ID/);
  });

  it("keeps the newest 200 events, for the user only", async () => {
    const kept = history();
    for (let n = 0; n < 401; n += 1) kept.add(event(n));
    expect(statSync(`${placeFile(io(), { forwardTo: url })}.events`).mode & 0o777).toBe(0o600);
    await expect(run(events, ["resend", "msg_200", "--secret", SECRET])).rejects.toThrow(/not among/);
    expect(await run(events, ["resend", "msg_201", "--secret", SECRET])).toBe(0);
  });
});

describe("verify", () => {
  it("reads the secret from the environment", async () => {
    expect(await run(trigger, ["call", "--local", `${url}/hook`, "--secret", SECRET])).toBe(0);
    const [{ body, headers } = NOTHING] = seen;
    const file = join(folder, "body.json");
    writeFileSync(file, body);
    const [id, timestamp, signature] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers[name] ?? "");
    const args = ["--id", id ?? "", "--timestamp", timestamp ?? "", "--signature", signature ?? "", file];
    expect(await run(verify, args, io({ GATEWAY_WEBHOOK_SECRET: SECRET }))).toBe(0);
    expect(out.at(-1)).toBe("The signature is valid.");
    await expect(run(verify, args)).rejects.toThrow(/GATEWAY_WEBHOOK_SECRET/);
  });
});

it("a gateway or a sandbox that does not answer is named in the error", async () => {
  const gone = "http://127.0.0.1:1";
  const demo = { api_key: KEY, connection: { phone: "5511900000001", api_key: KEY } };
  writeFileSync(join(folder, "ready.json"), JSON.stringify({ app_url: gone, network_url: gone, demo }));
  const sandbox = io({ GATEWAY_SANDBOX: folder });
  await expect(run(api, ["GET", "/instance"], sandbox)).rejects.toThrow(new GatewayError(`${gone} does not answer`));
  await expect(run(trigger, ["call"], sandbox)).rejects.toThrow(/^the test network does not answer/);
});

it("texts of strangers cannot control the terminal", () => {
  expect(printable("a\u001b]0;x\u0007b\nc\u202ed\u009be")).toBe("a·]0;x·b·c·d·e");
  expect(printable("x".repeat(100))).toBe(`${"x".repeat(59)}…`);
});
