// A number whose account requires a passkey, in a real browser: messages for its owner and for holders of a pairing link, with the ceremony
// on and off.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import linkEn from "#root/dashboard/src/texts/en/pairing-link.ts";
import reasonsEn from "#root/dashboard/src/texts/en/reasons.ts";
import linkPt from "#root/dashboard/src/texts/pt/pairing-link.ts";
import reasonsPt from "#root/dashboard/src/texts/pt/reasons.ts";
import { authenticator, type Authenticator } from "#root/test/support/bridge/passkey.ts";
import { customer, person, phones, type Reply } from "#root/test/support/clients.ts";
import { axeViolations, sidewaysScroll } from "#root/test/support/dashboard/axe.ts";
import { type Dashboard, useDashboard, type WindowOptions } from "#root/test/support/dashboard/dashboard.ts";
import { eventually } from "#root/test/support/eventually.ts";
import { freshPhone } from "#root/test/support/paired-connection.ts";
import { failed, ok } from "#root/test/support/replies.ts";

const PATIENT_MS = 60_000;

type Waiting = {
  id: number;
  api: ReturnType<typeof customer>;
  browser: Authenticator;
  /** Path of the pairing link. */
  link: string;
  /** Scans with the phone's camera; resolves once linking has ended. */
  scan: () => Promise<Reply>;
};

/** A connection showing a QR code, and a phone whose account requires a passkey. */
async function waiting(dashboard: Dashboard): Promise<Waiting> {
  const { ready } = dashboard;
  const network = phones(ready);
  const browser = authenticator();
  const phone = freshPhone();
  await ok(network.create(phone, "Loja"), 201);
  await ok(network.call("PATCH", `/phones/${phone}`, { passkey: browser.passkey("sent") }));
  const owner = await person(ready);
  const { id } = (await ok(owner.call("POST", "/connections", { name: "Com chave" }), 201)).data as { id: number };
  const { key } = (await ok(owner.call("POST", `/connections/${id}/keys`, { name: "test" }), 201)).data as { key: string };
  const link = await ok(owner.call("POST", `/connections/${id}/pairing-links`, { label: "Ana, balcão", minutes: 60 }), 201);
  const { pathname, hash } = new URL((link.data as { url: string }).url);
  await ok(owner.call("POST", `/connections/${id}/connect`, {}));
  const qr = () =>
    eventually("a QR", PATIENT_MS, async () => {
      const answer = await owner.call("GET", `/connections/${id}/qr`);
      return answer.status === 200 && (answer.body.data.raw as string);
    });
  await qr();
  return {
    id,
    api: customer(ready, key),
    browser,
    link: pathname + hash,
    // Reads the code again, because the first one may have expired while the windows opened.
    scan: async () => network.call("POST", `/phones/${phone}/scan`, { qr: await qr() }),
  };
}

/** Both pages in both languages: one narrow, one wide. */
async function fourWindows(dashboard: Dashboard, { id, link }: Waiting) {
  const open = async (path: string, options: WindowOptions) => (await dashboard.visit(path, options)).page;
  const own = `/connections/${id}/pair`;
  return {
    own: { pt: await open(own, { width: 1280 }), en: await open(own, { width: 360, language: "en" }) },
    link: { pt: await open(link, { as: null, phone: true }), en: await open(link, { as: null, width: 1280, language: "en" }) },
  };
}

type Windows = Awaited<ReturnType<typeof fourWindows>>;
type Said = Record<"own" | "link", Record<"pt" | "en", string>>;

/** Each window shows its text, is accessible, and fits. */
async function expectSaid(windows: Windows, texts: Said): Promise<void> {
  for (const page of ["own", "link"] as const)
    for (const language of ["pt", "en"] as const) {
      const window = windows[page][language];
      await window.getByText(texts[page][language]).waitFor();
      expect(await axeViolations(window)).toEqual([]);
      expect(await sidewaysScroll(window)).toBe(0);
    }
}

const hasQr = (page: Page) => page.getByRole("img", { name: /QR code/ }).count();

describe("a page where linking may be confirmed with a passkey", () => {
  const dashboard = useDashboard();

  it("reports the request and where a passkey may be used, and continues once it was used", async () => {
    const number = await waiting(dashboard());
    const windows = await fourWindows(dashboard(), number);
    expect(await number.api.get("/instance/passkey")).toMatchObject(failed(409, "chave_de_acesso_nao_pedida"));
    const scanned = number.scan();
    await expectSaid(windows, {
      own: { pt: reasonsPt.passkey_wanted.next, en: reasonsEn.passkey_wanted.next },
      link: { pt: linkPt.passkey.next, en: linkEn.passkey.next },
    });
    expect(await hasQr(windows.own.pt)).toBe(0);
    expect(await hasQr(windows.link.en)).toBe(0);

    const { options } = (await ok(number.api.get("/instance/passkey"))).data as { options: { challenge: string; rpId: string } };
    const answer = (assertion: unknown) => number.api.call("POST", "/instance/passkey", { assertion });
    expect(await answer(authenticator().assertion(options))).toMatchObject(failed(422, "chave_de_acesso_recusada"));
    await windows.own.pt.getByText(reasonsPt.passkey_wanted.next).waitFor();
    await ok(answer(number.browser.assertion(options)));
    expect((await scanned).status).toBe(200);
    await windows.own.pt.waitForURL(new RegExp(`/connections/${number.id}$`));
    await windows.own.en.waitForURL(new RegExp(`/connections/${number.id}$`));
    await windows.link.pt.getByText("Pronto, conectado").waitFor();
    await windows.link.en.getByText("Done, you're connected").waitFor();
  });
});

describe("a page where linking may not be confirmed with a passkey", () => {
  const dashboard = useDashboard(["--no-limits"]);

  it("reports that the account requires one, and offers a retry", async () => {
    const number = await waiting(dashboard());
    const windows = await fourWindows(dashboard(), number);
    const scanned = number.scan();
    await expectSaid(windows, {
      own: { pt: reasonsPt.passkey_unsupported.next, en: reasonsEn.passkey_unsupported.next },
      link: { pt: linkPt.askSender, en: linkEn.askSender },
    });
    expect((await scanned).status).toBe(504);
    await windows.own.pt.getByRole("button", { name: "Tentar de novo" }).waitFor();
    await windows.link.en.getByText("The phone's account requires a passkey for new devices").waitFor();
    await windows.link.en.getByRole("button", { name: "Show QR code" }).waitFor();
    expect(await number.api.get("/instance/passkey")).toMatchObject(failed(409, "chave_de_acesso_nao_pedida"));
    // Otherwise the windows would report that their connection is gone.
    await dashboard().closeVisits();
    const owner = await person(dashboard().ready);
    await ok(owner.call("DELETE", `/connections/${number.id}`));
  });
});
