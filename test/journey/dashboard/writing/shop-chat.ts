// A shop's chat with the sandbox's contact, in which these tests write.
import type { Page, Route } from "playwright-core";
import { beforeAll } from "vitest";
import { phones } from "#root/test/support/clients.ts";
import { useDashboard } from "#root/test/support/dashboard/dashboard.ts";
import { type PairedConnection, pairConnection } from "#root/test/support/paired-connection.ts";
import { ok } from "#root/test/support/replies.ts";

export const PATIENT_MS = 60_000;

/** Starts a sandbox for this file, and pairs the shop. */
export function useShopChat() {
  const dashboard = useDashboard(["--no-limits"]);
  let paired: PairedConnection;
  beforeAll(async () => {
    paired = await pairConnection(dashboard().ready, "5511955550001", { name: "Loja" });
    await ok(paired.api.text(contact(), "Olá, Eco"));
  });
  const contact = () => dashboard().ready.demo.contact?.phone ?? "";
  return {
    dashboard,
    shop: () => paired,
    contact,
    /** The chat's address. */
    chat: () => `/connections/${paired.id}/chats/${contact()}@c.us`,
    /** Texts that the contact received from the shop, in order. */
    received: async () =>
      (await phones(dashboard().ready).inbox(contact())).filter(({ from }) => from === paired.phone).map(({ text }) => String(text)),
  };
}

export const field = (page: Page) => page.getByRole("textbox", { name: "Escreva uma mensagem" });
export const own = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text }).filter({ hasText: "pelo painel" });
export const isSend = (route: Route) => route.request().method() === "POST" && route.request().url().endsWith("/messages");

export const status = (page: Page, text: string, value: string) => own(page, text).locator(`[data-status=${value}]`);
export const below = (page: Page, text: string, name: string) =>
  page.getByRole("group", { name: `não enviada: ${text}` }).getByRole("button", { name });
export const announced = (page: Page, text: RegExp) => page.getByRole("status").filter({ hasText: text }).waitFor({ state: "attached" });

export const write = async (page: Page, text: string) => {
  await field(page).fill(text);
  await field(page).press("Enter");
};

/** The idempotency keys and message ids of the page's sends. */
export function sendsOf(page: Page): { keys: (string | undefined)[]; ids: string[] } {
  const [keys, ids]: [(string | undefined)[], string[]] = [[], []];
  page.on("request", (request) => {
    if (request.method() !== "POST" || !request.url().endsWith("/messages")) return;
    keys.push(request.headers()["idempotency-key"]);
    ids.push((request.postDataJSON() as { message_id: string }).message_id);
  });
  return { keys, ids };
}

/** Holds the page's sends back until the returned function is called. */
export async function holdSends(page: Page): Promise<() => void> {
  let release = () => undefined as void;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/messages", async (route) => {
    if (isSend(route)) await released;
    await route.continue();
  });
  return release;
}

export const leave = async (page: Page) => {
  await page.getByRole("link", { name: "Visão geral" }).click();
  await page.getByRole("heading", { level: 1, name: "Loja" }).waitFor();
};
