// A file in a body of the Connection API (docs/apis.md, "Sending"): its bytes, or where they are.
import { z } from "@hono/zod-openapi";
import type { FileRule } from "../domain/media/file-rules.ts";
import { InlineFile } from "../http/body/inline-file.ts";
import type { GivenFile } from "../services/media/given-file.ts";

const inlineFile = z
  .instanceof(InlineFile, { error: "deve ser base64" })
  .refine((file) => !file.isDataUrl, { error: "mande só o conteúdo em base64, sem o prefixo data:…;base64," })
  .refine((file) => file.isDataUrl || file.bytes !== null, { error: "deve ser base64 (alfabeto padrão, com preenchimento)" })
  .refine((file) => file.bytes === null || file.size > 0, { error: "não pode ser vazio" })
  .openapi({
    type: "string",
    format: "byte",
    description: "The content of the file, without a `data:` prefix; the whole body is at most 25 MB",
  });

const mimetype = z
  .string()
  .max(100)
  .regex(/^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}([ \t]*;[ \t]*[\w-]+=("[ !#-[\]-~]*"|[\w!#$&^.+-]+))*$/, {
    error: "deve ser um tipo de mídia, como image/png",
  })
  .openapi({ example: "image/jpeg" });

const fields = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(2048)
    .nullish()
    .openapi({ example: "https://example.com/foto.jpg", description: "Public https; up to 50 MB in 30 seconds, up to 3 redirects" }),
  base64: inlineFile.nullish(),
  mimetype: mimetype.nullish(),
  filename: z
    .string()
    .min(1)
    .max(255)
    .regex(/^\P{Cc}*$/u, { error: "não pode ter caracteres de controle" })
    .nullish(),
});

type Media = z.output<typeof fields>;

/** Exactly one of `url` and `base64`. */
const file = fields.superRefine(({ url, base64 }, context) => {
  if (((url ?? null) === null) === ((base64 ?? null) === null)) {
    context.addIssue({ code: "custom", path: ["url"], message: "informe exatamente um dos dois: url ou base64", input: url });
  }
});

const text = { type: "string" } as const;
const oneSource = {
  oneOf: [
    { required: ["url"], properties: { url: text } },
    { required: ["base64"], properties: { base64: text } },
  ],
};

export const media = file.openapi("File", oneSource);

/** With the name that the receiver sees. */
export const namedMedia = file
  .refine(({ filename }) => (filename ?? null) !== null, { path: ["filename"], error: "é obrigatório em documentos" })
  .openapi("DocumentFile", { ...oneSource, required: ["filename"] });

/** For `RequestFiles.add`; the rule says which files the route takes. */
export function givenFile({ url, base64, mimetype: said, filename }: Media, rule: FileRule): GivenFile {
  return {
    source: base64 === null || base64 === undefined ? { url: url ?? "" } : { bytes: base64.bytes ?? [] },
    mimetype: said ?? null,
    filename: filename ?? null,
    rule,
  };
}
