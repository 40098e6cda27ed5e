// Contents of the bridge's image. Wrangler passes the Dockerfile through standard input, so the root's ignore file is the only one that
// both it and `docker build` read.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const dockerfile = readFileSync(join(ROOT, "session-bridge/Dockerfile"), "utf8");
const ignored = readFileSync(join(ROOT, ".dockerignore"), "utf8").trim().split("\n");
const copied = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, sources = ""]) => sources.split(" "));

describe("the bridge's image", () => {
  it("is built from listed files only: no state, no secrets, no simulated phones", () => {
    expect(ignored[0]).toBe("*");
    const named = ignored.filter((line) => line.startsWith("!")).map((line) => line.slice(1));
    expect(named.toSorted()).toEqual(["package-lock.json", "package.json", "session-bridge", "src/protocol", "src/tracing"]);
    expect(ignored).toContain("**/node_modules");
  });

  it.each(copied)("copies %s, which exists and is not ignored", (source) => {
    expect(existsSync(join(ROOT, source))).toBe(true);
    expect(ignored.some((line) => line.startsWith("!") && `${source}/`.startsWith(`${line.slice(1)}/`))).toBe(true);
  });

  it("contains everything that the bridge imports", () => {
    const missing = sources("session-bridge").flatMap((file) =>
      [...readFileSync(join(ROOT, file), "utf8").matchAll(/from "((?:\.|@gateway\/)[^"]+)"/g)]
        .map(([, path = ""]) => (path.startsWith(".") ? relative(ROOT, join(ROOT, dirname(file), path)) : path.replace("@gateway", "src")))
        .filter((path) => !copied.some((source) => path.startsWith(`${source}/`)))
        .map((path) => `${file} imports ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it("is based on the exact version of Node that everything else runs on", () => {
    const { devDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { devDependencies: { node: string } };
    expect(dockerfile.match(/^ARG NODE_IMAGE=(.*)$/m)?.[1]).toMatch(
      new RegExp(`^node:${devDependencies.node}-[a-z]+-slim(@sha256:[0-9a-f]{64})?$`),
    );
    expect(dockerfile.match(/^FROM .*$/gm)).toEqual(["FROM ${NODE_IMAGE}"]);
  });

  it("does not run as root", () => {
    expect(dockerfile).toMatch(/^USER node$/m);
    expect(dockerfile.indexOf("USER node")).toBeLessThan(dockerfile.indexOf("CMD ["));
  });
});

/** The folder's own source files. */
function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    // Another test creates temporary folders.
    if (entry.isDirectory()) return entry.name === "node_modules" || entry.name.startsWith("planted-") ? [] : sources(path);
    return path.endsWith(".ts") ? [path] : [];
  });
}
