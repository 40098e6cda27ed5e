// A pairing link in a real browser: the person holding the phone has no account, and learns nothing about the link's sender.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { ask, person, phones } from "#root/test/support/clients.ts";
import { axeViolations, sidewaysScroll } from "#root/test/support/dashboard/axe.ts";
import { useDashboard } from "#root/test/support/dashboard/dashboard.ts";
import { eventually } from "#root/test/support/eventually.ts";
import { ok } from "#root/test/support/replies.ts";

const dashboard = useDashboard();
const PATIENT_MS = 60_000;
const NOBODY = { as: null } as const;

type Made = { id: number; path: string; token: string; revoke: () => Promise<unknown>; owner: Awaited<ReturnType<typeof person>> };

/** A connection of the demo user with a pairing link. */
async function linked(name: string, label: string, minutes = 60): Promise<Made> {
  const owner = await person(dashboard().ready);
  const { id } = (await ok(owner.call("POST", "/connections", { name }), 201)).data as { id: number };
  const link = (await ok(owner.call("POST", `/connections/${id}/pairing-links`, { label, minutes }), 201)).data as {
    id: string;
    url: string;
  };
  const { pathname, hash } = new URL(link.url);
  return {
    id,
    path: pathname + hash,
    token: hash.slice(1),
    revoke: () => ok(owner.call("DELETE", `/connections/${id}/pairing-links/${link.id}`)),
    owner,
  };
}

async function phoneOf(number: string): Promise<string> {
  await ok(phones(dashboard().ready).create(number, "Ana"), 201);
  return number;
}

/** The connection's QR text from the network, as a camera would read it. */
function rawQr({ owner, id }: Made): Promise<string> {
  return eventually("a QR", PATIENT_MS, async () => {
    const answer = await owner.call("GET", `/connections/${id}/qr`);
    return answer.status === 200 && (answer.body.data.raw as string);
  });
}

const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name });
const said = (page: Page, text: string) => page.getByText(text).first().waitFor();

async function expectAccessible(page: Page): Promise<void> {
  expect(await axeViolations(page)).toEqual([]);
  expect(await sidewaysScroll(page)).toBe(0);
}

