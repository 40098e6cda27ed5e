// Every state of every dashboard page, for the accessibility journey. Group new states with their page.
import { createECDH } from "node:crypto";
import type { Page } from "playwright-core";
import type { Dashboard } from "../../support/dashboard/dashboard.ts";

/** Contents of the journey's sandbox: the demo user's connection, by its id in URLs. */
export type World = { dashboard: Dashboard; connection: string };

export type Screen = {
  /** Written as "page: state". */
  name: string;
  /** The window's user; the demo user by default. */
  as?: "nobody" | "demo" | "admin";
  path: string | ((world: World) => string);
  /** Puts the open page into the given state and returns once that state is visible. */
  reach?: (page: Page, world: World) => Promise<void>;
  /** Console errors that the browser may log on the way, such as `/401/`. */
  expect?: readonly RegExp[];
};

const titled = (page: Page, title: RegExp) => page.getByRole("heading", { level: 1, name: title }).waitFor();

async function signInWith(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Senha", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Entrar" }).click();
}

const ENTRY: readonly Screen[] = [
  { name: "sign-in", as: "nobody", path: "/sign-in" },
  {
    name: "sign-in: nothing filled in",
    as: "nobody",
    path: "/sign-in",
    async reach(page) {
      await page.getByRole("button", { name: "Entrar" }).click();
      await page.getByText("Preencha este campo.").first().waitFor();
    },
  },
  {
    name: "sign-in: wrong password",
    as: "nobody",
    path: "/sign-in?out=yes",
    expect: [/401/],
    async reach(page) {
      await signInWith(page, "demo@example.com", "not the password");
      await page.getByText("E-mail ou senha incorretos.").waitFor();
    },
  },
  { name: "sign-up", as: "nobody", path: "/sign-up" },
  { name: "forgot", as: "nobody", path: "/forgot" },
  {
    name: "forgot: the email is on its way",
    as: "nobody",
    path: "/forgot",
    async reach(page) {
      await page.getByLabel("E-mail").fill("nobody@example.com");
      await page.getByRole("button", { name: "Enviar link" }).click();
      await page.getByRole("heading", { name: "Confira seu e-mail" }).waitFor();
    },
  },
  { name: "suspended", as: "nobody", path: "/suspended" },
  { name: "not found", as: "nobody", path: "/nowhere" },
];

const SHELL: readonly Screen[] = [
  {
    name: "not found: not this user's connection",
    path: "/connections/999999",
    expect: [/404/],
    reach: (page) => titled(page, /não encontrada/),
  },
  {
    name: "shell: choices",
    path: "/account",
    async reach(page) {
      await page
        .getByRole("button", { name: /Conta e preferências/ })
        .filter({ visible: true })
        .click();
      await page.getByRole("radio", { name: "Escuro" }).filter({ visible: true }).first().waitFor();
    },
  },
  {
    name: "shell: connections to choose",
    path: ({ connection }) => `/connections/${connection}`,
    async reach(page) {
      await page
        .getByRole("button", { name: /Trocar de conexão/ })
        .filter({ visible: true })
        .click();
      await page.getByRole("link", { name: /Demo/ }).filter({ visible: true }).waitFor();
    },
  },
  {
    name: "palette",
    path: ({ connection }) => `/connections/${connection}`,
    async reach(page) {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("de");
      await page.getByRole("option", { name: /Demo/ }).first().waitFor();
    },
  },
  {
    name: "session ended",
    path: "/account",
    expect: [/401/],
    async reach(page) {
      await page.context().clearCookies();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Sua sessão foi encerrada" }).waitFor();
    },
  },
];

const ACCOUNT: readonly Screen[] = [
  { name: "account", path: "/account", reach: (page) => page.getByText("esta sessão").waitFor() },
  {
    name: "account: a new key",
    path: "/account",
    async reach(page) {
      await page.getByRole("button", { name: "Nova chave" }).click();
      await page.getByRole("radio", { name: "Só estas:" }).check();
      await page.getByRole("checkbox", { name: "Demo" }).waitFor();
    },
  },
];

