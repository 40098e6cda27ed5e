import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const FILTER = fileURLToPath(new URL("../../session-bridge/process/quiet-console.ts", import.meta.url));
const CWD = fileURLToPath(new URL("../../session-bridge/", import.meta.url));

/** The output of a process that closes a Signal session, which makes libsignal print the session. */
function printed(install: string): string {
  const script = `
    ${install}
    const { default: { SessionRecord } } = await import("libsignal");
    const session = { indexInfo: { closed: -1, baseKey: Buffer.from("secret base key") }, currentRatchet: { rootKey: Buffer.from("secret root key") } };
    new SessionRecord().closeSession(session);
    console.info("an ordinary line");
  `;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: CWD, encoding: "utf8" });
  return stdout + stderr;
}

describe("the console of a process with libsignal", () => {
  it("prints whole sessions without the filter", () => {
    expect(printed("")).toContain("Closing session");
  });

  it("drops what libsignal prints and nothing else", () => {
    expect(printed(`const { quietConsole } = await import(${JSON.stringify(FILTER)}); quietConsole(); quietConsole();`)).toBe(
      "an ordinary line\n",
    );
  });
});
