import type { z } from "zod";
import { hexOf } from "../../domain/colors.ts";
import { isoOfMs } from "../../http/times.ts";
import type { StatusPostRecord } from "../../protocol/records.ts";
import { phoneOf, renderMedia } from "../messages/render.ts";
import type { RenderContext } from "../route.ts";
import type { StatusPost } from "./schemas.ts";

export function renderStatusPost(record: StatusPostRecord, context: RenderContext): z.input<typeof StatusPost> {
  const { message_id, sender, type, text, media, background, timestamp, expires_at } = record;
  return {
    message_id,
    from: phoneOf(sender),
    phone: phoneOf(sender),
    type,
    text,
    media: media === null ? null : renderMedia(media, context),
    background_color: background === null ? null : hexOf(background),
    timestamp,
    expires_at: isoOfMs(expires_at),
  };
}
