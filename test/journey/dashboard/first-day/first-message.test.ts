// A new user's first message without reading any documentation: dashboard and phone side by side, using only visible elements.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { useDashboard } from "#root/test/support/dashboard/dashboard.ts";

const PHONE = "5511944000001";

const dashboard = useDashboard();

/** Passes a screenshot of the dashboard's QR code to the phone's camera. */
async function pointCameraAt(screen: Page, phone: Page): Promise<void> {
  const shown = screen.getByRole("img", { name: /QR code/ });
  await shown.evaluate((image: HTMLImageElement) => image.decode());
  const buffer = await shown.screenshot();
  await phone.getByLabel("Escolher imagem do QR code").setInputFiles({ name: "camera.png", mimeType: "image/png", buffer });
}

it("the first message is sent with only what the two screens show", async () => {
  const { page: phone, trouble } = await dashboard().visit(null, { as: null });
  // The phone belongs to the local network, not to the gateway.
  trouble.expect(/^asked for/);
  await phone.goto(dashboard().ready.network_url ?? "");
  await phone.getByRole("button", { name: "Novo celular" }).click();
  await phone.getByLabel("Número").fill(PHONE);
  await phone.getByLabel("Nome", { exact: true }).fill("Loja Centro");
  await phone.getByRole("button", { name: "Adicionar" }).click();
  await phone.getByRole("region", { name: "Celular de Loja Centro" }).waitFor();
  await phone.getByRole("link", { name: "Dispositivos", exact: true }).click();
  await phone.getByRole("link", { name: "Conectar dispositivo" }).click();

  const { page } = await dashboard().visit(null, { as: null });
  const steps: string[] = [];
  const startedAt = performance.now();
  const step = (name: string) => steps.push(`${name} ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  await page.goto("/");
  await page.getByLabel("E-mail").fill(dashboard().ready.demo.email);
  await page.getByLabel("Senha", { exact: true }).fill(dashboard().ready.demo.password);
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  await page.getByRole("button", { name: "Nova conexão" }).click();
  step("signed in");
  await page.getByLabel("Nome da conexão").fill("Loja Centro");
  await page.getByRole("button", { name: "Criar e parear" }).click();
  await page.getByRole("img", { name: /QR code/ }).waitFor();
  step("QR code");
  await pointCameraAt(page, phone);
  await page.getByRole("heading", { level: 1, name: "Loja Centro" }).waitFor();
  step("connected");
  await page.getByRole("button", { name: "Conversar por aqui" }).click();
  await page.locator("[data-step=connected]").getByText("feito").waitFor();
  await page.getByRole("link", { name: "Conversas", exact: true }).click();
  await page.getByRole("button", { name: "Nova conversa" }).click();
  await page.getByLabel("Número com DDD").fill("+55 11 90000-0002");
  await page.getByRole("button", { name: "Verificar e abrir" }).click();
  await page.getByRole("textbox", { name: "Escreva uma mensagem" }).fill("Olá, é a primeira!");
  await page.getByRole("button", { name: "Enviar", exact: true }).click();
  await page.getByRole("article").filter({ hasText: "pelo painel" }).waitFor();
  step("sent");
  // The contact reads it and echoes the text.
  await expect.poll(() => page.getByRole("article").filter({ hasText: "Olá, é a primeira!" }).count()).toBe(2);
  step("answered");
  console.info(`first message: ${steps.join(", ")}`);
});
