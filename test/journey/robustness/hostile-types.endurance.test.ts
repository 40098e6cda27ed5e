// Strangers' files that are a page, a script and a style sheet at once: a real browser runs none of them through a media link.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, BrowserContext } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openBrowser } from "../../support/browser.ts";
import { phones } from "../../support/clients.ts";
import { eventually } from "../../support/eventually.ts";
import { pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";
import { borrowSandbox, type SharedSandbox } from "../../support/shared-sandbox.ts";
import { HOSTILE_TYPES } from "../../support/strangers/types.ts";

const STRANGER = "5511955570001";
const CHAT = `${STRANGER}@c.us`;
const PATIENT_MS = 60_000;

let sandbox: SharedSandbox;
let browser: Browser;
let victim: PairedConnection;
/** Serves the embedding page and records requests made by executed files. */
let outside: Server;
let address: string;
let embedding = "";
const beacons: string[] = [];

beforeAll(async () => {
  outside = createServer((request, response) => {
    const path = request.url ?? "";
    if (path.startsWith("/beacon")) beacons.push(path);
    const embeds = path.startsWith("/embeds");
    response.writeHead(200, { "content-type": embeds ? "text/html" : "image/gif" }).end(embeds ? embedding : "");
  });
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
  [sandbox, browser] = await Promise.all([borrowSandbox(), openBrowser()]);
  await phones(sandbox.ready()).create(STRANGER, "Stranger");
  victim = await pairConnection(sandbox.ready(), "5511955570002", { name: "Victim" });
});
afterAll(async () => {
  await browser.close();
  outside.closeAllConnections();
  await new Promise<void>((resolve) => outside.close(() => resolve()));
  await sandbox.dispose();
});

/** As HTML it requests a picture and runs a script, as JavaScript it runs the same, as CSS it requests a background. */
function polyglot(): Buffer {
  const script = `new Image().src="${address}/beacon/script"`;
  const lines = [
    `<!--*{background:url(${address}/beacon/style)}`,
    `--><html><body><img src="${address}/beacon/markup"><script>${script}</script>`,
    script,
  ];
  return Buffer.from(lines.join("\n"));
}

/** Every way to open the file from another site's page. */
const WAYS: Readonly<Record<string, (url: string) => string>> = {
  script: (url) => `<script src="${url}"></script>`,
  module: (url) => `<script type="module" src="${url}"></script>`,
  frame: (url) => `<iframe src="${url}"></iframe>`,
  object: (url) => `<object data="${url}"></object>`,
  embed: (url) => `<embed src="${url}">`,
  style: (url) => `<link rel="stylesheet" href="${url}">`,
  import: (url) => `<link rel="modulepreload" href="${url}">`,
};

async function opened(context: BrowserContext, url: string): Promise<void> {
  const page = await context.newPage();
  // A download aborts the navigation.
  await page.goto(url, { waitUntil: "load" }).catch(() => undefined);
  await page.close();
}

async function linkOf(mimetype: string, kind: "image" | "document"): Promise<string> {
  const media = { base64: polyglot().toString("base64"), mimetype: mimetype || " ", filename: "a.html" };
  const { message_id: id } = await ok(phones(sandbox.ready()).send(STRANGER, { to: victim.phone, type: kind, media }));
  return eventually("a link", PATIENT_MS, async () => {
    return (await victim.api.get(`/chats/${CHAT}/messages/${id}`)).body.data?.media?.url as string | undefined;
  });
}

it("the polyglot requests its beacons if served with its own type", async () => {
  beacons.length = 0;
  const context = await browser.newContext();
  const file = polyglot().toString();
  const bait = createServer((request, response) => response.writeHead(200, { "content-type": (request.url ?? "").slice(1) }).end(file));
  await new Promise<void>((resolve) => bait.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(bait.address() as AddressInfo).port}`;
  embedding = WAYS["script"]!(`${origin}/text/javascript`) + WAYS["style"]!(`${origin}/text/css`);
  await opened(context, `${origin}/text/html`);
  await opened(context, `${address}/embeds`);
  await eventually("all three", PATIENT_MS, () => new Set(beacons).size === 3);
  bait.closeAllConnections();
  bait.close();
  await context.close();
});

it.for(["image", "document"] as const)("a file sent as %s runs nowhere, whatever its type", async (kind) => {
  beacons.length = 0;
  const context = await browser.newContext();
  const seen = new Set<string>();
  for (const type of HOSTILE_TYPES) {
    const url = await linkOf(type, kind);
    const { status, headers } = await fetch(url);
    const shown = ["content-type", "content-disposition", "x-content-type-options", "content-security-policy"].map((name) =>
      headers.get(name),
    );
    seen.add(shown.join(" | "));
    console.info(`${kind} ${JSON.stringify(type)} → ${shown.join(" | ")}`);
    expect([type, status]).toEqual([type, 200]);
    embedding = Object.values(WAYS)
      .map((embed) => embed(url))
      .join("");
    await opened(context, url);
    await opened(context, `${address}/embeds`);
    expect(beacons, `${type} ran`).toEqual([]);
  }
  // Served as a picture if the type without parameters is one; otherwise as a download without a type.
  for (const each of seen) expect(each).toMatch(/^(image\/png \| inline|application\/octet-stream \| attachment)/);
  await context.close();
});
