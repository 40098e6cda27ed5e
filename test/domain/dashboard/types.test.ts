// What the compiler holds for the dashboard: its calls are those of the contract, its links those of the router, its words in both languages.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const FOLDER = join(ROOT, `node_modules/.cache/planted-types-${process.pid}`);

const API = `import { api } from "#root/dashboard/src/api/client.ts";`;
const LINK = `import { Link } from "@tanstack/react-router";\nimport type {} from "#root/dashboard/src/router.tsx";`;
const WORDS = `import type { Texts } from "#root/dashboard/src/texts/catalog.ts";\nconst pt = { title: "Chaves", used: (times: number) => \`\${times} vezes\` };`;

/** By what is wrong with each: the file's lines. */
const PLANTED: Readonly<Record<string, string>> = {
  route: `${API}\nvoid api("GET /connection", {});`,
  method: `${API}\nvoid api("DELETE /me", {});`,
  parameter: `${API}\nvoid api("GET /connections/{id}", { connection: 1 });`,
  "missing-parameter": `${API}\nvoid api("DELETE /connections/{id}/keys/{key_id}", { id: 1 });`,
  "body-field": `${API}\nvoid api("POST /connections", { nome: "Loja" });`,
  "body-type": `${API}\nvoid api("POST /connections/{id}/connect", { id: 1, force_new_pairing: "yes" });`,
  "answer-field": `${API}\nexport const mail = (await api("GET /me", {})).data.mail;`,
  link: `${LINK}\nexport const link = <Link to="/conections">Conexões</Link>;`,
  "link-parameter": `${LINK}\nexport const link = <Link to="/connections/$id" params={{ connection: "1" }}>Loja</Link>;`,
  "missing-word": `${WORDS}\nexport const en: Texts<typeof pt> = { title: "Keys" };`,
  "word-parameter": `${WORDS}\nexport const en: Texts<typeof pt> = { title: "Keys", used: (times: string) => times };`,
};

const RIGHT = `${API}\n${LINK}\n${WORDS}
void api("GET /connections/{id}", { id: 1 });
void api("POST /connections", { name: "Loja" });
export const email: string = (await api("GET /me", {})).data.email;
export const link = <Link to="/connections/$id" params={{ id: "1" }}>Loja</Link>;
export const en: Texts<typeof pt> = { title: "Keys", used: (times) => \`\${times} times\` };`;

let report = "";

beforeAll(() => {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, lines] of Object.entries({ ...PLANTED, right: RIGHT })) writeFileSync(join(FOLDER, `${name}.tsx`), `${lines}\n`);
  const include = ["./*.tsx", join(ROOT, "dashboard/src/main.tsx")];
  const compilerOptions = { incremental: false, tsBuildInfoFile: null, noUnusedLocals: false };
  writeFileSync(
    join(FOLDER, "tsconfig.json"),
    JSON.stringify({ extends: join(ROOT, "dashboard/tsconfig.json"), compilerOptions, include }),
  );
  const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
  try {
    report = execFileSync(process.execPath, [tsc, "-p", FOLDER, "--pretty", "false"], { cwd: ROOT, encoding: "utf8" });
  } catch (error) {
    report = (error as { stdout: string }).stdout;
  }
});
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** The errors of a planted file, by its name. */
function errorsIn(name: string): string[] {
  return report.split("\n").filter((line) => line.includes(`/${name}.tsx(`));
}

it("takes what is right", () => {
  expect(errorsIn("right")).toEqual([]);
});

it.each(Object.keys(PLANTED))("refuses a wrong %s", (name) => {
  expect(errorsIn(name)).toHaveLength(1);
});
