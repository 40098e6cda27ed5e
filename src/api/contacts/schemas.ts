import * as z from "#root/src/http/openapi/zod.ts";
import { readPersonId } from "@gateway/domain/chats/chat-id.ts";
import { readAs } from "../../http/fields.ts";
import { EXAMPLE } from "../example-values.ts";
import { text } from "../fields.ts";

export const contactId = z.string().transform(readAs(readPersonId, "no_contact_id")).openapi({ type: "string", example: EXAMPLE.chat });

export const contactBody = z.strictObject({ full_name: text(256).openapi({ example: "Maria Silva" }), first_name: text(128).nullish() });

export const pictureSize = z.enum(["preview", "full"]).default("preview");
