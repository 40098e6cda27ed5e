import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { colorHex } from "@gateway/domain/colors.ts";
import type { LabelRecord } from "@gateway/protocol/records.ts";
import { view } from "../answers.ts";

const Label = z
  .object({
    label_id: z.string(),
    name: z.string(),
    color: z
      .number()
      .int()
      .openapi(says({ en: "0 to 19", pt: "0 a 19" })),
    color_hex: z.string().nullable(),
    predefined: z.boolean(),
    chats_count: z.number().int(),
  })
  .openapi("Label");

export const label = view(Label, ({ label_id, name, color, predefined, chats_count }: LabelRecord) => ({
  label_id,
  name,
  color,
  color_hex: colorHex(color),
  predefined,
  chats_count,
}));
