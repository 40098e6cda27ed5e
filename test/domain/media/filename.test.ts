import { expect, it } from "vitest";
import { storableFilename } from "@gateway/protocol/files.ts";

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

// An algorithm with quadratic time would not finish within the test's timeout.
it("a filename of four megabytes is shortened", () => {
  expect(storableFilename(`${"ç".repeat(4_000_000)}.pdf`)).toMatch(/^ç+\.pdf$/);
});