describe("a pairing link", () => {
  it("works without a session on a phone, in its language", async () => {
    const number = await phoneOf("5511977770001");
    const made = await linked("Filial", "Ana, balcão");
    const { page } = await dashboard().visit(made.path, { ...NOBODY, phone: true, language: "en" });
    await heading(page, "Connect WhatsApp").waitFor();
    await said(page, "Ana, balcão");
    // On a phone the pairing code comes first: a phone cannot scan its own screen.
    expect(await page.getByRole("tab", { name: "Pairing code" }).getAttribute("aria-selected")).toBe("true");
    await expectAccessible(page);
    // Types the number in a common written format.
    await page.getByLabel("WhatsApp number").fill(number.replace(/^(..)(..)/, "+$1 ($2) "));
    await page.getByRole("button", { name: "Get a code" }).click();
    const code = await page.getByText(/^[A-Z1-9]{4}-[A-Z1-9]{4}$/).textContent();
    await page.getByRole("tab", { name: "QR code" }).click();
    await page.getByRole("tab", { name: "Pairing code" }).click();
    await said(page, code ?? "");
    await expectAccessible(page);
    await ok(phones(dashboard().ready).call("POST", `/phones/${number}/code`, { code: code?.replace("-", "") }));
    await said(page, "Done, you're connected");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Português" }).click();
    await said(page, "Pronto, conectado");
  });

  it("has its token in the fragment only, in no log and no referrer, and dies when the number is connected", async () => {
    const number = await phoneOf("5511977770002");
    const made = await linked("Matriz", "Bia");
    const { page, trouble } = await dashboard().visit(null, NOBODY);
    const asked: { url: string; referrer: string | undefined }[] = [];
    page.on("request", (request) => asked.push({ url: request.url(), referrer: request.headers()["referer"] }));
    await page.goto(made.path);
    await said(page, "Bia");
    // The token is gone from the URL too; after a reload, the cookie carries on the session.
    expect(page.url()).toBe(`${dashboard().url}/pair`);
    expect(await page.evaluate(() => [document.cookie, JSON.stringify(localStorage)].join(" "))).not.toContain(made.token);
    await page.reload();
    await said(page, "Bia");
    await page.getByRole("img", { name: "QR code para ler com o celular" }).waitFor();
    await expectAccessible(page);
    await ok(phones(dashboard().ready).call("POST", `/phones/${number}/scan`, { qr: await rawQr(made) }));
    await said(page, "Pronto, conectado");
    expect(asked.filter(({ url }) => url.includes(made.token.slice(5)))).toEqual([]);
    // The page's files send referrers for their own imports; the page itself sends none.
    expect(asked.filter(({ referrer }) => referrer?.endsWith("/pair") === true)).toEqual([]);
    const logs = dashboard().logs();
    expect(logs).toContain("/api/dashboard/pairing");
    expect(logs).not.toContain(made.token.slice(5));
    // Later visitors see only the outcome.
    const later = await dashboard().visit(made.path, NOBODY);
    await said(later.page, "Este número já está conectado");
    await page.goto("/pair");
    await said(page, "Este número já está conectado");
    trouble.expect(/pairing.*401|401.*pairing/);
  });

  it("stops working on revocation, even on an open page", async () => {
    const made = await linked("Depósito", "Caio");
    const { page, trouble } = await dashboard().visit(made.path, NOBODY);
    trouble.expect(/401.*pairing|pairing.*401/);
    await said(page, "Caio");
    await page.getByRole("img", { name: "QR code para ler com o celular" }).waitFor();
    await made.revoke();
    await said(page, "Este link foi cancelado");
    await expectAccessible(page);
  });

  it("shows the given label and nothing else of the account; noindex, no-store", async () => {
    const made = await linked("Nome interno da conexão", "Balcão 2");
    const { page } = await dashboard().visit(null, { ...NOBODY, theme: "dark" });
    const bodies: Promise<string>[] = [];
    page.on("response", (answer) => {
      if (answer.url().includes("/pairing") && !answer.url().endsWith("/stream")) bodies.push(answer.text());
    });
    const opened = await page.goto(made.path);
    const names = ["cache-control", "referrer-policy", "x-robots-tag"];
    expect(names.map((name) => opened?.headers()[name])).toEqual(["no-store", "no-referrer", "noindex"]);
    await said(page, "Balcão 2");
    const { demo } = dashboard().ready;
    const everything = [await page.content(), ...(await Promise.all(bodies))].join("\n");
    expect(bodies.length).toBeGreaterThan(0);
    for (const secret of ["Nome interno", demo.email, demo.connection.name, demo.connection.instance_id])
      expect(everything).not.toContain(secret);
    await expectAccessible(page);
    const answer = await fetch(`${dashboard().url}/api/dashboard/pairing`);
    expect(names.map((name) => answer.headers.get(name))).toEqual(["no-store", "no-referrer", "noindex"]);
  });

  it("blocks the address after 20 wrong tokens, with an explanation", async () => {
    const wrong = (token: string, address: string) =>
      ask(`${dashboard().url}/api/dashboard/pairing`, {
        json: { token },
        headers: { origin: dashboard().url, "cf-connecting-ip": address },
      });
    const address = "198.51.100.77";
    for (let n = 0; n < 20; n += 1) expect((await wrong(`pair_${n}`, address)).status).toBe(401);
    const blocked = await wrong("pair_21", address);
    expect([blocked.status, blocked.body.error.code]).toEqual([429, "too_many_attempts"]);
    const options = { extraHTTPHeaders: { "cf-connecting-ip": address } };
    const { page, trouble } = await dashboard().visit("/pair#pair_nothing", { ...NOBODY, options });
    trouble.expect(/429/);
    await page.getByText(/^Alguém na sua rede abriu muitos links inválidos\. Tente de novo em 1[45] min\.$/).waitFor();
    const other = await dashboard().visit("/pair#pair_nothing", NOBODY);
    other.trouble.expect(/401/);
    await said(other.page, "Este link não existe");
    // A dialog that asks a visitor to sign in would load its code first.
    await other.page.waitForLoadState("networkidle");
    expect(await other.page.getByRole("dialog").count()).toBe(0);
    await expectAccessible(other.page);
    // A signed-in user stays signed in, so no dialog asks for the password again.
    const user = await dashboard().visit("/pair#pair_nothing");
    user.trouble.expect(/401/);
    await said(user.page, "Este link não existe");
    await user.page.waitForLoadState("networkidle");
    expect(await user.page.getByRole("dialog").count()).toBe(0);
    const none = await dashboard().visit("/pair", NOBODY);
    await said(none.page, "Abra o link que você recebeu");
    await expectAccessible(none.page);
  });
});
