import { expect, it } from "vitest";
import { storableFilename } from "../../../src/protocol/files/filename.ts";

it("a long filename is truncated before its extension, between characters", () => {
  const short = storableFilename(`${"ç😀".repeat(1_000)}.docx`);
  expect(encodeURIComponent(short).length).toBeLessThanOrEqual(1_500);
  expect(short.endsWith(".docx")).toBe(true);
});

it.each([
  ["nota.pdf", "nota.pdf"],
  ["\ud83d.txt", "\ufffd.txt"],
  ["a\r\nSet-Cookie: b\u0000.txt", "aSet-Cookie: b.txt"],
  ["foto\u202egpj.exe", "fotogpj.exe"],
  ["a\u2028b\u2029.txt", "ab.txt"],
  ["família 👨‍👩‍👧.png", "família 👨‍👩‍👧.png"],
])("the filename %j is stored as %j", (name, stored) => {
  expect(storableFilename(name)).toBe(stored);
});

it("a filename of a megabyte is shortened in no time", () => {
  const startedAt = performance.now();
  expect(storableFilename(`${"ç".repeat(1_000_000)}.pdf`)).toMatch(/^ç+\.pdf$/);
  expect(performance.now() - startedAt).toBeLessThan(500);
});
