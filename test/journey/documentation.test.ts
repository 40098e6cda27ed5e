// Every example of the Connection API's documents, taken from the documents as they are served and carried out.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { customer, person, phones } from "../support/clients.ts";
import { parseCurl, runCurl } from "../support/curl.ts";
import { DocumentedShop } from "../support/documented-shop.ts";
import { eventually } from "../support/eventually.ts";
import { Receiver } from "../support/receiver.ts";
import { type Sandbox, startSandbox } from "../support/sandbox.ts";

let sandbox: Sandbox;
let world: DocumentedShop;
beforeAll(async () => {
  sandbox = await startSandbox(["--no-limits"]);
  world = await DocumentedShop.open(sandbox);
});
afterAll(async () => {
  await world.close();
  await sandbox.dispose();
});

const page = async (path: string) => (await fetch(sandbox.ready().app_url + path)).text();
const commandsIn = (blocks: Iterable<RegExpMatchArray>) =>
  [...blocks].map(([, text = ""]) => text.trim()).filter((text) => text.startsWith("curl ") && text.includes("/api/v1/"));

async function documented() {
  const text = await page("/llms.txt");
  const document = JSON.parse(await page("/docs/connection.json")) as {
    paths: Record<string, Record<string, { "x-example-answers"?: string }>>;
  };
  return {
    commands: commandsIn(text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)),
    document,
  };
}

/** What the examples of an instance's life do to it: they come last, and on a connection that has nothing to lose. */
const LIFE = /\/instance\/(qr|pairing-code|connect|disconnect|restart)'/;

describe("the documents", () => {
  it("show at least one example of every route", async () => {
    const { commands, document } = await documented();
    const routes = Object.entries(document.paths).flatMap(([path, item]) => Object.keys(item).map((method) => ({ method, path })));
    const asked = commands.map((command) => parseCurl(command, { API_KEY: "key" }));
    const missing = routes.filter(({ method, path }) => {
      const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
      return !asked.some((curl) => curl.method === method.toUpperCase() && pattern.test(new URL(curl.url).pathname));
    });
    expect(missing).toEqual([]);
  });

  it("have examples that do what they say", async () => {
    const { commands, document } = await documented();
    const variables = { API_KEY: world.shop.key };
    const wrong: string[] = [];
    const examples = [...new Set(commands)].filter((command) => !LIFE.test(command));
    expect(examples.length).toBeGreaterThan(100);
    for (const command of examples) {
      const curl = parseCurl(await world.realised(command), variables);
      const sample = parseCurl(command, variables);
      const promised = Object.entries(document.paths).find(
        ([path, item]) =>
          item[sample.method.toLowerCase()] !== undefined &&
          new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(new URL(sample.url).pathname),
      )?.[1][sample.method.toLowerCase()]?.["x-example-answers"];
      const { status, body } = await runCurl(curl);
      const seen = status === 200 ? undefined : (body.error?.codigo as string);
      if (seen !== promised) wrong.push(`${curl.method} ${curl.url} answered ${status} ${JSON.stringify(body)}`);
    }
    expect(wrong.join("\n")).toBe("");
  });

  it("have examples that lead a number from its QR to its end", async () => {
    const { commands } = await documented();
    const owner = await person(sandbox.ready());
    const { id } = (await owner.call("POST", "/connections", { name: "New" })).body.data as { id: number };
    const key = (await owner.call("POST", `/connections/${id}/keys`, { name: "docs" })).body.data.key as string;
    const run = async (route: string) => {
      const command = commands.find((text) => text.includes(`/instance/${route}'`)) ?? "";
      const answer = await runCurl(parseCurl(command, { API_KEY: key }));
      return [route, answer.status, answer.body.error?.codigo ?? null];
    };
    expect(await run("connect")).toEqual(["connect", 200, null]);
    const scannable = () => customer(sandbox.ready(), key).get("/instance/qr");
    await eventually("a QR", 20_000, async () => (await scannable()).status === 200);
    expect(await run("qr")).toEqual(["qr", 200, null]);
    expect(await run("pairing-code")).toEqual(["pairing-code", 200, null]);
    expect(await run("restart")).toEqual(["restart", 200, null]);
    expect(await run("disconnect")).toEqual(["disconnect", 200, null]);
  });

  it("send by JavaScript what they say", async () => {
    const [code = ""] = await codeOf("js", "fetch(");
    const environment = `const process = { env: { API_KEY: ${JSON.stringify(world.shop.key)} } };`;
    const { message_id: id } = await runModule<{ message_id: string }>(`${environment}\n${code}\nexport { message_id };`);
    expect((await world.shop.api.get(`/messages/${id}`)).body.data).toMatchObject({ message_id: id, text: "Olá!" });
  });

  it("tell a genuine delivery from a forged one, and show one as it is", async () => {
    const receiver = await Receiver.start();
    const { secret } = (await world.shop.owner.call("PUT", `/connections/${world.shop.id}/webhook`, { url: receiver.url })).body.data;
    await phones(sandbox.ready()).send("5511900000002", { to: world.shop.phone, text: "Olá!" });
    const { body, headers } = await receiver.waitFor("the message", 20_000, (event) => event["type"] === "message.received");
    await receiver.stop();
    const [code = ""] = await codeOf("js verify", "isGenuine");
    type Verify = { isGenuine: (headers: unknown, body: string, secret: string, now?: number) => boolean };
    const verify = await runModule<Verify>(code);
    expect(verify.isGenuine(headers, body, secret)).toBe(true);
    expect(verify.isGenuine(headers, body.replace("Olá!", "Ola!"), secret)).toBe(false);
    expect(verify.isGenuine(headers, body, secret, Date.now() + 400_000)).toBe(false);
    const [event = "{}"] = await codeOf("json", "message.received");
    expect(shapeOf(JSON.parse(event))).toEqual(shapeOf(JSON.parse(body)));
  });
});

/** Blocks of code in the guide, as the text for programs has it. */
async function codeOf(language: string, holding: string): Promise<string[]> {
  const blocks = (await page("/llms.txt")).matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm);
  return [...blocks].filter(([, name, code = ""]) => name === language && code.includes(holding)).map(([, , code = ""]) => code);
}

async function runModule<T>(code: string): Promise<T> {
  return (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as T;
}

/** Names and types, without values. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}
