// Error messages for invalid fields.
import { expect, it } from "vitest";
import * as z from "zod";
import { ENGLISH_FIELDS, PORTUGUESE_FIELDS } from "#root/src/http/field-errors.ts";

const wrong: [string, z.ZodType, unknown, string, string][] = [
  ["an empty text", z.string().min(1), "", "must not be empty", "não pode ficar vazio"],
  ["a short text", z.string().min(10), "abc", "must have at least 10 characters", "deve ter no mínimo 10 caracteres"],
  ["a long text", z.string().max(2), "abc", "must have at most 2 characters", "deve ter no máximo 2 caracteres"],
  ["an empty list", z.array(z.string()).min(1), [], "must have at least one item", "deve ter ao menos um item"],
  ["a long list", z.array(z.string()).max(1), ["a", "b"], "must have at most 1 items", "deve ter no máximo 1 itens"],
  ["a small number", z.number().min(3), 2, "must be at least 3", "deve ser no mínimo 3"],
  ["a large number", z.number().max(3), 4, "must be at most 3", "deve ser no máximo 3"],
  [
    "a word of no list",
    z.enum(["operator", "viewer"]),
    "owner",
    "must be one of: operator, viewer",
    "deve ser um destes: operator, viewer",
  ],
  ["no email address", z.email(), "ana", "is not an email address", "não é um endereço de e-mail"],
  ["another type", z.boolean(), "yes", "must be true or false", "deve ser true ou false"],
  ["nothing", z.string(), undefined, "is required", "é obrigatório"],
];

it.each(wrong)("error messages name %s", (_, schema, value, english, portuguese) => {
  const issues = [ENGLISH_FIELDS, PORTUGUESE_FIELDS].map((wording) =>
    schema.safeParse(value, wording).error?.issues.map(({ message }) => message),
  );
  expect(issues).toEqual([[english], [portuguese]]);
});

it("error messages name an unknown field", () => {
  const issues = [ENGLISH_FIELDS, PORTUGUESE_FIELDS].map(
    (wording) => z.strictObject({}).safeParse({ a: 1 }, wording).error?.issues[0]?.message,
  );
  expect(issues).toEqual(["is not a known field", "campo desconhecido"]);
});
