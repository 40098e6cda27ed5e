// Labels in answers and requests of the Connection API.
import { z } from "@hono/zod-openapi";
import { colorHex, colorOfHex } from "../../domain/colors.ts";
import type { LabelRecord } from "../../protocol/records.ts";
import { EXAMPLE } from "../example-values.ts";
import { text } from "../fields.ts";

export const labelId = z.string().min(1).max(64).openapi({ example: EXAMPLE.label });

export const Label = z
  .object({
    label_id: z.string(),
    name: z.string(),
    color: z.number().int().openapi({ description: "0 to 19" }),
    color_hex: z.string().nullable(),
    predefined: z.boolean(),
    chats_count: z.number().int(),
  })
  .openapi("Label");

const colors = {
  color: z.number().int().min(0).max(19).nullish(),
  color_hex: z
    .string()
    .refine((hex) => colorOfHex(hex) !== null, { error: "não é uma das 20 cores da rede" })
    .nullish()
    .openapi({ example: "#64c4ff", description: "One of the network's 20 colours, instead of color" }),
};

type Colors = { color?: number | null | undefined; color_hex?: string | null | undefined };

const oneColor = ({ color, color_hex }: Colors): boolean => (color ?? null) === null || (color_hex ?? null) === null;
const ONE_COLOR = { path: ["color_hex"], error: "informe color ou color_hex, não os dois" };

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
  .refine((body) => [body.name, body.color, body.color_hex].some((value) => value !== undefined && value !== null), {
    error: "deve ter ao menos um campo",
  })
  .openapi({ ...notBoth, minProperties: 1 });

/** The requested colour as the network numbers it; null when the request names none. */
export function wantedColor({ color, color_hex }: Colors): number | null {
  return color ?? (color_hex === undefined || color_hex === null ? null : colorOfHex(color_hex));
}

export function renderLabel({ label_id, name, color, predefined, chats_count }: LabelRecord): z.input<typeof Label> {
  return { label_id, name, color, color_hex: colorHex(color), predefined, chats_count };
}