const SETTINGS: readonly Screen[] = [
  {
    name: "settings",
    path: ({ connection }) => `/connections/${connection}/settings`,
    reach: (page) => page.getByRole("region", { name: "Quem fez o quê" }).getByRole("row").nth(1).waitFor(),
  },
  {
    name: "settings: deleting the connection",
    path: ({ connection }) => `/connections/${connection}/settings`,
    async reach(page) {
      await page.getByRole("button", { name: "Apagar conexão" }).click();
      await page.getByText("O histórico: conversas", { exact: false }).waitFor();
    },
  },
];

/** A point of P-256. */
const COMMAND_LINE_KEY = createECDH("prime256v1").generateKeys("base64url");

/** A separate connection with a key and, if a URL is given, a webhook. */
async function integrationsOf(page: Page, url?: string): Promise<void> {
  const id = await page.evaluate(async (webhook) => {
    const send = async (method: string, path: string, body: object) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`/api/dashboard/connections${path}`, { method, headers, body: JSON.stringify(body) });
      return (await answer.json()) as { data: { id: number } };
    };
    const { data } = await send("POST", "", { name: "Integrada" });
    await send("POST", `/${data.id}/keys`, { name: "ERP" });
    if (webhook !== undefined) await send("PUT", `/${data.id}/webhook`, { url: webhook });
    return data.id;
  }, url);
  await page.goto(`/connections/${id}/integrations`);
  await page.getByText("ERP", { exact: true }).waitFor();
}

/** An assistant without forms wants to send a file. Returns the path of the page where its user decides. */
function askedBy(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const send = async <T>(path: string, body: object, key = ""): Promise<T> => {
      const headers = { "content-type": "application/json", ...(key === "" ? {} : { authorization: `Bearer ${key}` }) };
      const answer = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
      return (await answer.json()) as T;
    };
    const { data } = await send<{ data: { id: number } }>("/api/dashboard/connections", { name: "Assistida" });
    const assistant = { confirm: "always", recipients: "any", call_operation: false };
    const keys = `/api/dashboard/connections/${data.id}/keys`;
    const { key } = (await send<{ data: { key: string } }>(keys, { name: "Assistente", assistant })).data;
    const file = { kind: "document", url: "https://example.com/orcamento-da-reforma.pdf", filename: "Orçamento da reforma.pdf" };
    const given = { chat_id: "5511900000002", ...file, caption: "Segue o orçamento.\nVale até sexta.", request_id: "r1" };
    const params = { name: "send_media", arguments: given };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const { result } = await send<{ result: { content: { text: string }[] } }>("/mcp", call, key);
    return new URL(/http\S+/.exec(result.content[0]?.text ?? "")?.[0] ?? "").pathname;
  });
}

