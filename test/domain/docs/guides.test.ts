// The guides of the documentation: one file per topic in each language, with the same headings and the same code.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SOURCES = fileURLToPath(new URL("../../../src", import.meta.url));
const GUIDES = join(SOURCES, "docs/guides");
const APIS = ["connection", "account"];

const filesOf = (language: string, api: string) => globSync("*", { cwd: join(GUIDES, language, api) }).toSorted();
const FILES = APIS.flatMap((api) => filesOf("en", api).map((name) => `${api}/${name}`));

const read = (language: string, file: string) => readFileSync(join(GUIDES, language, file), "utf8");
const codeOf = (text: string) => text.match(/^```[\s\S]*?^```$/gm) ?? [];
const withoutCode = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, "");
/** The levels of the headings, in their order. */
const outlineOf = (text: string) => (withoutCode(text).match(/^#+(?= )/gm) ?? []).map((marks) => marks.length);
const marksOf = (text: string) => (text.match(/\{\{\w+\}\}/g) ?? []).toSorted();

describe.each(FILES)("the guide %s", (file) => {
  const [english, portuguese] = [read("en", file), read("pt", file)];

  it("is the same in both languages but for its words", () => {
    expect(outlineOf(portuguese)).toEqual(outlineOf(english));
    expect(codeOf(portuguese)).toEqual(codeOf(english));
    expect(marksOf(portuguese)).toEqual(marksOf(english));
    expect(portuguese).not.toBe(english);
  });

  it("starts with its title", () => {
    for (const text of [english, portuguese]) expect(text).toMatch(/^## \S/);
  });
});

describe("the guides", () => {
  it.each(APIS)("of the %s API are shown in the order of their file names", (api) => {
    const list = readFileSync(join(SOURCES, `${api}-api/docs/guides.ts`), "utf8");
    for (const language of ["en", "pt"]) {
      const imported = [...list.matchAll(/"\.\.\/\.\.\/docs\/guides\/(\w+)\/\w+\/([^"]+)"/g)]
        .filter((match) => match[1] === language)
        .map((match) => match[2]);
      expect(imported).toEqual(filesOf(language, api));
      expect(filesOf(language, api)).toEqual(filesOf("en", api));
    }
  });
});
