// Both languages of the documentation: English texts in the code, Portuguese ones in a catalogue per surface.
import { describe, expect, it } from "vitest";
import { accountDocument, accountSurface } from "#root/src/api/docs/account/document.ts";
import { FAMILIES } from "#root/src/api/account/routes.ts";
import { connectionDocument, connectionSurface } from "#root/src/api/docs/connection/document.ts";
import { SHARED_TEXTS } from "#root/src/api/docs/shared/portuguese.ts";
import { portugueseOf } from "#root/src/http/openapi/document.ts";
import { proseOf, translated } from "#root/src/http/openapi/translate.ts";

const APP = "https://app.example.com";
const BASE = "https://api.example.com";

const SURFACES = {
  connection: {
    surface: connectionSurface(APP),
    english: connectionDocument(APP, "en"),
    portuguese: connectionDocument(APP, "pt"),
  },
  account: {
    surface: accountSurface(BASE, FAMILIES),
    english: accountDocument(BASE, FAMILIES, "en"),
    portuguese: accountDocument(BASE, FAMILIES, "pt"),
  },
};

describe.each(Object.entries(SURFACES))("the %s document", (_, { surface, english, portuguese }) => {
  it("has a translation for every text, and no translation of anything else", () => {
    const texts = proseOf(english);
    const catalogue = portugueseOf(surface);
    expect([...texts].filter((text) => !Object.hasOwn(catalogue, text))).toEqual([]);
    const own = Object.keys(surface.portuguese).filter((text) => !Object.hasOwn(SHARED_TEXTS, text));
    expect(own.filter((text) => !texts.has(text))).toEqual([]);
  });

  it("differs between the languages in its texts alone", () => {
    const withoutTexts = (document: typeof english) => {
      const { info, ...rest } = document;
      return translated({ info: { ...info, description: "", "x-language": "" }, ...rest }, textless(document));
    };
    expect(withoutTexts(portuguese)).toEqual(withoutTexts(english));
    expect([english.info["x-language"], portuguese.info["x-language"]]).toEqual(["en", "pt-BR"]);
  });

  it("is written in English without accents, apart from names", () => {
    expect([...proseOf(english)].filter((text) => /[ãõçáéíóúâêô]/iu.test(text))).toEqual([]);
  });
});

it("what both APIs share has no translation that neither needs", () => {
  const texts = new Set(Object.values(SURFACES).flatMap(({ english }) => [...proseOf(english)]));
  expect(Object.keys(SHARED_TEXTS).filter((text) => !texts.has(text))).toEqual([]);
});

/** A catalogue that takes every text away. */
function textless(document: { info: { title: string } }): Record<string, string> {
  return Object.fromEntries([...proseOf(document)].map((text) => [text, ""]));
}

describe("translated", () => {
  const info = { title: "Title" };

  it("translates prose wherever it stands", () => {
    const document = { info, tags: [{ name: "a", description: "b" }], components: { schemas: { X: { description: "b" } } } };
    expect(translated(document, { Title: "Título", b: "c", a: "never" })).toEqual({
      info: { title: "Título" },
      tags: [{ name: "a", description: "c" }],
      components: { schemas: { X: { description: "c" } } },
    });
  });

  it("leaves data alone, and fields that are called like prose", () => {
    const schema = { properties: { description: { type: "string", description: "b", default: "b" }, example: { description: "b" } } };
    const document = { info, components: { schemas: { summary: schema } }, x: { example: { description: "b" } } };
    expect(translated(document, { b: "c" })).toEqual({
      info,
      components: {
        schemas: {
          summary: { properties: { description: { type: "string", description: "c", default: "b" }, example: { description: "c" } } },
        },
      },
      x: { example: { description: "b" } },
    });
  });
});
