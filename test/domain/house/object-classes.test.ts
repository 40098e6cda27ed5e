// `wrangler rollback` is refused past a migration of object classes, so the first migration contains all classes. The platform enables
// containers for a class only in the upload that creates it (cloudflare/workers-sdk #14614).
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";

const pathOf = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
type Config = {
  migrations: { tag: string; new_sqlite_classes?: string[] }[];
  durable_objects: { bindings: { name: string; class_name: string }[] };
  containers: { class_name: string; image: string; constraints?: { regions?: string[] } }[];
};
const read = (env?: string) =>
  unstable_readConfig({ config: pathOf("wrangler.toml"), ...(env && { env }) }, { hideWarnings: true }) as unknown as Config;

/** Names exported by a module: `A` and `B` of `export { A, B } from "…"` and of `export class A`. */
function exportedBy(module: string): string[] {
  const source = readFileSync(pathOf(module), "utf8");
  const lists = [...source.matchAll(/^export \{([^}]+)\}/gm)].flatMap(([, names = ""]) => names.split(","));
  const classes = [...source.matchAll(/^export class (\w+)/gm)].map(([, name = ""]) => name);
  return [...lists, ...classes]
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .toSorted();
}
const containerClasses = exportedBy("durable-objects/bridge-container.ts");

describe.each([["production"], ["staging"]])("the object classes of %s", (environment) => {
  const { migrations, durable_objects, containers } = read(environment === "production" ? undefined : environment);

  it("all stand in the first migration, which is the only one", () => {
    expect(migrations.map(({ tag, ...changes }) => [tag, Object.keys(changes)])).toEqual([["v1", ["new_sqlite_classes"]]]);
    expect(migrations[0]?.new_sqlite_classes?.toSorted()).toEqual(exportedBy("src/worker.ts"));
  });

  it("have a binding each", () => {
    expect(durable_objects.bindings.map(({ class_name }) => class_name).toSorted()).toEqual(exportedBy("src/worker.ts"));
  });

  it("have containers in the region of their name, if they are of containers", () => {
    expect(containers.map(({ class_name }) => class_name).toSorted()).toEqual(containerClasses);
    expect(new Set(containers.map(({ image }) => image)).size).toBe(1);
    for (const { class_name, constraints } of containers.filter((each) => each.class_name !== "BridgeContainer")) {
      expect(constraints).toEqual({ regions: [class_name.replace("BridgeContainer", "").toUpperCase()] });
    }
  });
});

it("the workers of the sandbox and for moves export the classes of production", () => {
  expect(exportedBy("src/sandbox/worker.ts")).toEqual(exportedBy("src/worker.ts"));
  expect(exportedBy("src/moving/worker.ts")).toEqual(exportedBy("src/worker.ts"));
  expect(exportedBy("src/worker.ts")).toEqual(expect.arrayContaining(containerClasses));
});
