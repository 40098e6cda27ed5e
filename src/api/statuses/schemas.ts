import { says } from "../../http/openapi/text.ts";
import { z } from "@hono/zod-openapi";
import { problem } from "../../http/problems.ts";
import { phone } from "../fields.ts";

export const recipients = z
  .array(phone)
  .min(1)
  .max(2_000)
  .nullish()
  .openapi(
    says({
      en: "Who may see it; without the field, all saved contacts (up to 2,000)",
      pt: "Quem pode ver; sem o campo, todos os contatos salvos (até 2.000)",
    }),
  );

const COLOR = /^#[0-9a-fA-F]{6}$/;

export const backgroundColor = z
  .string()
  .refine((given) => COLOR.test(given), problem("no_color"))
  .openapi({ pattern: COLOR.source, example: "#1F7A5C" });
