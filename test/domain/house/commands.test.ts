// Every command must be tested through the bridge against the test network.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { COMMANDS } from "@gateway/protocol/commands.ts";

const BRIDGE_TESTS = fileURLToPath(new URL("../../bridge/", import.meta.url));

/** Implemented by the driver itself, or tested by a journey with a phone that has history. */
const SEEN_ELSEWHERE = {
  send: "test/bridge/messages",
  recall: "test/bridge/messages/failures.test.ts",
  "chats.history": "test/journey/features/account.test.ts",
} as const;

it("every command of the contract is named by a test of the bridge", () => {
  const tests = globSync("**/*.test.ts", { cwd: BRIDGE_TESTS }).map((name) => readFileSync(`${BRIDGE_TESTS}${name}`, "utf8"));
  const untested = Object.keys(COMMANDS).filter(
    (name) => !Object.hasOwn(SEEN_ELSEWHERE, name) && !tests.some((test) => test.includes(`"${name}"`)),
  );
  expect(untested).toEqual([]);
});
