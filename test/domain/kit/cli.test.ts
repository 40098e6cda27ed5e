// Flags, suggestions and signatures of the command line.
import { describe, expect, it } from "vitest";
import { parse, suggestion, UsageError } from "#root/packages/cli/src/command.ts";
import { api } from "#root/packages/cli/src/commands/calls.ts";
import { listen } from "#root/packages/cli/src/commands/listen.ts";
import { isSecret, localSecret, signedHeaders } from "#root/packages/cli/src/forwarding/signing.ts";
import { verifyConnectionWebhook } from "@gateway/sdk/webhooks";

const io = { print: () => undefined, warn: () => undefined, ask: async () => "", signal: new AbortController().signal };

describe("flags", () => {
  it("are read, also repeated ones", () => {
    const { flags } = parse(listen, ["--forward-to", "http://127.0.0.1:1", "--header", "a:1", "--header", "b:2", "--json"]);
    expect(flags).toMatchObject({ "forward-to": "http://127.0.0.1:1", header: ["a:1", "b:2"], json: true });
  });

  it("are refused if they are unknown, with the closest known one", () => {
    expect(() => parse(listen, ["--forwad-to", "x"])).toThrow(new UsageError("unknown option --forwad-to (did you mean --forward-to?)"));
    expect(() => parse(listen, ["--forward-to"])).toThrow(UsageError);
    expect(suggestion("zzzzzz", ["listen"])).toBe("");
  });

  it.each([
    { args: ["--forward-to", "https://hooks.example.com/"], problem: /--allow-remote/ },
    { args: ["--forward-to", "ftp://127.0.0.1/"], problem: /http address/ },
    { args: ["--events", "message.recieved"], problem: /did you mean message.received/ },
    { args: ["--until", "message.received", "--events", "call"], problem: /excludes/ },
    { args: ["--timeout", "soon"], problem: /seconds/ },
    { args: ["--secret", "plain"], problem: /whsec_/ },
    { args: ["--print-secret"], problem: /--forward-to/ },
    { args: ["--print-secret", "--forward-to", "http://127.0.0.1:1", "--secret", `whsec_${"A".repeat(32)}`], problem: /omit --secret/ },
    { args: ["--instance", "0189a5b2-7c3d-7e4f-8a9b-0c1d2e3f4a5b", "--events", "message.status"], problem: /unknown event type/ },
  ])("are checked for listen: $args", async ({ args, problem }) => {
    const env = { GATEWAY_URL: "http://127.0.0.1:1", GATEWAY_API_KEY: "svc_x" };
    await expect(listen.run(parse(listen, args), { ...io, env })).rejects.toThrow(problem);
  });

  it.each(["/chats/../../admin", "/chats/%2e%2E", "/chats/..", "/messages\\..\\x", "/./x", "/chats/#x"])(
    "are refused for api if their path reaches another route: %s",
    async (path) => {
      const env = { GATEWAY_URL: "http://127.0.0.1:1", GATEWAY_API_KEY: "svc_x" };
      await expect(api.run(parse(api, ["GET", path]), { ...io, env })).rejects.toThrow(/as a segment/);
    },
  );

  it("are named if they are missing without a sandbox and without a key", async () => {
    const env = { GATEWAY_SANDBOX: "/nowhere" };
    await expect(listen.run(parse(listen, []), { ...io, env })).rejects.toThrow(/GATEWAY_URL/);
    await expect(listen.run(parse(listen, ["--url", "http://127.0.0.1:1"]), { ...io, env })).rejects.toThrow(/GATEWAY_API_KEY/);
  });
});

describe("the local secret", () => {
  it("stays the same for a key and a URL, and does not show the key", () => {
    const secret = localSecret("svc_key", "http://127.0.0.1:3000/");
    expect(secret).toBe(localSecret("svc_key", "http://127.0.0.1:3000/"));
    expect(secret).not.toBe(localSecret("svc_key", "http://127.0.0.1:3001/"));
    expect(isSecret(secret)).toBe(true);
    expect(Buffer.from(secret.slice(6), "base64").toString("latin1")).not.toContain("svc_key");
  });

  it("signs like the gateway, for any text", async () => {
    const secret = localSecret("svc_key", "http://127.0.0.1:3000/");
    const body = JSON.stringify({ id: "msg_1", type: "message.received", data: { text: "Olá 😀\u2028" } });
    const event = await verifyConnectionWebhook(body, signedHeaders("connection", secret, { id: "msg_1", body }, Date.now()), secret);
    expect(event).toMatchObject({ id: "msg_1", type: "message.received" });
  });
});
