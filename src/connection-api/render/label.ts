import type { z } from "zod";
import { colorHex } from "../../domain/colors.ts";
import type { LabelRecord } from "../../protocol/records.ts";
import type { Label } from "../schemas/label.ts";

export function renderLabel({ label_id, name, color, predefined, chats_count }: LabelRecord): z.input<typeof Label> {
  return { label_id, name, color, color_hex: colorHex(color), predefined, chats_count };
}
