import * as z from "#root/src/http/openapi/zod.ts";
import { hexOf } from "@gateway/domain/colors.ts";
import { iso } from "../../http/fields.ts";
import { isoOfMs } from "../../http/times.ts";
import type { StoredMedia } from "@gateway/protocol/message.ts";
import type { StatusPostRecord } from "@gateway/protocol/records.ts";
import { type View, view } from "../answers.ts";
import { messageType, phoneOrNull } from "../fields.ts";
import { phoneOf } from "../messages/view.ts";
import type { AnswerStyle } from "../style.ts";

export function statusPostView({ person, timestamp }: AnswerStyle, media: View<StoredMedia>) {
  const StatusPost = z
    .object({
      message_id: z.string(),
      from: person.schema,
      phone: phoneOrNull,
      type: messageType,
      text: z.string().nullable(),
      media: media.schema.nullable(),
      background_color: z.string().nullable().openapi({ example: "#1F7A5C" }),
      timestamp: timestamp.schema,
      expires_at: iso,
    })
    .openapi("StatusPost");
  return view(StatusPost, (record: StatusPostRecord, context) => {
    const { message_id, sender, type, text, media: file, background, timestamp: at, expires_at } = record;
    return {
      message_id,
      from: person.of(sender),
      phone: phoneOf(sender),
      type,
      text,
      media: file === null ? null : media.show(file, context),
      background_color: background === null ? null : hexOf(background),
      timestamp: timestamp.of(at),
      expires_at: isoOfMs(expires_at),
    };
  });
}
