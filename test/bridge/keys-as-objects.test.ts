import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const FILE = fileURLToPath(new URL("../../session-bridge/process/keys-as-objects.ts", import.meta.url));

/** Digests computed by a new process with every kind of key, and the key type passed to Node each time. */
function report(install: boolean): { digests: string[]; handed: string[] } {
  const script = `
    import crypto, { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
    const handed = [];
    for (const name of ["createHmac", "createCipheriv", "createDecipheriv"]) {
      const original = crypto[name];
      crypto[name] = (algorithm, key, ...rest) => (handed.push(key.constructor.name), original(algorithm, key, ...rest));
    }
    (await import("node:module")).syncBuiltinESMExports();
    ${install ? `const { keysAsObjects } = await import(${JSON.stringify(FILE)}); keysAsObjects(); keysAsObjects();` : ""}
    const key = Buffer.alloc(32, 7);
    const hmac = (key, bytes = "text") => createHmac("sha256", key).update(bytes).digest("hex");
    const cipher = createCipheriv("aes-256-gcm", key, Buffer.alloc(12));
    const sealed = cipher.update("text", "utf8", "hex") + cipher.final("hex") + cipher.getAuthTag().toString("hex");
    const decipher = createDecipheriv("aes-256-cbc", new Uint8Array(32), Buffer.alloc(16));
    decipher.setAutoPadding(false);
    const opened = decipher.update(Buffer.alloc(16), undefined, "hex") + decipher.final("hex");
    const digests = [
      hmac(key), hmac(new Uint8Array(key)), hmac(Buffer.alloc(0)), hmac("a string"), hmac(crypto.createSecretKey(key)),
      crypto.createHmac("sha256", key).update("text").digest("hex"), sealed, opened,
    ];
    console.log(JSON.stringify({ digests, handed }));
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as { digests: string[]; handed: string[] };
}

describe("keys given as bytes", () => {
  const plain = report(false);
  const wrapped = report(true);

  it("yield the same digests and ciphertexts as before", () => {
    expect(wrapped.digests).toEqual(plain.digests);
  });

  it("reach Node as key objects, under every name of the function", () => {
    expect(plain.handed.filter((kind) => kind !== "String")).toEqual(expect.arrayContaining(["Buffer", "Uint8Array"]));
    expect(new Set(wrapped.handed)).toEqual(new Set(["SecretKeyObject", "String"]));
  });
});
