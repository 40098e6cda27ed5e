import { says } from "#root/src/http/openapi/documentation.ts";
import * as z from "#root/src/http/openapi/zod.ts";
import { colorHex, colorOfHex } from "@gateway/domain/colors.ts";
import type { LabelRecord } from "@gateway/protocol/records.ts";
import { view } from "../responses.ts";
import { problem } from "#root/src/http/problems.ts";
import { EXAMPLE } from "../example-values.ts";
import { text } from "../fields.ts";

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

export const labelId = z.string().min(1).max(64).openapi({ example: EXAMPLE.label });

const colors = {
  color: z.number().int().min(0).max(19).nullish(),
  color_hex: z
    .string()
    .refine((hex) => colorOfHex(hex) !== null, problem("not_a_label_color"))
    .nullish()
    .openapi({
      example: "#64c4ff",
      ...says({ en: "One of WhatsApp's 20 colours, instead of color", pt: "Uma das 20 cores do WhatsApp, no lugar de color" }),
    }),
};

type Colors = { color?: number | null | undefined; color_hex?: string | null | undefined };

const oneColor = ({ color, color_hex }: Colors): boolean => (color ?? null) === null || (color_hex ?? null) === null;
const ONE_COLOR = { path: ["color_hex"], ...problem("one_color") };

const notBoth = {
  not: { required: ["color", "color_hex"], properties: { color: { type: "integer" as const }, color_hex: { type: "string" as const } } },
};

export const newLabelBody = z
  .strictObject({ name: text(100), ...colors })
  .refine(oneColor, ONE_COLOR)
  .openapi(notBoth);
export const labelBody = z
  .strictObject({ name: text(100).nullish(), ...colors })
  .refine(oneColor, ONE_COLOR)
  .refine((body) => [body.name, body.color, body.color_hex].some((value) => value !== undefined && value !== null), problem("empty_change"))
  .openapi({ ...notBoth, minProperties: 1 });

/** Returns the network's number for the color, or null if the caller gave none. */
export function wantedColor({ color, color_hex }: Colors): number | null {
  return color ?? (color_hex === undefined || color_hex === null ? null : colorOfHex(color_hex));
}

/** Lists both failures, because the account type is unknown until the first connection. */
export const READ_FAILURES = ["business_account_required", "instance_not_connected"] as const;
