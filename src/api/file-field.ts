// A file in a body, as its bytes or its URL (docs/use/apis.md, "Sending").
import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import type { FileRule } from "@gateway/domain/media/file-rules.ts";
import { InlineFile } from "#root/src/http/body/file-extractor.ts";
import { problem } from "#root/src/http/problems.ts";
import type { GivenFile } from "#root/src/services/media/given-file.ts";

const inlineFile = z
  .custom<InlineFile>((given) => given instanceof InlineFile, problem("not_base64"))
  .refine((file) => !file.isDataUrl, problem("data_url"))
  .refine((file) => file.isDataUrl || file.bytes !== null, problem("bad_base64"))
  .refine((file) => file.bytes === null || file.size > 0, problem("empty_file"))
  .openapi({
    type: "string",
    format: "byte",
    ...says({
      en: "The content of the file, without a `data:` prefix; the whole body may have 25 MB",
      pt: "O conteúdo do arquivo, sem o prefixo `data:`; o corpo inteiro pode ter até 25 MB",
    }),
  });

const MIMETYPE = /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}([ \t]*;[ \t]*[\w-]+=("[ !#-[\]-~]*"|[\w!#$&^.+-]+))*$/;

const mimetype = z
  .string()
  .max(100)
  .refine((given) => MIMETYPE.test(given), problem("not_a_media_type"))
  .openapi({ example: "image/jpeg", pattern: MIMETYPE.source });

const fields = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(2048)
    .nullish()
    .openapi({
      example: "https://example.com/foto.jpg",
      ...says({
        en: "Public https; up to 50 MB in 30 seconds, up to 3 redirects",
        pt: "https público; até 50 MB em 30 segundos, até 3 redirecionamentos",
      }),
    }),
  base64: inlineFile.nullish(),
  mimetype: mimetype.nullish(),
  filename: z
    .string()
    .min(1)
    .max(255)
    .refine((given) => /^\P{Cc}*$/u.test(given), problem("control_characters"))
    .nullish(),
});

type Media = z.output<typeof fields>;

const file = fields.superRefine(({ url, base64 }, context) => {
  if (((url ?? null) === null) === ((base64 ?? null) === null)) {
    context.addIssue({ code: "custom", path: ["url"], input: url, ...problem("one_source") });
  }
});

const oneSource = {
  oneOf: [
    {
      required: ["url"],
      properties: { url: { type: "string" as const, ...says({ en: "The address of the file", pt: "O endereço do arquivo" }) } },
    },
    {
      required: ["base64"],
      properties: { base64: { type: "string" as const, ...says({ en: "The content of the file", pt: "O conteúdo do arquivo" }) } },
    },
  ],
};

export const media = file.openapi("File", oneSource);

/** A document needs a file name, because the recipient sees it. */
export const namedMedia = file
  .refine(({ filename }) => (filename ?? null) !== null, { path: ["filename"], ...problem("filename_missing") })
  .openapi("DocumentFile", { ...oneSource, required: ["filename"] });

/** Input for `RequestFiles.add`. The rule decides which files the route accepts. */
export function givenFile({ url, base64, mimetype: said, filename }: Media, rule: FileRule): GivenFile {
  return {
    source: base64 === null || base64 === undefined ? { url: url ?? "" } : { bytes: base64.bytes ?? [] },
    mimetype: said ?? null,
    filename: filename ?? null,
    rule,
  };
}
