// People in answers and requests of the Connection API.
import { z } from "@hono/zod-openapi";
import { readPersonId } from "../../domain/chats/chat-id.ts";
import { readAs } from "../../http/fields.ts";
import { EXAMPLE } from "../example-values.ts";
import { iso, phoneOrNull, text } from "../fields.ts";

/** A person's chat id, or digits. */
export const contactId = z
  .string()
  .transform(readAs(readPersonId, "não é o id de um contato"))
  .openapi({ type: "string", example: EXAMPLE.chat });

export const contactBody = z.strictObject({ full_name: text(256).openapi({ example: "Maria Silva" }), first_name: text(128).nullish() });

export const Contact = z
  .object({
    contact_id: z.string(),
    phone: phoneOrNull,
    name: z.string().nullable().openapi({ description: "As saved in the address book" }),
    push_name: z.string().nullable().openapi({ description: "What the person is called on the network" }),
    verified_name: z.string().nullable(),
    is_saved: z.boolean(),
    is_business: z.boolean(),
    is_blocked: z.boolean(),
    picture_url: z.string().nullable().openapi({ description: "The picture as last read; null when it has not been read yet" }),
    updated_at: iso,
  })
  .openapi("Contact");

export const NumberCheck = z
  .object({
    phone: z.string(),
    exists: z.boolean(),
    chat_id: z.string().nullable().openapi({ description: "The number as the network writes it; null when it has no account" }),
  })
  .openapi("NumberCheck");

export const Picture = z.object({ url: z.string(), expires_at: iso }).openapi("Picture");

export const About = z
  .object({ about: z.string().nullable().openapi({ description: "null when empty or hidden" }), set_at: iso.nullable() })
  .openapi("About");

export const BusinessProfile = z
  .object({
    description: z.string().nullable(),
    email: z.string().nullable(),
    websites: z.array(z.string()),
    address: z.string().nullable(),
    category: z.string().nullable(),
  })
  .openapi("BusinessProfile");

export const Profile = z
  .object({
    phone: phoneOrNull,
    name: z.string().nullable(),
    about: z.string().nullable(),
    picture_url: z.string().nullable(),
    is_business: z.boolean(),
    business: BusinessProfile.nullable(),
  })
  .openapi("Profile");

export const pictureSize = z.enum(["preview", "full"]).default("preview");
