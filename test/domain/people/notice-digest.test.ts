import { expect, it } from "vitest";
import { digestOf } from "@gateway/domain/people/notice-digest.ts";

const notices = (count: number) => Array.from({ length: count }, (_, n) => ({ subject: `Subject ${n}`, text: `Text ${n}` }));
const digest = (count: number) => digestOf(notices(count), "https://app.example.com");

it("a single notice is emailed unchanged", () => {
  expect(digest(1)).toEqual({ subject: "Subject 0", text: "Text 0" });
});

it("a few notices are quoted in full", () => {
  expect(digest(3).subject).toBe("3 avisos sobre suas conexões / 3 notices about your connections");
  for (const part of ["Subject 0\n\nText 0", "Subject 2\n\nText 2"]) expect(digest(3).text).toContain(part);
});

it("many notices are listed, with a link to read more", () => {
  const { text } = digest(60);
  expect(text.match(/^- Subject \d+$/gm)).toHaveLength(50);
  expect(text).toContain("\n+ 10\n");
  expect(text).toContain("https://app.example.com");
  expect(text).not.toContain("Text 0");
});
