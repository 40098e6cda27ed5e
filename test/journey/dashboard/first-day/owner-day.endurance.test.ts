// A shop owner's first day on a phone, from sign-up to a forwarded message. Prints the taps and seconds that each part takes.
import type { Locator, Page } from "playwright-core";
import { expect, it } from "vitest";
import { ask, phones } from "#root/test/support/clients.ts";
import { useDashboard } from "#root/test/support/dashboard/dashboard.ts";
import { sidewaysScroll } from "#root/test/support/dashboard/axe.ts";
import { eventually } from "#root/test/support/eventually.ts";
import { administrator } from "#root/test/support/invited-user.ts";
import { freshPhone } from "#root/test/support/paired-connection.ts";
import { ok } from "#root/test/support/replies.ts";

const PATIENT_MS = 60_000;
const customerOf = (name: string, asks: string) => ({ phone: freshPhone(), name, asks });
const ORDER = "Quero o bolo de laranja para sábado";
const WEEK_S = 7 * 86_400;
const PNG = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==", "base64");

const dashboard = useDashboard();

/** Counts what the owner does. A filled field counts as one tap. */
class Hand {
  readonly #parts: string[] = [];
  #taps = 0;
  #since = performance.now();

  async tap(target: Locator): Promise<void> {
    this.#taps += 1;
    await target.click();
  }

  async fill(target: Locator, text: string): Promise<void> {
    this.#taps += 1;
    await target.fill(text);
  }

  async choose(button: Locator, field: Locator, files: Parameters<Locator["setInputFiles"]>[0]): Promise<void> {
    await this.tap(button);
    this.#taps += 2;
    await field.setInputFiles(files);
  }

  done(part: string): void {
    this.#parts.push(`${part}: ${this.#taps} taps, ${((performance.now() - this.#since) / 1_000).toFixed(1)} s`);
    this.#taps = 0;
    this.#since = performance.now();
  }

  toString(): string {
    return this.#parts.join("; ");
  }
}

const bubble = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

function mailedLink(email: string): Promise<string> {
  return eventually(`a link for ${email}`, PATIENT_MS, async () => {
    const { body } = await ask<{ data: { to: string; text: string }[] }>(`${dashboard().url}/sandbox/mail`);
    const mail = body.data.find(({ to }) => to === email);
    return mail !== undefined && /\S+\/set-password\?token=\S+/.exec(mail.text)?.[0];
  });
}

