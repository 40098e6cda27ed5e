// The people of a chat: the palette, details, menus, mentions and presence.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { phones } from "../../support/clients.ts";
import { axeViolations, sidewaysScroll } from "../../support/dashboard/axe.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { finger } from "../../support/dashboard/finger.ts";
import { eventually } from "../../support/eventually.ts";
import { freshPhone, pairConnection, type PairedConnection } from "../../support/paired-connection.ts";
import { ok } from "../../support/replies.ts";
import { JPEG } from "../../support/sample-files.ts";

const dashboard = useDashboard();

const bubble = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });

describe("the people of a chat", () => {
  const [us, ana, bia] = [freshPhone(), freshPhone(), freshPhone()];
  let shop: PairedConnection;
  let network: ReturnType<typeof phones>;
  let group: string;
  beforeAll(async () => {
    shop = await pairConnection(dashboard().ready, us, { name: "Loja das pessoas" });
    network = phones(dashboard().ready);
    await Promise.all([network.create(ana, "Ana Ávila"), network.create(bia, "Bia Brito")]);
    const made = { subject: "Quadra de vôlei", participants: [us, bia] };
    group = (await ok<{ group_id: string }>(network.call("POST", `/phones/${ana}/groups`, made), 201)).group_id;
    await ok(network.send(ana, { chat_id: us, text: "Bom dia" }));
    await ok(network.send(bia, { chat_id: us, text: "Boa tarde" }));
    await ok(network.send(ana, { chat_id: group, text: "Quem joga?" }));
    await eventually("all chats stored", 60_000, async () => {
      const { body } = await shop.owner.call("GET", `/connections/${shop.id}/chats`);
      return (body.data as unknown[]).length === 3;
    });
  });

  it("the palette opens a chat by a part of its name or number", async () => {
    const { page } = await dashboard().visit(`/connections/${shop.id}/settings`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    const open = async (typed: string, label: RegExp) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox", { name: "Contato, conexão, página, ação ou ID" }).fill(typed);
      await page.getByRole("option", { name: label, selected: true }).waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.keyboard.press("Enter");
    };
    await open("avila", /^Ana Ávila.*conversa$/);
    await page.waitForURL(`**/chats/${ana}*c.us`);
    await open("volei", /^Quadra de vôlei.*grupo$/);
    await page.waitForURL(`**/chats/${group.replace("@", "*")}`);
    // The end of a number, as people write it.
    await open(`${bia.slice(-8, -4)}-${bia.slice(-4)}`, /^Bia Brito/);
    await page.waitForURL(`**/chats/${bia}*c.us`);
  });

  it("the head of a chat opens a contact's photo, number and about text, and a group's members", async () => {
    await network.call("POST", `/phones/${ana}/picture`, { base64: JPEG.toString("base64") });
    await network.call("PATCH", `/phones/${ana}`, { about: "na praia" });
    const { page, context, trouble } = await dashboard().visit(`/connections/${shop.id}/chats/${ana}@c.us`, { phone: true });
    // The group has no picture.
    trouble.expect(/404.+picture/);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Dados do contato" }).click();
    const info = page.getByRole("dialog", { name: "Dados do contato" });
    await info.getByText("na praia").waitFor();
    const photo = info.getByRole("img", { name: "Foto do perfil" });
    await expect.poll(() => photo.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
    await info.getByRole("button", { name: "Copiar número" }).click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(`+${ana}`);
    expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
    // The links lead to the search in this chat, at the right tab.
    await info.getByRole("button", { name: "Favoritas" }).click();
    await page.getByRole("tab", { name: "Favoritas", selected: true }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Dados do contato");

    await page.goto(`/connections/${shop.id}/chats/${group}`);
    await page.getByRole("button", { name: "Dados do grupo" }).click();
    const members = page.getByRole("region", { name: "3 membros" }).getByRole("listitem");
    await expect
      .poll(() => members.allInnerTexts())
      .toEqual([expect.stringContaining("Você"), expect.stringMatching(/Ana Ávila[^]*admin/), expect.stringContaining("Bia Brito")]);
    expect([await axeViolations(page), await sidewaysScroll(page)]).toEqual([[], 0]);
    await members.getByRole("link", { name: /Bia Brito/ }).click();
    await page.waitForURL(`**/chats/${bia}*c.us`);
    await page.getByRole("heading", { name: "Bia Brito" }).waitFor();
  });

  it("the menu of a chat pins, archives, mutes and marks it as unread, also by a long press", async () => {
    const { page } = await dashboard().visit(`/connections/${shop.id}/chats`, { phone: true });
    const list = page.getByRole("region", { name: "Lista de conversas" });
    const names = async () => (await list.getByRole("link").allInnerTexts()).map((text) => /Ana|Bia|Quadra/.exec(text)?.[0]);
    const row = (name: string) => list.getByRole("link", { name: new RegExp(`^${name}`) });
    const choose = async (who: string, item: string) => {
      await list.getByRole("button", { name: `Menu da conversa: ${who}` }).press("Enter");
      await page.getByRole("menuitem", { name: item, exact: true }).press("Enter");
    };
    await list.getByRole("button", { name: "Menu da conversa: Bia Brito" }).waitFor();
    await ok(network.send(bia, { chat_id: us, text: "Boa noite" }));
    await row("Bia").getByText("Boa noite").waitFor();
    const touch = await finger(page, row("Bia"));
    await touch("touchStart");
    await page.getByRole("menuitem", { name: "Fixar" }).waitFor();
    await touch("touchEnd");
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole("menuitem", { name: "Fixar" }).click();
    await row("Bia").getByText("fixada").waitFor({ state: "attached" });
    await expect.poll(async () => (await names())[0]).toBe("Bia");

    await choose("Bia Brito", "Marcar como lida");
    await row("Bia").getByText("não lida").waitFor({ state: "detached" });
    await choose("Bia Brito", "Marcar como não lida");
    await row("Bia").getByText("marcada como não lida").waitFor({ state: "attached" });

    await choose("Ana Ávila", "Arquivar");
    await row("Ana").waitFor({ state: "detached" });
    await page.reload();
    await list.getByRole("button", { name: "Arquivadas" }).click();
    await row("Ana").waitFor();
    expect([await names(), await axeViolations(page), await sidewaysScroll(page)]).toEqual([["Ana"], [], 0]);
    await choose("Ana Ávila", "Desarquivar");
    await page.getByText("Nenhuma conversa arquivada.").waitFor();
    await list.getByRole("button", { name: "Arquivadas" }).click();
    await row("Ana").waitFor();

    // The list and the menu in the head of the open chat say whether the chat is muted.
    const head = page.getByRole("button", { name: "Menu da conversa: Ana Ávila" });
    await row("Ana").click();
    await page.getByRole("heading", { name: "Ana Ávila" }).waitFor();
    await head.click();
    await page.getByRole("menuitem", { name: "Silenciar por 8 horas" }).click();
    await page.getByText("Conversa silenciada.").first().waitFor();
    expect((await shop.api.get(`/chats/${ana}@c.us`)).body.data.muted_until).not.toBe(null);
    await page.getByRole("link", { name: "Todas as conversas" }).click();
    await row("Ana").getByText("silenciada").waitFor({ state: "attached" });
    await choose("Ana Ávila", "Reativar notificações");
    await row("Ana").getByText("silenciada").waitFor({ state: "detached" });
  });

  it("an @ in a group offers the members, and the chosen one is mentioned", async () => {
    const { page } = await dashboard().visit(`/connections/${shop.id}/chats/${group}`);
    const field = page.getByRole("textbox", { name: "Escreva uma mensagem" });
    await field.pressSequentially("Oi @b");
    await page.getByRole("option", { name: /Bia Brito/, selected: true }).waitFor();
    expect([await page.getByRole("option").count(), await axeViolations(page)]).toEqual([1, []]);
    await field.press("Enter");
    expect(await field.inputValue()).toBe("Oi @Bia Brito ");
    await field.pressSequentially("e @");
    await page.getByRole("option", { name: /Ana Ávila/, selected: true }).waitFor();
    await field.press("ArrowDown");
    await page.getByRole("option", { name: /Bia Brito/, selected: true }).waitFor();
    await field.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });
    // A phone's owner taps the name. The text survives a reload.
    await field.pressSequentially("a");
    await page.getByRole("option", { name: /Ana Ávila/ }).waitFor({ state: "detached" });
    await field.press("Backspace");
    await field.press("Backspace");
    await field.pressSequentially("@av");
    await page.getByRole("option", { name: /Ana Ávila/ }).click();
    await page.reload();
    expect(await field.inputValue()).toBe("Oi @Bia Brito e @Ana Ávila ");
    await field.press("End");
    await field.pressSequentially("!");
    await field.press("Enter");
    // The group uses LIDs, also in the text.
    const got = async () => (await network.inbox(bia)).find(({ text }) => /^Oi @\d+ e @\d+ !$/.test(String(text)));
    await expect.poll(async () => (await got())?.["mentions"]).toEqual([bia, ana]);
    await bubble(page, "Oi @Bia Brito e @Ana Ávila !").waitFor();
  });

  it("the head of a chat shows who is typing, if a program has subscribed to it", async () => {
    await ok(shop.api.call("POST", `/chats/${ana}@c.us/presence/subscribe`));
    const { page } = await dashboard().visit(`/connections/${shop.id}/chats/${ana}@c.us`, { phone: true });
    await page.getByRole("heading", { name: "Ana Ávila" }).waitFor();
    const say = (presence: string) =>
      network.call("POST", `/phones/${ana}/presence`, { presence, ...(presence === "typing" && { chat_id: us }) });
    await expect
      .poll(async () => {
        await say("online");
        await say("typing");
        return page.getByText("digitando…").count();
      })
      .toBe(1);
    await say("offline");
    await page.getByText("digitando…").waitFor({ state: "detached" });
  });
});
