import { z } from "@hono/zod-openapi";
import { one } from "../answers.ts";
import { PERSON_FAILURES } from "../failure-lists.ts";
import { route } from "../route.ts";
import { contactId, pictureSize } from "./schemas.ts";
import { aboutText, businessProfile, picture } from "./view.ts";

const params = z.object({ contactId });

export const contactDetailRoutes = [
  route({
    method: "get",
    path: "/contacts/{contactId}/picture",
    name: "getContactPicture",
    effect: "read",
    operation: "pictures.get",
    counted: true,
    cached: true,
    summary: { en: "The picture of a contact", pt: "A foto de um contato" },
    failures: [...PERSON_FAILURES, "picture_not_found"],
    example: { query: { size: "preview" } },
    params,
    query: z.object({ size: pictureSize }),
    input: (given) => ({ chat_id: given.params.contactId, size: given.query.size }),
    ...one(picture),
  }),
  route({
    method: "get",
    path: "/contacts/{contactId}/about",
    name: "getContactAbout",
    effect: "read",
    operation: "contacts.about",
    counted: true,
    cached: true,
    summary: { en: "The about text of a contact", pt: "O recado de um contato" },
    failures: [...PERSON_FAILURES, "contact_not_found"],
    params,
    input: (given) => ({ contact_id: given.params.contactId }),
    ...one(aboutText),
  }),
  route({
    method: "get",
    path: "/contacts/{contactId}/business-profile",
    name: "getBusinessProfile",
    effect: "read",
    operation: "contacts.business_profile",
    counted: true,
    cached: true,
    summary: { en: "The business profile of a contact", pt: "O perfil comercial de um contato" },
    failures: [...PERSON_FAILURES, "contact_not_found", "business_profile_not_found"],
    params,
    input: (given) => ({ contact_id: given.params.contactId }),
    ...one(businessProfile),
  }),
];