it("an owner gets through the whole first day on a phone", async () => {
  const { ready } = dashboard();
  const network = phones(ready);
  const shop = freshPhone();
  const local = `${shop.slice(4, 9)}-${shop.slice(9)}`;
  const ana = customerOf("Ana", "Que horas vocês abrem?");
  const bia = customerOf("Bia", "Tem foto do bolo?");
  const caio = customerOf("Caio", "Como chego aí?");
  const customers = [ana, bia, caio];
  await ok(network.create(shop, "Doces da Lia"), 201);
  for (const { phone, name } of customers) await ok(network.create(phone, name), 201);
  const lastWeek = Math.floor(Date.now() / 1_000) - WEEK_S;
  const history = { chat_id: `${ana.phone}@c.us`, messages: [{ text: ORDER, timestamp: lastWeek }] };
  await ok(network.call("POST", `/phones/${shop}/history`, history), 201);

  const { page } = await dashboard().visit("/sign-up", { as: null, phone: true });
  const hand = new Hand();
  const email = `lia-${Date.now()}@example.com`;
  await hand.fill(page.getByLabel("Seu nome"), "Lia");
  await hand.fill(page.getByLabel("E-mail"), email);
  await hand.tap(button(page, "Enviar link"));
  await page.getByRole("heading", { name: "Confira seu e-mail" }).waitFor();
  await page.goto(await mailedLink(email));
  await hand.fill(page.locator("input[autocomplete=new-password]"), "uma senha bem longa");
  await hand.tap(button(page, "Definir senha"));
  await page.getByRole("heading", { level: 1, name: "Conexões" }).waitFor();
  hand.done("sign up");

  await subscribe(email);
  await page.reload();
  await hand.tap(button(page, "Nova conexão").first());
  await hand.fill(page.getByLabel("Nome da conexão"), "Doces da Lia");
  await hand.tap(button(page, "Criar e parear"));
  await hand.fill(page.getByLabel("Número do celular"), `(21) ${local}`);
  await hand.tap(button(page, "Gerar código"));
  const issued = page.getByRole("region", { name: "Código de pareamento" });
  await issued.getByText(`Código para +55 21 ${local}`).waitFor();
  const code = (await issued.getByRole("status").textContent())?.replace("-", "");
  await ok(network.call("POST", `/phones/${shop}/code`, { code }));
  await hand.tap(page.getByRole("link", { name: "Abrir conversas" }));
  await page.getByRole("searchbox", { name: "Buscar conversa" }).waitFor();
  hand.done("pair");

  for (const { phone, asks } of customers) await ok(network.send(phone, { chat_id: shop, text: asks }));
  const openChat = async ({ name, asks }: (typeof customers)[number]) => {
    await hand.tap(page.getByRole("link", { name: new RegExp(name) }).first());
    await bubble(page, asks).waitFor();
  };
  const back = () => hand.tap(page.getByRole("link", { name: "Todas as conversas" }));
  const arrived = (phone: string, type: string) =>
    eventually(`${type} at ${phone}`, PATIENT_MS, async () => (await network.inbox(phone)).some((each) => each["type"] === type));
  await openChat(ana);
  await hand.fill(page.getByRole("textbox", { name: "Escreva uma mensagem" }), "Abrimos às 8h");
  await hand.tap(button(page, "Enviar"));
  await arrived(ana.phone, "text");
  await back();
  await openChat(bia);
  const picture = { name: "bolo.png", mimeType: "image/png", buffer: PNG };
  await hand.choose(button(page, "Anexar"), page.getByLabel("Imagens ou vídeos"), picture);
  await hand.tap(page.getByRole("dialog").getByRole("button", { name: "Enviar" }));
  await arrived(bia.phone, "image");
  await back();
  await openChat(caio);
  await hand.tap(button(page, "Gravar mensagem de voz"));
  await page.getByRole("timer").filter({ hasText: "1 s" }).waitFor();
  await hand.tap(button(page, "Parar e enviar"));
  await arrived(caio.phone, "voice");
  hand.done("answer three chats");

  // Caio sends his location, which opens in the map.
  await ok(network.send(caio.phone, { chat_id: shop, location: { latitude: -23.55, longitude: -46.63, name: "Casa do Caio" } }));
  const place = bubble(page, "Casa do Caio").getByRole("link", { name: "Abrir no mapa" });
  expect(await place.getAttribute("href")).toBe("https://www.google.com/maps/search/?api=1&query=-23.55,-46.63");
  await back();
  hand.done("look at a place");

  await hand.fill(page.getByRole("searchbox", { name: "Buscar conversa" }), "bolo de laranja");
  await hand.tap(page.getByRole("region", { name: "Mensagens com este texto" }).getByRole("link"));
  const old = bubble(page, ORDER);
  await old.waitFor();
  hand.done("find last week's message");
  await hand.tap(old.getByText(ORDER));
  await hand.tap(old.getByRole("button", { name: /Ações/ }));
  await hand.tap(page.getByRole("menuitem", { name: "Encaminhar" }));
  await hand.tap(page.getByRole("checkbox", { name: "Bia" }));
  await hand.tap(page.getByRole("dialog").getByRole("button", { name: "Encaminhar" }));
  await eventually("the forwarded message", PATIENT_MS, async () =>
    (await network.inbox(bia.phone)).some(({ text }) => String(text).includes(ORDER)),
  );
  expect(await sidewaysScroll(page)).toBeLessThanOrEqual(0);
  hand.done("forward it");

  await page.goto("/connections");
  await hand.tap(button(page, "Nova conexão").first());
  await hand.fill(page.getByLabel("Nome da conexão"), "Entregas");
  await hand.tap(button(page, "Criar e parear"));
  await hand.tap(button(page, "Enviar link de pareamento"));
  await hand.fill(page.getByRole("dialog").getByLabel("Nome que aparece no link"), "Celular das entregas");
  await hand.tap(page.getByRole("dialog").getByRole("button", { name: "Criar link" }));
  const secret = page.getByRole("dialog", { name: "Link pronto" });
  const href = await secret.getByRole("link", { name: "Enviar pelo WhatsApp" }).getAttribute("href");
  expect(new URL(href ?? "").searchParams.get("text")).toContain("/pair#");
  hand.done("share a pairing link");
  console.info(`an owner's day: ${hand.toString()}`);
});

async function subscribe(email: string): Promise<void> {
  const admin = await administrator(dashboard().ready);
  const { data } = await ok(admin("GET", `/admin/users?q=${encodeURIComponent(email)}`));
  const [{ id } = { id: "" }] = data as { id: string }[];
  const terms = { plan: "pro", status: "active", max_instances: 5, current_period_end: null, reason: "a test" };
  await ok(admin("PUT", `/admin/users/${id}/subscription`, terms));
}
