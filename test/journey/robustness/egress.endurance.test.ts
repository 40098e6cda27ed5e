// Outbound requests on a customer's behalf: URLs blocked by their text, and by the addresses a name resolves to.
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isPublicHost } from "@gateway/protocol/addresses/public.ts";
import { ask, customer, person, type Reply } from "../../support/clients.ts";
import { egressProbe, localServer, type Probe } from "../../support/egress-probe.ts";
import { eventually } from "../../support/eventually.ts";
import { IS_SERVED } from "../../support/one-machine/as-sandbox.ts";
import { Receiver } from "../../support/receiver.ts";
import { type Sandbox, startSandbox } from "../../support/sandbox.ts";

const WITHIN_MS = 60_000;

let inside: Awaited<ReturnType<typeof localServer>>;
beforeAll(async () => {
  inside = await localServer();
});
afterAll(() => inside.stop());

/** Every address by which this machine reaches itself, and its name. */
function selves(): string[] {
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const literals = own
    .filter(({ scopeid = 0 }) => scopeid === 0)
    .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
  return [...new Set(["localhost", "127.0.0.1", "127.0.0.2", "0.0.0.0", ...literals.filter((host) => !isPublicHost(host))])];
}

describe.each([true, false])("a connection (strict: %s)", (strict) => {
  let probe: Probe;
  beforeAll(async () => {
    probe = await egressProbe(strict);
  });
  afterAll(() => probe.dispose());

  it("is made to no private address, whatever name leads there", async () => {
    const before = inside.hits();
    const urls = selves().map((host) => `http://${host}:${inside.port}/`);
    // Without the filter each would be reachable, as it is from this process.
    const reachable = await Promise.all(
      urls.map((url) =>
        fetch(url).then(
          () => url,
          () => null,
        ),
      ),
    );
    const there = reachable.filter((url) => url !== null);
    expect(there).toContain(`http://localhost:${inside.port}/`);
    expect(inside.hits()).toBe(before + there.length);
    const closed = strict ? there : there.filter((url) => !/\/\/(localhost|127\.0\.0\.1):/.test(url));
    for (const url of closed) expect([url, await probe.ask("egress", url)]).toEqual([url, "refused"]);
    for (const url of there) expect([url, await probe.ask("fetch", url)]).toEqual([url, "refused"]);
    expect(inside.hits()).toBe(before + there.length);
  });

  it("is made to 127.0.0.1 where the allow list names it", async () => {
    expect(await probe.ask("egress", `http://127.0.0.1:${inside.port}/`)).toBe(strict ? "refused" : "reached");
  });
});

/** One private address in every spelling, and others that only look public. */
const HOSTS = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "017700000001",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "127.0.0.1.",
  "①②⑦.⓪.⓪.①",
  "１２７.０.０.１",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "127.0.0.2",
  "0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[2001:0:7f00:1::]",
  "[fd00::1]",
  "[fe80::1]",
  "localhost",
  "LOCALHOST.",
  "ｌｏｃａｌｈｏｓｔ",
  "a.localhost",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "192.0.2.1",
  "printer.local",
  "metadata.google.internal",
  "gateway.test",
  "router",
];