const INTEGRATIONS: readonly Screen[] = [
  {
    name: "integrations",
    path: ({ connection }) => `/connections/${connection}/integrations`,
    reach: (page) => page.getByRole("button", { name: "Criar webhook" }).waitFor(),
  },
  {
    name: "connections: the credentials of a cloud number",
    path: "/connections?new=true",
    async reach(page) {
      await page.locator('select[name="kind"]').selectOption("cloud_api");
      await page.locator('input[name="cloud_api.pin"]').waitFor();
    },
  },
  {
    name: "overview: a cloud number",
    path: ({ dashboard }) => `/connections/${dashboard.ready.demo.cloud?.id ?? ""}`,
    async reach(page, { dashboard }) {
      await page.getByText(dashboard.ready.demo.cloud?.phone_number_id ?? "").waitFor();
    },
  },
  {
    name: "integrations: a secret, once",
    path: "/connections",
    async reach(page) {
      await integrationsOf(page);
      await page.getByRole("button", { name: "Gerar chave" }).click();
      await page.getByLabel("Nome da chave").fill("Nova");
      await page.getByRole("dialog").getByRole("button", { name: "Gerar chave" }).click();
      await page.locator("[data-secret]").waitFor();
    },
  },
  {
    name: "integrations: revoking a key",
    path: "/connections",
    async reach(page) {
      await integrationsOf(page);
      await page.getByRole("button", { name: "Revogar a chave ERP" }).click();
      await page.getByLabel("Para confirmar, digite ERP").waitFor();
    },
  },
  {
    name: "integrations: changing a key",
    path: "/connections",
    async reach(page) {
      await integrationsOf(page);
      await page.getByRole("button", { name: "Trocar a chave ERP" }).click();
      await page.getByRole("dialog").getByLabel("Nome da chave").waitFor();
    },
  },
  {
    name: "integrations: a login of the command line",
    path: () =>
      `/command-line#${new URLSearchParams({ port: "4000", state: "a".repeat(22), key: COMMAND_LINE_KEY, host: "laptop" }).toString()}`,
    reach: (page) => page.getByRole("button", { name: "Gerar chave" }).waitFor(),
  },
  {
    name: "integrations: the limits of a key and of its assistant",
    path: "/connections",
    async reach(page) {
      await integrationsOf(page);
      await page.getByRole("button", { name: "Limites da chave ERP" }).click();
      await page.getByLabel("Pode escrever para").selectOption("list");
      await page.getByLabel("Telefones e grupos").waitFor();
    },
  },
  {
    name: "integrations: a change that an assistant asks for",
    path: "/connections",
    async reach(page) {
      await page.goto(await askedBy(page));
      await page.getByRole("button", { name: "Confirmar" }).waitFor();
    },
  },
  {
    name: "integrations: a webhook whose test failed, a delivery that does not match",
    path: "/connections",
    async reach(page) {
      // Nothing listens at this address.
      await integrationsOf(page, "http://127.0.0.1:1/hook");
      await page.getByRole("button", { name: "Enviar teste" }).click();
      await page.getByText("O que enviamos").click();
      await page.getByLabel("Corpo").fill("{}");
      await page.getByRole("button", { name: "Conferir", exact: true }).click();
      await page.getByText("A entrega não confere.").waitFor();
    },
  },
];

const chatWithContact = ({ dashboard, connection }: World) =>
  `/connections/${connection}/chats/${dashboard.ready.demo.contact?.phone ?? ""}@c.us`;

const CONNECTION: readonly Screen[] = [
  {
    name: "overview",
    path: ({ connection }) => `/connections/${connection}`,
    async reach(page) {
      await page.getByText("Novas conversas no período").waitFor();
    },
  },
  {
    name: "overview: logging out",
    path: ({ connection }) => `/connections/${connection}`,
    async reach(page) {
      await page.getByRole("button", { name: "Mais ações" }).click();
      await page.getByRole("menuitem", { name: "Encerrar sessão" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "chats: the list alone",
    path: ({ connection }) => `/connections/${connection}/chats?q=nobody`,
    async reach(page) {
      await page.getByText("Nenhuma conversa com este nome ou número.").waitFor();
    },
  },
  {
    name: "chats: a new one",
    path: ({ connection }) => `/connections/${connection}/chats`,
    async reach(page) {
      await page.getByRole("button", { name: "Nova conversa" }).click();
      await page.getByLabel("Número com DDD").waitFor();
    },
  },
  {
    name: "chats: a thread, replying, with the menu of attachments",
    path: chatWithContact,
    async reach(page) {
      const text = `Olá ${Date.now()}`;
      await page.getByRole("textbox", { name: "Escreva uma mensagem" }).fill(text);
      await page.getByRole("button", { name: "Enviar", exact: true }).click();
      const message = page.getByRole("article").filter({ hasText: text });
      await message.locator("[data-status=read]").first().waitFor();
      // The contact echoes the text.
      await message.nth(1).waitFor();
      await page.getByRole("button", { name: "Anexar" }).click();
    },
  },
  {
    name: "chats: a poll",
    path: chatWithContact,
    async reach(page) {
      await page.getByRole("button", { name: "Anexar" }).click();
      await page.getByRole("menuitem", { name: "Enquete" }).click();
      await page.getByLabel("Opções").waitFor();
    },
  },
  {
    name: "chats: the call",
    path: chatWithContact,
    async reach(page) {
      await page.getByRole("button", { name: "Anexar" }).click();
      await page.getByRole("menuitem", { name: "Código para desenvolvedores" }).click();
      await page.getByRole("dialog").locator("pre").waitFor();
    },
  },
];

export const SCREENS: readonly Screen[] = [...CONNECTION, ...ENTRY, ...SHELL, ...ACCOUNT, ...SETTINGS, ...INTEGRATIONS];
