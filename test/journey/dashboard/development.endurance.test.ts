// `npm run dev -w dashboard`: a developer's change shows immediately, against a running sandbox.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "#root/server/ports.ts";
import { useDashboard } from "../../support/dashboard/dashboard.ts";
import { eventually } from "../../support/eventually.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const COPIED = [
  "dashboard",
  "src/api/dashboard/contract",
  "src/domain",
  "src/protocol",
  "src/guides/snippets/connection",
  "package.json",
  "tsconfig.base.json",
];
const STARTED_WITHIN_MS = 120_000;

const dashboard = useDashboard();
let copy: string;
let server: ChildProcess;
let url: string;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), "gateway-development-"));
  const isOwn = (file: string) => !/\/(dist|node_modules|planted-\w+)(\/|$)/.test(file.slice(ROOT.length - 1));
  for (const name of COPIED) cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter: isOwn });
  for (const name of ["node_modules", "dashboard/node_modules"]) symlinkSync(join(ROOT, name), join(copy, name));
  const port = await freePort(0);
  url = `http://127.0.0.1:${port}`;
  const vite = join(ROOT, "node_modules/vite/bin/vite.js");
  server = spawn(process.execPath, [vite, "--host", "127.0.0.1", "--port", String(port), "--strictPort"], {
    cwd: join(copy, "dashboard"),
    env: { ...process.env, GATEWAY: dashboard().url, NODE_ENV: "development" },
    stdio: "ignore",
  });
  await eventually("the development server answers", STARTED_WITHIN_MS, () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
});
afterAll(async () => {
  if (server.exitCode === null) {
    const gone = once(server, "exit");
    server.kill();
    await gone;
  }
  rmSync(copy, { recursive: true, force: true });
});

it("the development server shows a changed page without a reload, and signs in through the sandbox", async () => {
  const { page, trouble } = await dashboard().visit(null, { as: null });
  // The copy's packages link to a folder outside the development server's allowed paths, so fonts are refused.
  trouble.expect(/asked for/, /403.*fontsource/);
  // After this line the page receives changes.
  const connected = page.waitForEvent("console", (line) => line.text().includes("[vite] connected"));
  await page.goto(`${url}/sign-in`);
  await connected;
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.evaluate(() => Object.assign(globalThis, { before: true }));
  const { email, password } = dashboard().ready.demo;
  await page.getByLabel("E-mail").fill(email);

  const source = join(copy, "dashboard/src/pages/sign-in/sign-in.tsx");
  writeFileSync(source, readFileSync(source, "utf8").replace("title={texts.signInTo}", 'title="Bem-vindo de volta"'));
  await page.getByRole("heading", { name: "Bem-vindo de volta" }).waitFor();
  expect(await page.evaluate(() => "before" in globalThis)).toBe(true);

  await page.getByLabel("Senha", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Entrar", exact: true }).click();
  await page.waitForURL(`${url}/connections`);
});