describe("a destination that a customer gives", () => {
  let sandbox: Sandbox;
  let receiver: Receiver;
  let owner: Awaited<ReturnType<typeof person>>;
  beforeAll(async () => {
    receiver = await Receiver.start();
    // A served gateway has no such setting.
    sandbox = await startSandbox(["--no-limits"], { WEBHOOK_HOSTS: new URL(receiver.url).host });
    owner = await person(sandbox.ready());
  });
  afterAll(() => Promise.all([sandbox.dispose(), receiver.stop()]));

  const webhook = (method: string, path: string, json?: unknown) =>
    owner.call(method, `/connections/${sandbox.ready().demo.connection.id}/webhook${path}`, json);
  const accountWebhook = (url: string) => {
    const { base_url, demo } = sandbox.ready();
    return ask(`${base_url}/api/webhooks`, { headers: { "x-api-key": demo.api_key }, json: { url, events: ["message.received"] } });
  };
  const picture = (url: string) =>
    customer(sandbox.ready()).call("POST", "/messages/image", { to: sandbox.ready().demo.contact?.phone, media: { url } });
  /** URLs whose refusal differs from the first one's. */
  async function exceptions(urls: readonly string[], give: (url: string) => Promise<Reply>): Promise<string[]> {
    const answers = (await Promise.all(urls.map(give))).map(({ status, body }) => JSON.stringify([status, body.error]));
    return urls.filter((_, at) => !/^\[4\d\d,/.test(answers[at] ?? "") || answers[at] !== answers[0]);
  }
  const surfaces = () =>
    [
      ["a connection's webhook", (url: string) => webhook("PUT", "", { url })],
      ["an account's webhook", accountWebhook],
      ["a file", picture],
    ] as const;

  // The first and the last need a destination on this machine, which only the sandbox allows.
  it.skipIf(IS_SERVED)("may be this machine in the sandbox, in one spelling only", async () => {
    expect((await webhook("PUT", "", { url: receiver.url })).status).toBe(201);
    expect((await webhook("POST", "/test")).body.data).toMatchObject({ http_status: 200, error: null });
    expect((await accountWebhook(receiver.url)).status).toBe(201);
    const before = inside.hits();
    const others = HOSTS.slice(1).flatMap((host) => [`http://${host}:${inside.port}/`, `https://${host}/`]);
    for (const [what, give] of surfaces()) expect([what, await exceptions(others, give)]).toEqual([what, []]);
    expect(inside.hits()).toBe(before);
  });

  it("must be public and https under the production rules, or is refused with one message, on save", async () => {
    await sandbox.stop();
    await sandbox.start(["--no-limits", "--strict"]);
    owner = await person(sandbox.ready());
    const before = inside.hits();
    const urls = HOSTS.flatMap((host) => [`http://${host}:${inside.port}/`, `https://${host}:${inside.port}/`, `https://${host}/`]);
    if (!IS_SERVED) urls.push(receiver.url);
    const own = [sandbox.ready().app_url, "http://example.com/", "ftp://example.com/", "https://user:pass@example.com/", "nonsense"];
    for (const [what, give] of surfaces()) expect([what, await exceptions([...urls, ...own], give)]).toEqual([what, []]);
    expect(inside.hits()).toBe(before);
  });

  it.runIf(IS_SERVED)("may be a receiver on this machine that the operator lists, for webhooks alone", async () => {
    expect((await webhook("PUT", "", { url: receiver.url })).status).toBe(201);
    expect((await webhook("POST", "/test")).body.data).toMatchObject({ http_status: 200, error: null });
    expect((await accountWebhook(receiver.url)).status).toBe(201);
    expect((await picture(receiver.url)).body.error).toEqual((await picture("https://10.0.0.1/")).body.error);
    await receiver.stop();
    expect((await webhook("POST", "/test")).body.data).toMatchObject({ http_status: null, error: "connection_failed" });
  });

  it.skipIf(IS_SERVED)("is checked again at every attempt: a saved destination is no longer called", async () => {
    const receivedBefore = receiver.received.length;
    expect((await webhook("POST", "/test")).body.data).toMatchObject({ http_status: null, error: "url_not_allowed" });
    const { demo } = sandbox.ready();
    expect((await customer(sandbox.ready()).text(demo.contact?.phone ?? "", "Alguém aí?")).status).toBe(200);
    const failed = await eventually("an attempt", WITHIN_MS, async () =>
      ((await webhook("GET", "/deliveries")).body.data as { attempts: number; last_error: string }[]).find(({ attempts }) => attempts > 0),
    );
    expect(failed).toMatchObject({ status: "pending", http_status: null, last_error: "url_not_allowed" });
    expect(receiver.received).toHaveLength(receivedBefore);
  });
});
